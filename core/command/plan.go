package command

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/order"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/text"
)

// plan has the events of a command before they are made. Each is tried on a copy of the view that has the earlier ones,
// so all are known to fit before the first is made.
type plan struct {
	notebook *notebook.Notebook // the view with the planned events
	role     access.Role
	newID    func() string
	acts     []act
	made     map[event.CellID]bool // cells that the plan creates
	buf      []byte                // for measuring
}

// act is a planned event, with its undo: a step, or for an edit of a source its inverse. A cell that the plan creates
// is undone as a whole.
type act struct {
	payload event.Payload
	back    step
	inverse text.Edit
}

func (x *Executor) plan() *plan {
	return &plan{
		notebook: x.replica.View().Clone(), role: x.replica.Role(), newID: x.newID, made: map[event.CellID]bool{},
	}
}

func (p *plan) do(payload event.Payload) error {
	if err := may(p.role, access.ActionFor(payload)); err != nil {
		return err
	}
	if err := payload.Check(); err != nil {
		return err
	}
	if err := p.measure(payload); err != nil {
		return err
	}
	a, err := p.reversible(payload)
	if err != nil {
		return err
	}
	ahead := event.Event{ID: event.ID{Client: "plan", N: uint64(len(p.acts) + 1)}, Payload: payload}
	if _, err := p.notebook.Apply(&ahead, nil); err != nil {
		return err
	}
	if created, ok := payload.(*event.CellCreated); ok {
		p.made[created.Cell] = true
	}
	p.acts = append(p.acts, a)
	return nil
}

// reversible determines the undo of an event, before it is applied.
func (p *plan) reversible(payload event.Payload) (act, error) {
	a := act{payload: payload}
	if e, ok := payload.(*event.SourceEdited); ok {
		c := p.notebook.Cell(e.Cell)
		if c == nil {
			return a, noCell(e.Cell)
		}
		var err error
		a.inverse, err = e.Edit.Invert(c.Text())
		return a, err
	}
	if back := undoStep(p.notebook, payload); back != nil && !p.made[back.of()] {
		a.back = back
	}
	return a, nil
}

// undoStep returns the step that undoes an event, from the notebook before it. It is nil if the event cannot be undone.
func undoStep(n *notebook.Notebook, payload event.Payload) step {
	switch p := payload.(type) {
	case *event.CellCreated:
		return existence{about(p.Cell), true, fingerprint(p.Source)}
	case *event.NotebookTitled:
		if n.Title() == "" {
			return nil // no event removes a title
		}
		return title{was: n.Title(), set: p.Title}
	case *event.NotebookMetadataSet:
		return metadata{key: p.Key, was: n.Metadata()[p.Key], set: p.Value}
	}
	if c := n.Cell(cellOf(payload)); c != nil {
		return cellUndoStep(n, c, payload)
	}
	return nil
}

// cellOf returns the cell that a reversible event changes.
func cellOf(payload event.Payload) event.CellID {
	switch p := payload.(type) {
	case *event.CellDeleted:
		return p.Cell
	case *event.CellRestored:
		return p.Cell
	case *event.CellMoved:
		return p.Cell
	case *event.CellKindChanged:
		return p.Cell
	case *event.CellLanguageChanged:
		return p.Cell
	case *event.CellVisibilitySet:
		return p.Cell
	case *event.CellMetadataSet:
		return p.Cell
	case *event.OutputsImported:
		return p.Cell
	case *event.CellOutputsCleared:
		if len(p.Cells) == 1 {
			return p.Cells[0]
		}
	}
	return ""
}

