package server

import (
	"context"
	"fmt"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/host/server/problem"
)

// stopRuntime ends the runtime of a notebook, and answers when it is gone.
func (s *Server) stopRuntime(c *call, _ none) (none, error) {
	ctx := c.r.Context()
	opened, err := s.rooms.use(ctx, c.book.ID)
	if err != nil {
		return none{}, err
	}
	defer s.rooms.release(opened)
	id, err := s.endRuntime(ctx, opened, c.who.Actor, event.StopShutdown)
	if err == nil && id == "" {
		err = problem.New(protocol.CodeNotFound, "the notebook has no runtime")
	}
	return none{}, err
}

// restartRuntime ends the runtime of a notebook, if it has one, and answers when a
// new one is there.
func (s *Server) restartRuntime(c *call, _ none) (none, error) {
	if s.cfg.Launcher == nil {
		return none{}, problem.New(protocol.CodeUnavailable, "this server does not start runtimes: stop the one there is, and start another by hand")
	}
	ctx := c.r.Context()
	opened, err := s.rooms.use(ctx, c.book.ID)
	if err != nil {
		return none{}, err
	}
	defer s.rooms.release(opened)
	old, err := s.endRuntime(ctx, opened, c.who.Actor, event.StopRestart)
	if err != nil {
		return none{}, err
	}
	err = opened.launch.want(ctx, old)
	if err != nil && ctx.Err() == nil && room.CodeOf(err) == protocol.CodeInternal {
		return none{}, problem.New(protocol.CodeUnavailable, fmt.Sprintf("no runtime could be started: %v", err))
	}
	return none{}, err
}

// endRuntime says in the log that the runtime which takes code stops: it can write
// nothing more from then on, and ends once it reads that. It returns when it is
// gone, as far as this server can tell, and no id if there was none.
func (s *Server) endRuntime(ctx context.Context, opened *openRoom, actor event.Actor, why event.StopReason) (event.RuntimeID, error) {
	var stop *event.RuntimeStopped
	err := opened.View(ctx, func(n *notebook.Notebook) {
		if rt := n.Runtime(event.TakesCode); rt != nil && rt.State != notebook.RuntimeStopped {
			stop = &event.RuntimeStopped{Runtime: rt.ID, Epoch: rt.Epoch, Reason: why}
		}
	})
	if err != nil || stop == nil {
		return "", err
	}
	if err := opened.Submit(ctx, actor, stop); err != nil {
		return "", err
	}
	if s.cfg.Launcher == nil {
		return stop.Runtime, nil
	}
	return stop.Runtime, s.cfg.Launcher.End(ctx, opened.id, func(id event.RuntimeID) bool { return id == stop.Runtime })
}
