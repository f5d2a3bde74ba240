package server

import (
	"context"
	"errors"
	"fmt"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/host/server/signin"
)

// Regrant makes what a person is in a notebook now hold on the sockets that they
// have open there. It is for whoever changed that: call it afterwards. When it
// returns nil nothing is taken any more that the old role alone would allow.
func (s *Server) Regrant(ctx context.Context, notebook, person string) error {
	role, err := s.cfg.roleOf(ctx, signin.PersonNamed(person), notebook)
	if err != nil {
		return fmt.Errorf("regrant %s in notebook %s: %w", person, notebook, err)
	}
	opened := s.rooms.Opened(notebook)
	if opened == nil {
		return nil // sockets that open from now on ask for the role by themselves
	}
	if err := opened.Wait(ctx); err != nil {
		return ctx.Err() // a room that could not be opened has no sockets
	}
	err = opened.Regrant(ctx, event.NewActor(event.ActorPerson, person), role)
	if err != nil && !errors.Is(err, room.ErrUnavailable) { // one that has ended has no sockets either
		return fmt.Errorf("regrant %s in notebook %s: %w", person, notebook, err)
	}
	return nil
}
