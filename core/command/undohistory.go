package command

import (
	"slices"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/text"
)

// The limits of the undo history. Beyond them the oldest entries are dropped.
const (
	maxEntries = 1_000
	maxBytes   = 8 << 20
)

// history is the undo history: entries that undo changes, and entries that redo undone ones, each list with the latest
// at the end.
//
// An edit of a cell's source fits the text once all later edits of that cell in its list are undone. So those of one
// cell are only undone from the end; entries without a common cell are independent.
type history struct {
	undo, redo []*entry
	units      map[event.CellID]int // the length of each text with entries, by the reported edits
	groups     int                  // how many there have been
	buf        []byte               // for measuring
}

func newHistory() history { return history{units: map[event.CellID]int{}} }

// record adds the entries of one change. Undone changes of the same cells can no longer be redone.
func (h *history) record(made ...*entry) {
	made = slices.DeleteFunc(made, (*entry).empty)
	for _, e := range made {
		h.dropRedo(e)
	}
	h.push(&h.undo, made...)
}

// push appends entries to a list, as a group if there are several.
func (h *history) push(list *[]*entry, made ...*entry) {
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
	h.dropRedo(e)
	last.edit = both
	h.measure(last)
	h.trim()
	return true
}

// dropRedo drops redo entries with the cells of an entry, and those that depend on them.
func (h *history) dropRedo(e *entry) {
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

// rebase transforms the edits of a cell over one by another, the latest of each list first.
func (h *history) rebase(cell event.CellID, edit text.Edit) {
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

// check returns the length of a cell's text. If it differs from that of the reported edits, the text was changed
// otherwise, and its history is dropped.
func (h *history) check(c *notebook.Cell) int {
	length := c.Text().Len()
	if n, ok := h.units[c.ID]; ok && n != length {
		h.dropText(c.ID)
	}
	return length
}

// checkEntry is check for the cell of an entry's edit, and also checks the edit, which must be the latest of the cell.
func (h *history) checkEntry(e *entry, n *notebook.Notebook) {
	if e.cell == "" {
		return
	}
	c := n.Cell(e.cell)
	if c == nil {
		h.dropText(e.cell)
		return
	}
	h.check(c)
	if _, err := e.edit.Invert(c.Text()); err != nil {
		h.dropText(c.ID)
	}
}

// dropText empties the entries that edit a cell's source, steps included: undoing a split without its text would
// delete its parts.
func (h *history) dropText(cell event.CellID) {
	delete(h.units, cell)
	for _, e := range slices.Concat(h.undo, h.redo) {
		if e.cell == cell {
			*e = entry{group: e.group}
		}
	}
}

// measure updates the size of an entry.
func (h *history) measure(e *entry) {
	h.buf = e.edit.AppendJSON(h.buf[:0])
	e.size = len(h.buf)
	for _, s := range e.steps {
		e.size += s.size()
	}
}

// trim drops the oldest entries beyond the limits, groups as a whole, but never the latest.
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

// longest returns the list to drop the oldest entries from, nil if only the latest are left.
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

// entry undoes one command or edit: an edit of at most one source, and steps. A command that edits many sources is a
// group of consecutive entries that are undone together.
type entry struct {
	cell  event.CellID // the cell of the edit, empty if none
	edit  text.Edit
	steps []step
	size  int // about how many bytes it holds
	group int // 0 if it is alone
}

// fits reports whether an entry can undo an act too: not the edit of another source.
func (e *entry) fits(a act) bool {
	edited, ok := a.payload.(*event.SourceEdited)
	return !ok || e.cell == "" || e.cell == edited.Cell
}

// add makes an entry undo one more act.
func (e *entry) add(a act) {
	if edited, ok := a.payload.(*event.SourceEdited); ok {
		e.cell, e.edit = edited.Cell, a.inverse
	}
	if a.back != nil {
		e.steps = append(e.steps, a.back)
	}
}

func (e *entry) empty() bool { return e.cell == "" && len(e.steps) == 0 }

// clears reports whether an entry only restores removed outputs.
func (e *entry) clears() bool {
	for _, s := range e.steps {
		if _, ok := s.(outputs); !ok {
			return false
		}
	}
	return e.cell == "" && len(e.steps) > 0
}

// touch adds the cells of an entry to a set. The notebook itself is the empty name.
func (e *entry) touch(cells map[event.CellID]bool) {
	if e.cell != "" {
		cells[e.cell] = true
	}
	for _, s := range e.steps {
		cells[s.of()] = true
	}
}

// touches reports whether a cell of an entry is in a set.
func (e *entry) touches(cells map[event.CellID]bool) bool {
	if e.cell != "" && cells[e.cell] {
		return true
	}
	for _, s := range e.steps {
		if cells[s.of()] {
			return true
		}
	}
	return false
}

// waits reports whether an entry has no effect now, but could after a deleted cell is restored. An entry that edits the
// source of such a cell waits as a whole, because edits keep their order.
func (e *entry) waits(n *notebook.Notebook) bool {
	if c := n.Cell(e.cell); c != nil && c.Deleted {
		return true
	}
	return !e.applies(n) && e.onTombstone(n)
}

// onTombstone reports whether a step would change a cell that is deleted.
func (e *entry) onTombstone(n *notebook.Notebook) bool {
	for _, s := range e.steps {
		if _, ok := s.(existence); ok {
			continue
		}
		if c := n.Cell(s.of()); c != nil && c.Deleted {
			return true
		}
	}
	return false
}

// applies reports whether an entry would change something now.
func (e *entry) applies(n *notebook.Notebook) bool {
	if e.cell != "" {
		c := n.Cell(e.cell)
		if c == nil || c.Deleted {
			return false
		}
		if !e.edit.IsZero() {
			return true
		}
	}
	for _, s := range e.steps {
		if s.payload(n) != nil {
			return true
		}
	}
	return false
}

// plan plans the undo of the entry, where still possible. Cells are restored before the edit and deleted after it, so a
// text that moves between cells is in one of them at every number of the log. They are deleted in the notebook's order.
func (e *entry) plan(p *plan) error {
	before, after := e.around()
	if err := planSteps(p, before); err != nil {
		return err
	}
	if e.cell != "" {
		if err := p.edit(e.cell, e.edit); err != nil {
			return err
		}
	}
	return planSteps(p, after)
}

// around returns the steps before and after the edit, in order.
func (e *entry) around() (before, after []step) {
	var others []step
	for _, s := range e.steps {
		exists, ok := s.(existence)
		switch {
		case ok && exists.deletes:
			after = append(after, s)
		case ok:
			before = append(before, s)
		default:
			others = append(others, s)
		}
	}
	slices.Reverse(before)
	slices.Reverse(others)
	return before, append(after, others...)
}

func planSteps(p *plan, steps []step) error {
	for _, s := range steps {
		payload := s.payload(p.notebook)
		if payload == nil {
			continue
		}
		if err := p.do(payload); err != nil {
			return err
		}
		if exists, ok := s.(existence); ok {
			p.acts[len(p.acts)-1].back = exists.reverse()
		}
	}
	return nil
}
