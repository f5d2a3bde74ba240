package room

import (
	"context"
	"fmt"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
)

// Regrant changes the role of an actor. Connections of the actor with another role end:
// they are told to connect again, which gives them the new role, or are closed if the
// actor may not read any more. The empty role permits nothing.
//
// A runtime that the actor attached has a role of its own, and stays while the actor may
// attach one.
func (s *Sequencer) Regrant(actor event.Actor, role access.Role) {
	for m := range s.members {
		if m.granted == actor {
			s.regrant(m, role)
		}
	}
}

func (s *Sequencer) regrant(m *Member, role access.Role) {
	broughtRuntime := m.Actor != m.granted
	switch {
	case !role.May(access.Read):
		s.close(m, protocol.CodeForbidden, "you may no longer read this notebook")
	case broughtRuntime && !m.mayBring(role):
		s.close(m, protocol.CodeForbidden, fmt.Sprintf("the role %s may no longer attach a runtime to this notebook", role))
	case !broughtRuntime && m.Role != role:
		s.drop(m, fmt.Sprintf("your role in this notebook is %s now; connect again", role))
	}
}

// Regrant is [Sequencer.Regrant]. When it returns nil the new role holds, and all events
// admitted before are on disk and acknowledged.
func (r *Room) Regrant(ctx context.Context, actor event.Actor, role access.Role) error {
	done := make(chan error, 1)
	err := r.enqueue(ctx, func(ctx context.Context) {
		// A failed commit has dropped all members and was reported.
		_ = r.commitAll(ctx)
		r.seq.Regrant(actor, role)
		done <- nil
	})
	if err != nil {
		return err
	}
	return r.await(ctx, done)
}
