package room

import (
	"context"
	"fmt"
	"slices"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

// request is a source of events in a batch: a draft that a member pushed, or events of the
// server. A batch keeps its requests until it is stored. When another process appends to
// the log first, the batch is void, and its requests are handled again.
type request struct {
	member *Member // nil for events of the server
	draft  event.Draft

	actor    event.Actor
	payloads []event.Payload
	refused  *error // the result for the server
}

// readmit handles the requests of a commit and of the batch behind it again, after another
// process has appended to the log. First it publishes the events of that process. Members
// have seen no event of the void batches, so they stay. An error reports that the log cannot
// be read.
func (s *Sequencer) readmit(ctx context.Context, f *Commit) error {
	requests := append(f.requests, s.requests...)
	for _, r := range slices.Backward(append(f.rebasers, s.rebasers...)) {
		r.restore()
	}
	var changes []notebook.Change
	restores := false
	err := s.loadAfter(ctx, f.after, func(e *event.Event, changed []notebook.Change) {
		changes = append(changes, changed...)
		if _, ok := e.Payload.(*event.CellRestored); ok {
			restores = true
		}
	})
	if err == nil && s.book.Seq() <= f.after {
		err = fmt.Errorf("the log ends at %d, and had %d: it was replaced by an older one", s.book.Seq(), f.after)
	}
	if err != nil {
		return err
	}
	s.unsaved += int(s.book.Seq() - f.after)
	s.publishStored(ctx, changes, restores)
	s.leaseAbsent()
	s.requests = requests
	s.handleAgain(ctx, requests)
	s.assign(ctx)
	return nil
}

// publishStored publishes events of another process, which are in the log, and their
// changes.
func (s *Sequencer) publishStored(ctx context.Context, changes []notebook.Change, restores bool) {
	for m := range s.members {
		switch {
		case restores && m.Present:
			s.drop(m, restoredReason)
		case !m.waiting:
			s.catchUp(ctx, m)
		}
	}
	s.cfg.Committed(s.book, changes)
}

// handleAgain admits the events of requests, or refuses them. Those of a member that has left
// meanwhile are admitted too: it may not come back.
func (s *Sequencer) handleAgain(ctx context.Context, requests []request) {
	stopped := map[*Member]bool{} // members that push the unanswered events again, from the first
	for i := range requests {
		switch r := &requests[i]; {
		case r.member == nil:
			*r.refused = s.submit(ctx, r.actor, r.payloads...)
		case !stopped[r.member]:
			stopped[r.member] = !s.receiveDraft(ctx, r.member, &r.draft)
		}
	}
}
