package room

import (
	"context"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

// assign gives the next run to each runtime that claims runs, if it is ready and has none.
// The room knows this before the runtime can, and appends the assignment in the commit of
// the event that made it possible: a run costs no round trip, and no commit, before it is
// executed.
func (s *Sequencer) assign(ctx context.Context) {
	if len(s.book.Queue()) == 0 {
		return
	}
	for _, t := range event.Kinds() {
		rt := s.book.Runtime(t)
		if rt == nil || rt.State != notebook.RuntimeReady || !s.claims(rt.ID) {
			continue
		}
		if run := s.nextRun(t); run != "" {
			// It cannot be refused: the run is pending, and the epoch is the runtime's.
			_ = s.submit(ctx, roomActor, &event.RunAssigned{Run: run, Epoch: rt.Epoch})
		}
	}
}

// nextRun returns the first waiting run of a kind, or none if the runtime of that
// kind has a run.
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

// claims reports whether a member serves as the runtime and claims runs.
func (s *Sequencer) claims(id event.RuntimeID) bool {
	for m := range s.members {
		if m.runtime == id && m.claims {
			return true
		}
	}
	return false
}
