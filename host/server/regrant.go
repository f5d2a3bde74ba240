package server

import (
	"context"
	"errors"
	"fmt"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/host/server/signin"
)

// Regrant applies the current role of a person in a notebook to their open sockets there. It is to be
// called after the role was changed. When it returns nil, the room accepts nothing more that only
// the old role allows.
func (s *Server) Regrant(ctx context.Context, notebook, person string) error {
	role, err := s.cfg.roleOf(ctx, signin.PersonNamed(person), notebook)
	if err != nil {
		return fmt.Errorf("regrant %s in notebook %s: %w", person, notebook, err)
	}
	opened := s.rooms.Opened(notebook)
	if opened == nil {
		return nil // a socket that opens later gets the current role
	}
	if err := opened.Wait(ctx); err != nil {
		return ctx.Err() // a room that could not be opened has no sockets
	}
	err = opened.Regrant(ctx, event.NewActor(event.ActorPerson, person), role)
	if err != nil && !errors.Is(err, room.ErrUnavailable) { // a room that has ended has no sockets either
		return fmt.Errorf("regrant %s in notebook %s: %w", person, notebook, err)
	}
	return nil
}
