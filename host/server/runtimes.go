package server

import (
	"fmt"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/host/server/problem"
)

// stopRuntime stops the runtime of a notebook, and answers when it is gone.
func (s *Server) stopRuntime(c *call, _ none) (none, error) {
	ctx := c.r.Context()
	opened, err := s.rooms.Use(ctx, c.book.ID)
	if err != nil {
		return none{}, err
	}
	defer s.rooms.Release(opened)
	id, err := opened.StopRuntime(ctx, c.who.Actor, event.StopShutdown)
	if err == nil && id == "" {
		err = problem.New(protocol.CodeNotFound, "the notebook has no runtime")
	}
	return none{}, err
}

// restartRuntime stops the runtime of a notebook, if it has one, and answers when a new one has
// connected.
func (s *Server) restartRuntime(c *call, _ none) (none, error) {
	if s.cfg.Launcher == nil {
		return none{}, problem.New(protocol.CodeUnavailable, "this server does not launch runtimes: stop the current one, and start another by hand")
	}
	ctx := c.r.Context()
	opened, err := s.rooms.Use(ctx, c.book.ID)
	if err != nil {
		return none{}, err
	}
	defer s.rooms.Release(opened)
	old, err := opened.StopRuntime(ctx, c.who.Actor, event.StopRestart)
	if err != nil {
		return none{}, err
	}
	err = opened.Provide(ctx, old)
	if err != nil && ctx.Err() == nil && room.CodeOf(err) == protocol.CodeInternal {
		return none{}, problem.New(protocol.CodeUnavailable, fmt.Sprintf("no runtime could be started: %v", err))
	}
	return none{}, err
}
