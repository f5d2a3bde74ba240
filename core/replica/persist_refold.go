package replica

import (
	"errors"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
)

// refold holds the pending events of a restored replica until the log has been refolded up
// to the number that they were made on.
type refold struct {
	until   event.Seq          // the confirmed number when the replica was persisted
	old     *notebook.Notebook // the confirmed notebook then, nil if it cannot be read
	pending []*pending
}

// ErrRefolding says that a replica cannot be changed yet: its log is being refolded.
var ErrRefolding = errors.New("this notebook is being read from its log; change it when that is done")

// startRefold makes a restored replica begin with an empty notebook. The events of the log
// up to the number that the pending events were made on are folded without them; there they
// are folded on top, and from there they are rebased as after any absence.
func (r *Replica) startRefold(s *persistedState, k Persisted, pending []*pending) {
	if len(pending) == 0 {
		return
	}
	old, err := foldPersisted(k) // serves to find differences of texts, even if it is of another fold
	if err != nil || old.Seq() != s.Seq {
		old = nil
	}
	r.refold = &refold{until: s.Seq, old: old, pending: pending}
}

// finishRefold folds the held events on top of the confirmed notebook, once that has reached
// their number, or the log ends before it. It returns the rows that changed.
func (r *Replica) finishRefold() []notebook.Change {
	a := r.refold
	if a == nil || r.confirmed.Seq() < a.until && !r.Online() {
		return nil
	}
	r.refold, r.pending, r.edits = nil, a.pending, pendingEdits{}
	if a.old != nil {
		r.transformAll(a.old, r.confirmed)
	}
	var changes []notebook.Change
	for p := r.misfit(); p != nil; p = r.misfit() {
		no := &protocol.Refused{ID: p.draft.ID, Code: protocol.CodeInvalid, Message: "it does not fit the text that the cell has now"}
		up, _ := r.receiveRefusal(no) // it was not sent, so the connection can stay
		changes = append(changes, up.Changes...)
	}
	return append(changes, r.rebuildView()...)
}
