package replica

import (
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/text"
)

// own is the pending edits of one cell, in their order. While somebody types among
// others, every edit of theirs is moved over all of these, so that they are not
// looked for anew each time.
type own struct {
	known bool
	cell  event.CellID
	edits []*event.SourceEdited // the pending events' own
}

// moveOver moves the pending edits of a cell over one that came before them, and
// returns that as it is after them.
func (r *Replica) moveOver(cell event.CellID, over text.Edit) text.Edit {
	for _, e := range r.ownEdits(cell) {
		text.Cross(&over, &e.Edit)
	}
	return over
}

// ownEdits returns the pending edits of a cell.
func (r *Replica) ownEdits(cell event.CellID) []*event.SourceEdited {
	o := &r.own
	if o.known && o.cell == cell {
		return o.edits
	}
	*o = own{known: true, cell: cell, edits: o.edits[:0]}
	for _, p := range r.pending {
		o.added(p)
	}
	return o.edits
}

// added takes in an event that is pending behind all others.
func (o *own) added(p *pending) {
	if !o.known {
		return
	}
	if e := p.edit(o.cell); e != nil {
		o.edits = append(o.edits, e)
	}
}

// settled takes out the event that was the first of all that are pending.
func (o *own) settled(p *pending) {
	if o.known && p.edit(o.cell) != nil {
		o.edits = o.edits[1:]
	}
}
