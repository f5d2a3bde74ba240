package server

import (
	"context"
	"errors"
	"sync"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server/problem"
	"github.com/quirehq/quire/host/server/rooms"
)

// Purger is a [Directory] that can remove a notebook for good.
type Purger interface {
	// PurgeNotebook removes a notebook with its whole log, and returns the hashes of its
	// artifacts. No later notebook may get its id.
	PurgeNotebook(ctx context.Context, id string) (artifacts []string, err error)
}

// Forgetter is a [rooms.Launcher] that stores data of notebooks besides their runtimes.
type Forgetter interface {
	// Forget removes the data of a notebook whose runtimes are gone.
	Forget(notebook string) error
}

// purges are the notebooks that are being removed. Their clients are told to try again: if they were
// told that there is no such notebook, a page would stop before it learns that the notebook is gone
// for good.
type purges struct {
	mu  sync.Mutex
	ids map[string]bool
}

// begin begins the removal of a notebook, and reports false if it has begun before.
func (p *purges) begin(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ids[id] {
		return false
	}
	p.ids[id] = true
	return true
}

func (p *purges) end(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.ids, id)
}

func (p *purges) under(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ids[id]
}

// purgeNotebook removes a notebook for good. It continues when the client leaves: a part of a purge
// is none. The members of the room connect again and are told that the notebook is gone.
func (s *Server) purgeNotebook(c *call, _ none) (none, error) {
	purger, ok := s.cfg.Directory.(Purger)
	if !ok {
		return none{}, problem.New(protocol.CodeUnavailable, "this server cannot remove notebooks for good")
	}
	ctx, id := context.WithoutCancel(c.r.Context()), c.book.ID
	if !s.purges.begin(id) {
		return none{}, problem.New(protocol.CodeConflict, "the notebook is being removed already")
	}
	defer s.purges.end(id)
	if err := s.endAll(ctx, c); err != nil {
		return none{}, err
	}
	hashes, err := purger.PurgeNotebook(ctx, id)
	for _, hash := range hashes {
		err = errors.Join(err, s.artifacts.Delete(ctx, hash))
	}
	for _, launcher := range []rooms.Launcher{s.cfg.Launcher, s.cfg.Assistants} {
		if forgetter, ok := launcher.(Forgetter); ok {
			err = errors.Join(err, forgetter.Forget(id))
		}
	}
	return none{}, err
}

// endAll ends the runtimes and the room of a notebook, and deletes it so that it gets no others.
func (s *Server) endAll(ctx context.Context, c *call) error {
	if c.book.Deleted == 0 {
		if err := s.endForPurge(ctx, c); err != nil {
			return err
		}
		if err := s.cfg.Directory.DeleteNotebook(ctx, c.book.ID, s.cfg.stamp()); err != nil {
			return err
		}
	}
	s.rooms.Shut(c.book.ID)
	var err error
	for _, launcher := range []rooms.Launcher{s.cfg.Launcher, s.cfg.Assistants} {
		if launcher != nil {
			err = errors.Join(err, launcher.End(ctx, c.book.ID, func(event.RuntimeID) bool { return true }))
		}
	}
	return err
}

func (s *Server) endForPurge(ctx context.Context, c *call) error {
	opened, err := s.rooms.Use(ctx, c.book.ID)
	if err != nil {
		return err
	}
	defer s.rooms.Release(opened)
	_, err = opened.StopRuntime(ctx, c.who.Actor, event.StopShutdown)
	return err
}
