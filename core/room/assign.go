package room

import (
	"context"
	"slices"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

// assign gives each runtime that asked for it in its hello the next run, if it is
// ready and has none. The room knows when that is so before the runtime can, and what
// it states is in one commit with what made it so: a run costs no round trip, and no
// commit, before it is executed.
func (s *Sequencer) assign(ctx context.Context) {
	if len(s.book.Queue()) == 0 {
		return
	}
	for _, t := range []event.Takes{event.TakesCode, event.TakesAI} {
		rt := s.book.Runtime(t)
		if rt == nil || rt.State != notebook.RuntimeReady || !s.claims(rt.ID) {
			continue
		}
		if run := s.nextRun(t); run != "" {
			// It is neither moot nor malformed: the run is pending, and the epoch the runtime's.
			_ = s.submit(ctx, roomActor, &event.RunAssigned{Run: run, Epoch: rt.Epoch})
		}
	}
}

// nextRun returns the first run of a kind that waits, or none if the runtime of that
// kind has one.
func (s *Sequencer) nextRun(t event.Takes) (next event.RunID) {
	for _, id := range s.book.Queue() {
		run := s.book.Run(id)
		switch {
		case run.Takes != t:
		case run.State != notebook.RunPending:
			return ""
		case next == "":
			next = id
		}
	}
	return next
}

// hasRun reports whether a runtime has a run that is not finished.
func (s *Sequencer) hasRun(rt *notebook.Runtime) bool {
	return slices.ContainsFunc(s.book.Queue(), func(id event.RunID) bool {
		run := s.book.Run(id)
		return run.State != notebook.RunPending && run.Epoch == rt.Epoch
	})
}

// claims reports whether a member serves as a runtime and wants to be given runs.
func (s *Sequencer) claims(id event.RuntimeID) bool {
	for m := range s.members {
		if m.runtime == id && m.claims {
			return true
		}
	}
	return false
}
