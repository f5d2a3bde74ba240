package room

import (
	"context"
	"fmt"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
)

// Regrant lets an actor have another role from now on. Those of its connections
// that were let in with a different one end: who may still be here is told to
// connect again, and so learns the new role; who may not is closed. The empty role
// is that of nobody.
//
// A runtime that the actor brought has a role of its own, and stays for as long as
// the actor may bring one.
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

// Regrant is [Sequencer.Regrant]. When it returns nil the new role holds; what was
// taken in before is on disk and acknowledged.
func (r *Room) Regrant(ctx context.Context, actor event.Actor, role access.Role) error {
	done := make(chan error, 1)
	err := r.enqueue(ctx, func(ctx context.Context) {
		// One that fails has told all members to connect again, and the room of it.
		_ = r.commitAll(ctx)
		r.seq.Regrant(actor, role)
		done <- nil
	})
	if err != nil {
		return err
	}
	return r.await(ctx, done)
}
