package replica

import (
	"errors"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
)

// refold is what a resumed replica holds back while the notebook that it stands on is
// folded from the log again.
type refold struct {
	until   event.Seq          // what was confirmed when it was kept
	old     *notebook.Notebook // what that was like, nil if it cannot be read
	pending []*pending
}

var errRefolding = errors.New("this notebook is being read anew; it can be changed once it is there")

// startRefold has a resumed replica begin with an empty notebook. Events up to the number
// that what is pending was made on are folded without it; there it is put on top, and
// from there it is moved over what follows, like that of any replica that was away.
func (r *Replica) startRefold(s *persistedState, k Persisted, pending []*pending) {
	if len(pending) == 0 {
		return
	}
	old, err := foldPersisted(k) // which serves to see where its texts differ, whatever fold it is of
	if err != nil || old.Seq() != s.Seq {
		old = nil
	}
	r.refold = &refold{until: s.Seq, old: old, pending: pending}
}

// finishRefold puts what was held back on top of what is confirmed, if that is there by
// now, or if the log ends before it. It returns the rows that changed by it.
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
		up, _ := r.receiveRefusal(no) // it was not sent, so that there is no connection to give up
		changes = append(changes, up.Changes...)
	}
	return append(changes, r.rebuildView()...)
}
