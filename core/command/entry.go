package command

import (
	"slices"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/text"
)

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