// cellUndoStep is undoStep for an event that changes a cell.
func cellUndoStep(n *notebook.Notebook, c *notebook.Cell, payload event.Payload) step {
	switch p := payload.(type) {
	case *event.CellDeleted:
		return existence{about(c.ID), false, fingerprint(c.Source())}
	case *event.CellRestored:
		return existence{about(c.ID), true, fingerprint(c.Source())}
	case *event.CellMoved:
		return place{about(c.ID), c.Order, p.Order}
	case *event.CellKindChanged:
		return kind{about(c.ID), c.Kind, p.Kind}
	case *event.CellLanguageChanged:
		return language{about(c.ID), c.Language, p.Language}
	case *event.CellVisibilitySet:
		return visibility{about(c.ID), visible(c), *p}
	case *event.CellMetadataSet:
		return metadata{about(c.ID), p.Key, c.Metadata[p.Key], p.Value}
	case *event.OutputsImported:
		return outputs{about(c.ID), outputsOf(n, c), c.Count, len(p.Outputs), p.Count, c.Run}
	case *event.CellOutputsCleared:
		return clearUndoStep(n, c, p)
	}
	return nil
}

// clearUndoStep returns the step that restores removed outputs of a cell.
func clearUndoStep(n *notebook.Notebook, c *notebook.Cell, p *event.CellOutputsCleared) step {
	s := outputs{about: about(c.ID), was: outputsOf(n, c), count: c.Count, setCount: c.Count, run: c.Run}
	if !p.Reset {
		return s
	}
	s.setCount = 0
	if r := n.Run(c.Run); r != nil && r.State == notebook.RunFinished {
		s.run = ""
	}
	return s
}

// slack bounds the bytes of a message around an event.
const slack = 64

// measure refuses an event that is too large for a message.
func (p *plan) measure(payload event.Payload) error {
	id := event.ID{Client: "plan", N: math.MaxUint64}
	data, err := event.AppendDraft(p.buf[:0], &event.Draft{ID: id, Payload: payload})
	if err != nil {
		return err
	}
	p.buf = data
	if n := len(data) + event.MaxName + slack; n > protocol.MaxMessage {
		return fmt.Errorf("%s takes %d bytes, and no more than %d MiB can be sent at once: do it in smaller parts",
			payload.Type(), n, protocol.MaxMessage>>20)
	}
	return nil
}

func (p *plan) edit(cell event.CellID, edit text.Edit) error {
	if edit.IsZero() {
		return nil
	}
	c := p.notebook.Cell(cell)
	if c == nil {
		return noCell(cell)
	}
	return p.do(&event.SourceEdited{Cell: cell, Rev: c.Rev, Edit: edit})
}

// cellsOf returns the cells of a command, each once. They exist, but may be deleted.
func (p *plan) cellsOf(cells []event.CellID) ([]event.CellID, error) {
	if len(cells) == 0 {
		return nil, fmt.Errorf("no cell is named: select one first")
	}
	seen := make(map[event.CellID]bool, len(cells))
	var all []event.CellID
	for _, id := range cells {
		if p.notebook.Cell(id) == nil {
			return nil, noCell(id)
		}
		if !seen[id] {
			seen[id] = true
			all = append(all, id)
		}
	}
	return all, nil
}

// live returns the cells of a command that are not deleted, in the order of the notebook. It is an error if all are
// deleted.
func (p *plan) live(cells []event.CellID) ([]event.CellID, error) {
	all, err := p.cellsOf(cells)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(id event.CellID) bool { return p.notebook.Cell(id).Deleted })
	if len(all) == 0 {
		return nil, fmt.Errorf("cell %s is deleted: restore it first", cells[0])
	}
	return p.sorted(all), nil
}

// sorted sorts cells by their places, and removes duplicates.
func (p *plan) sorted(cells []event.CellID) []event.CellID {
	slices.SortFunc(cells, func(a, b event.CellID) int {
		return cmp.Or(order.Compare(p.notebook.Cell(a).Place(), p.notebook.Cell(b).Place()), cmp.Compare(a, b))
	})
	return slices.Compact(cells)
}

func noCell(id event.CellID) error { return fmt.Errorf("there is no cell %s", id) }

// may returns an error if a role may not do an action. A replica that was never connected has no role, and its room
// decides later.
func may(role access.Role, action access.Action) error {
	if role == "" || role.May(action) {
		return nil
	}
	article := "a"
	if role == access.Owner || role == access.Editor {
		article = "an"
	}
	what := "change the notebook"
	switch action {
	case access.Run:
		what = "run cells"
	case access.Manage:
		what = "rename the notebook"
	}
	return fmt.Errorf("%s %s may not %s: ask its owner", article, role, what)
}
