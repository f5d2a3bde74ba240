package command

import (
	"slices"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/text"
)

// The limits of what a desk remembers, beyond which the oldest is forgotten.
const (
	maxEntries = 1_000
	maxBytes   = 8 << 20
)

// history is what a desk remembers: entries that undo what was done, and such that
// do again what was undone, each with the latest at the end.
//
// An edit of a cell's source fits the text as it is once all later ones of the same
// cell in its list are taken back. So those of one cell are only ever taken back from
// the end; entries that have no cell in common depend on each other in nothing.
type history struct {
	undo, redo []*entry
	units      map[event.CellID]int // the length of each text with entries, as far as was told
	groups     int                  // how many there have been
	buf        []byte               // for measuring
}

func newHistory() history { return history{units: map[event.CellID]int{}} }

// record remembers what was done at once. What was undone before can be done again
// no more, as far as it is about the same cells.
func (h *history) record(made ...*entry) {
	made = slices.DeleteFunc(made, (*entry).empty)
	for _, e := range made {
		h.forgetRedo(e)
	}
	h.put(&h.undo, made...)
}

// put adds the latest entries to a list, as a group if there are many.
func (h *history) put(list *[]*entry, made ...*entry) {
	if len(made) > 1 {
		h.groups++
	}
	for _, e := range made {
		if len(made) > 1 {
			e.group = h.groups
		}
		h.measure(e)
	}
	*list = append(*list, made...)
	h.trim()
}

// join adds an edit to the latest entry, and reports whether the two fit.
func (h *history) join(e *entry) bool {
	if len(h.undo) == 0 {
		return false
	}
	last := h.undo[len(h.undo)-1]
	if last.cell != e.cell || len(last.steps) > 0 {
		return false
	}
	both, err := text.Compose(e.edit, last.edit)
	if err != nil {
		return false
	}
	h.forgetRedo(e)
	last.edit = both
	h.measure(last)
	h.trim()
	return true
}

// forgetRedo forgets what would be done again to the cells of an entry, and what
// depends on that.
func (h *history) forgetRedo(e *entry) {
	if len(h.redo) == 0 {
		return
	}
	touched := map[event.CellID]bool{}
	e.touch(touched)
	for i := len(h.redo) - 1; i >= 0; i-- {
		if h.redo[i].touches(touched) {
			h.redo[i].touch(touched)
			h.redo = slices.Delete(h.redo, i, i+1)
		}
	}
}

// over moves the edits of a cell over one that somebody else made, the latest of
// each list first.
func (h *history) over(cell event.CellID, edit text.Edit) {
	if n, ok := h.units[cell]; ok {
		h.units[cell] = n + edit.Delta()
	}
	for _, entries := range [][]*entry{h.undo, h.redo} {
		over := edit
		for _, e := range slices.Backward(entries) {
			if e.cell == cell {
				text.TransformInPlace(&over, &e.edit)
			}
		}
	}
}

// check returns the length of a cell's text. If that is not what was told, the text
// was changed in another way, and what is remembered of it does not fit it.
func (h *history) check(c *notebook.Cell) int {
	length := c.Text().Len()
	if n, ok := h.units[c.ID]; ok && n != length {
		h.forgetText(c.ID)
	}
	return length
}

// checkEntry is check for the cell whose source an entry edits, with the edit, which
// must be the latest of the cell.
func (h *history) checkEntry(e *entry, n *notebook.Notebook) {
	if e.cell == "" {
		return
	}
	c := n.Cell(e.cell)
	if c == nil {
		h.forgetText(e.cell)
		return
	}
	h.check(c)
	if _, err := e.edit.Invert(c.Text()); err != nil {
		h.forgetText(c.ID)
	}
}

// forgetText empties the entries that edit a cell's source. Their steps go too: to
// take a split back without the text would take its parts away.
func (h *history) forgetText(cell event.CellID) {
	delete(h.units, cell)
	for _, e := range slices.Concat(h.undo, h.redo) {
		if e.cell == cell {
			*e = entry{group: e.group}
		}
	}
}

// measure notes how many bytes an entry keeps.
func (h *history) measure(e *entry) {
	h.buf = e.edit.AppendJSON(h.buf[:0])
	e.size = len(h.buf)
	for _, s := range e.steps {
		e.size += s.size()
	}
}

// trim forgets the oldest entries beyond the limits, groups as a whole, but never
// the latest.
func (h *history) trim() {
	size := 0
	for _, e := range slices.Concat(h.undo, h.redo) {
		size += e.size
	}
	for len(h.undo)+len(h.redo) > maxEntries || size > maxBytes {
		list := h.longest()
		if list == nil {
			return
		}
		n := together(*list)
		for _, e := range (*list)[:n] {
			size -= e.size
		}
		*list = slices.Delete(*list, 0, n)
	}
}

// longest returns the list whose oldest entries are to be forgotten, nil if only the
// latest are left.
func (h *history) longest() *[]*entry {
	switch undo, redo := together(h.undo), together(h.redo); {
	case len(h.undo) > undo:
		return &h.undo
	case len(h.redo) > redo:
		return &h.redo
	case undo > 0 && redo > 0:
		return &h.undo
	}
	return nil
}

// together returns how many of the oldest entries of a list are one group.
func together(list []*entry) int {
	n := min(1, len(list))
	for n > 0 && n < len(list) && list[0].group != 0 && list[n].group == list[0].group {
		n++
	}
	return n
}
