package room

import (
	"context"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

// recoverBefore appends the spooled events of a dead runtime before an event of another
// actor that ends it.
func (s *Sequencer) recoverBefore(ctx context.Context, actor event.Actor, p event.Payload) {
	var ends event.RuntimeID
	switch p := p.(type) {
	case *event.RuntimeStopped:
		ends = p.Runtime
	case *event.RuntimeStarted:
		if rt := s.book.Runtime(p.Takes); rt != nil && rt.State != notebook.RuntimeStopped && rt.ID != p.Runtime {
			ends = rt.ID
		}
	default:
		return
	}
	if actor != event.NewActor(event.ActorRuntime, string(ends)) {
		s.recoverSpool(ctx, ends)
	}
}

// recoverSpool appends the events of an absent runtime that it could not push: after its
// end they would be refused. Events that the log has already, and moot or malformed ones,
// are skipped.
func (s *Sequencer) recoverSpool(ctx context.Context, id event.RuntimeID) {
	rt := s.book.RuntimeByID(id)
	if s.cfg.Spooled == nil || rt == nil || s.serves(id) {
		return
	}
	actor, epoch := event.NewActor(event.ActorRuntime, string(id)), rt.Epoch
	s.recovering = true
	defer func() { s.recovering = false }()
	drafts := s.cfg.Spooled(id)
	for i := range drafts {
		p := drafts[i].Payload
		if access.ActionOf(p.Type()) == access.Execute && epochOf(p) == epoch && p.Check() == nil {
			_ = s.appendEvent(ctx, nil, actor, &drafts[i])
		}
	}
}
