package replica

import (
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/text"
)

// pendingEdits caches the pending edits of the cell being typed in, in order, so a remote
// edit is transformed over them without a search. The transformed edits are written back to
// the pending events when those are read.
type pendingEdits struct {
	known bool
	cell  event.CellID
	edits []*event.SourceEdited // the payloads of the pending events
	chain text.Chain            // the edits as they are now
	moved bool                  // the chain changed since the last write back
}

// transformPending transforms the pending edits of a cell over an edit that precedes them,
// and returns that edit transformed over them.
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

// Ahead returns the composed pending edits of a cell, which apply to its confirmed text.
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

// collect fills the cache with the pending edits of a cell.
func (r *Replica) collect(cell event.CellID) {
	pending := r.queue()
	r.edits = pendingEdits{known: true, cell: cell, edits: r.edits.edits[:0]}
	for _, p := range pending {
		r.edits.add(p)
	}
}

// queue returns the pending events, each edit as it is now.
func (r *Replica) queue() []*pending {
	r.edits.writeBack()
	return r.pending
}

// writeBack writes the transformed edits to the pending events.
func (o *pendingEdits) writeBack() {
	if o.moved {
		o.moved = false
		o.chain.Changed(func(i int, e text.Edit) { o.edits[i].Edit = e })
	}
}

// invalidate empties the cache, since the pending events are about to change.
func (o *pendingEdits) invalidate() {
	o.writeBack()
	o.known = false
}

// add adds the last of the pending events.
func (o *pendingEdits) add(p *pending) {
	if !o.known {
		return
	}
	if e := p.edit(o.cell); e != nil {
		o.edits = append(o.edits, e)
		o.chain.Add(e.Edit)
	}
}

// dropFirst removes the first of the pending events.
func (o *pendingEdits) dropFirst(p *pending) {
	if o.known && p.edit(o.cell) != nil {
		o.edits = o.edits[1:]
		o.chain.Drop(1)
	}
}
