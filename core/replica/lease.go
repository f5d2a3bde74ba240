package replica

import (
	"context"
	"time"

	"github.com/quirehq/quire/core/event"
)

// roomActor is who states what only the room can know.
const roomActor event.Actor = "room:room"

// lease begins to count the time for which a runtime is away.
func (s *Sequencer) lease(id event.RuntimeID) {
	s.leases[id] = s.cfg.Now() + event.Time(s.cfg.Grace/time.Millisecond)
}

// leaseAll gives every runtime of the notebook that is not connected the grace to
// come back, as after a start of the server.
func (s *Sequencer) leaseAll() {
	clear(s.leases)
	for _, t := range []event.Takes{event.TakesCode, event.TakesAI} {
		if rt := s.book.Runtime(t); rt != nil && s.book.RuntimeByID(rt.ID) != nil {
			s.lease(rt.ID)
		}
	}
}

// NextLease returns when the first lease of a runtime that is away ends, and
// whether there is one.
func (s *Sequencer) NextLease() (at event.Time, ok bool) {
	for _, end := range s.leases {
		if !ok || end < at {
			at, ok = end, true
		}
	}
	return at, ok
}

// Expire stops the runtimes whose leases have ended, which finishes their runs as
// lost. It only fills the batch.
func (s *Sequencer) Expire(ctx context.Context) error {
	now := s.cfg.Now()
	for id, end := range s.leases {
		if end > now {
			continue
		}
		delete(s.leases, id)
		rt := s.book.RuntimeByID(id)
		if rt == nil {
			continue
		}
		stop := &event.RuntimeStopped{
			Runtime: id, Epoch: rt.Epoch, Reason: event.StopLease,
			Detail: "the runtime's connection was gone for too long",
		}
		if err := s.Submit(ctx, roomActor, stop); err != nil {
			return err
		}
	}
	return nil
}

// RuntimePresent reports whether a runtime that takes runs of a kind is there, or
// may still come back.
func (s *Sequencer) RuntimePresent(t event.Takes) bool {
	rt := s.book.Runtime(t)
	return rt != nil && s.book.RuntimeByID(rt.ID) != nil
}
