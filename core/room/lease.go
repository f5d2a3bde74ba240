package room

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
)

// roomActor is the actor of events that the room makes itself, such as the end of a lease.
const roomActor event.Actor = "room:room"

// startLease starts the lease of a runtime that is away.
func (s *Sequencer) startLease(id event.RuntimeID) {
	s.leases[id] = s.cfg.Clock() + event.Time(s.cfg.Grace/time.Millisecond)
}

// startLeases starts the lease of every runtime that the log says is running, as after a
// start of the server.
func (s *Sequencer) startLeases() {
	clear(s.leases)
	s.leaseAbsent()
}

// leaseAbsent starts the lease of every running runtime that is neither connected nor has
// one, as when another process has started it.
func (s *Sequencer) leaseAbsent() {
	for _, t := range event.Kinds() {
		rt := s.book.Runtime(t)
		if rt == nil || s.book.RuntimeByID(rt.ID) == nil || s.serves(rt.ID) {
			continue
		}
		if _, leased := s.leases[rt.ID]; !leased {
			s.startLease(rt.ID)
		}
	}
}

// NextDeadline returns when the first lease or call ends, and whether there is one.
func (s *Sequencer) NextDeadline() (at event.Time, ok bool) {
	if len(s.calls.open) > 0 {
		at, ok = s.calls.open[0].ends, true
	}
	for _, end := range s.leases {
		if s.cfg.Gone != nil {
			end = min(end, s.goneAsked+goneEvery)
		}
		if !ok || end < at {
			at, ok = end, true
		}
	}
	return at, ok
}

// goneEvery is the time in milliseconds from one question whether absent runtimes have ended
// to the next.
const goneEvery event.Time = 250

// Expire stops the runtimes whose leases have ended, and the absent ones that are known to
// have ended, after recovering their spooled events; their runs finish as lost. The events
// are added to the batch. It also answers the calls whose time has ended.
func (s *Sequencer) Expire(ctx context.Context) error {
	now := s.cfg.Clock()
	s.expireCalls(now)
	s.goneAsked = now
	for id, end := range s.leases {
		cause, why := s.goneWhy(id)
		if end > now && cause != event.CauseDied {
			continue
		}
		delete(s.leases, id)
		rt := s.book.RuntimeByID(id)
		if rt == nil {
			continue
		}
		stop := &event.RuntimeStopped{Runtime: id, Epoch: rt.Epoch, Reason: event.StopLease, Cause: cause, Detail: why}
		var moot *notebook.Moot // its spool has the event that it stopped by itself
		if err := s.Submit(ctx, roomActor, stop); err != nil && !errors.As(err, &moot) {
			return err
		}
	}
	return nil
}

// expireCalls answers the calls whose time has ended.
func (s *Sequencer) expireCalls(now event.Time) {
	for len(s.calls.open) > 0 && s.calls.open[0].ends <= now {
		c := s.calls.open[0]
		s.calls.open = slices.Delete(s.calls.open, 0, 1)
		s.sendAnswer(c.from, &protocol.Answer{ID: c.ref, Error: protocol.NewCallError(protocol.CodeUnavailable, "the runtime did not answer within %v", callTime)})
	}
}

// goneWhy returns why an absent runtime is gone, for programs and for people.
func (s *Sequencer) goneWhy(id event.RuntimeID) (event.Cause, string) {
	if s.cfg.Gone != nil {
		if why := s.cfg.Gone(id); why != "" {
			return event.CauseDied, "the runtime is gone: " + why
		}
	}
	return event.CauseLease, "the runtime's connection was gone for too long"
}

// RuntimePresent reports whether a runtime that takes runs of a kind is connected, or has
// a lease.
func (s *Sequencer) RuntimePresent(t event.Takes) bool {
	rt := s.book.Runtime(t)
	return rt != nil && s.book.RuntimeByID(rt.ID) != nil
}
