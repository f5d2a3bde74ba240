package replica

import (
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/text"
)

// pendingEdits is the pending edits of one cell, in their order. While somebody types among
// others, every edit of theirs is moved over all of these, so that they are not
// looked for anew each time, and the pending events get what became of them only when
// somebody asks.
type pendingEdits struct {
	known bool
	cell  event.CellID
	edits []*event.SourceEdited // the pending events' own
	chain text.Chain            // what they are now
	moved bool                  // since the pending events had it
}

// transformPending moves the pending edits of a cell over one that came before them, and
// returns that as it is after them.
func (r *Replica) transformPending(cell event.CellID, over text.Edit) text.Edit {
	o := &r.edits
	if !o.known || o.cell != cell {
		r.collect(cell)
	}
	if len(o.edits) > 0 {
		o.moved = true
	}
	return o.chain.Before(over)
}

// Ahead returns what the pending edits of a cell do together to its confirmed text.
func (r *Replica) Ahead(cell event.CellID) text.Edit {
	var all text.Edit
	for _, p := range r.queue() {
		if e := p.edit(cell); e != nil {
			if both, err := text.Compose(all, e.Edit); err == nil {
				all = both
			}
		}
	}
	return all
}

// collect takes in the pending edits of a cell.
func (r *Replica) collect(cell event.CellID) {
	pending := r.queue()
	r.edits = pendingEdits{known: true, cell: cell, edits: r.edits.edits[:0]}
	for _, p := range pending {
		r.edits.add(p)
	}
}

// queue returns what is pending, each edit as it is now.
func (r *Replica) queue() []*pending {
	r.edits.writeBack()
	return r.pending
}

// writeBack has the pending events say what their edits have become.
func (o *pendingEdits) writeBack() {
	if o.moved {
		o.moved = false
		o.chain.Changed(func(i int, e text.Edit) { o.edits[i].Edit = e })
	}
}

// invalidate has the edits gathered anew, for what is pending is about to change.
func (o *pendingEdits) invalidate() {
	o.writeBack()
	o.known = false
}

// add takes in an event that is pending behind all others.
func (o *pendingEdits) add(p *pending) {
	if !o.known {
		return
	}
	if e := p.edit(o.cell); e != nil {
		o.edits = append(o.edits, e)
		o.chain.Add(e.Edit)
	}
}

// dropFirst takes out the event that was the first of all that are pending.
func (o *pendingEdits) dropFirst(p *pending) {
	if o.known && p.edit(o.cell) != nil {
		o.edits = o.edits[1:]
		o.chain.Drop(1)
	}
}
