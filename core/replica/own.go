package replica

import (
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/text"
)

// own is the pending edits of one cell, in their order. While somebody types among
// others, every edit of theirs is moved over all of these, so that they are not
// looked for anew each time, and the pending events get what became of them only when
// somebody asks.
type own struct {
	known bool
	cell  event.CellID
	edits []*event.SourceEdited // the pending events' own
	chain text.Chain            // what they are now
	moved bool                  // since the pending events had it
}

// moveOver moves the pending edits of a cell over one that came before them, and
// returns that as it is after them.
func (r *Replica) moveOver(cell event.CellID, over text.Edit) text.Edit {
	o := &r.own
	if !o.known || o.cell != cell {
		r.gather(cell)
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

// gather takes in the pending edits of a cell.
func (r *Replica) gather(cell event.CellID) {
	pending := r.queue()
	r.own = own{known: true, cell: cell, edits: r.own.edits[:0]}
	for _, p := range pending {
		r.own.added(p)
	}
}

// queue returns what is pending, each edit as it is now.
func (r *Replica) queue() []*pending {
	r.own.tell()
	return r.pending
}

// tell has the pending events say what their edits have become.
func (o *own) tell() {
	if o.moved {
		o.moved = false
		o.chain.Changed(func(i int, e text.Edit) { o.edits[i].Edit = e })
	}
}

// forget has the edits gathered anew, for what is pending is about to change.
func (o *own) forget() {
	o.tell()
	o.known = false
}

// added takes in an event that is pending behind all others.
func (o *own) added(p *pending) {
	if !o.known {
		return
	}
	if e := p.edit(o.cell); e != nil {
		o.edits = append(o.edits, e)
		o.chain.Add(e.Edit)
	}
}

// settled takes out the event that was the first of all that are pending.
func (o *own) settled(p *pending) {
	if o.known && p.edit(o.cell) != nil {
		o.edits = o.edits[1:]
		o.chain.Drop(1)
	}
}
