package notebook

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/order"
	"github.com/quirehq/quire/core/text"
)

// Cell is a row of the notebook: a source with the outputs of its runs.
type Cell struct {
	ID       event.CellID
	Kind     event.CellKind
	Language string // empty for the notebook's language
	Order    order.Key
	Author   event.Actor // who created it
	Deleted  bool        // a tombstone, which CellRestored restores
	Deleter  event.Actor // who deleted it, if the event was folded: snapshots do not have it

	source *text.Text
	Rev    event.Rev // the number of edits that the source has taken

	HideSource, HideOutputs, HideContext bool

	Metadata map[string]json.RawMessage

	Outputs []event.OutputID // in the order in which they came
	Run     event.RunID      // the latest that was requested, empty if none
	Began   event.RunID      // the latest that started, empty if none
	Count   int              // the execution count of the last run that finished, 0 if none
	clear   clearing

	token *token
}

// clearing says when the outputs of a cell are removed.
type clearing uint8

const (
	clearNone   clearing = iota
	clearWait            // when the next output comes: the program asked for it
	clearRunEnd          // when the next output comes, or the run ends: they are of an earlier run
)

// Source returns the cell's text.
func (c *Cell) Source() string { return c.source.String() }

// Text returns the cell's text in the form that edits apply to. It must not be changed; a clone of it may.
func (c *Cell) Text() *text.Text { return c.source }

// Stale reports whether the cell's outputs are of an earlier run than the one
// that is executing.
func (c *Cell) Stale() bool { return c.clear == clearRunEnd && len(c.Outputs) > 0 }

// Place returns the cell's place in the order of cells.
func (c *Cell) Place() order.Place { return order.Place{Key: c.Order, ID: string(c.ID)} }

// Cells returns the ids of the cells that are not deleted, in their order.
func (n *Notebook) Cells() []event.CellID { return n.order }

// Deleted returns the deleted cells, ordered by their old places.
func (n *Notebook) Deleted() []*Cell {
	var gone []*Cell
	for _, c := range n.cells {
		if c.Deleted {
			gone = append(gone, c)
		}
	}
	slices.SortFunc(gone, func(a, b *Cell) int {
		return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.ID, b.ID))
	})
	return gone
}

// Cell returns a cell, deleted or not, or nil if it was never created.
func (n *Notebook) Cell(id event.CellID) *Cell { return n.cells[id] }

// cell returns a cell that may be changed.
func (n *Notebook) cell(id event.CellID) (*Cell, error) {
	c := n.cells[id]
	if c == nil {
		return nil, notFound("cell", id)
	}
	return n.ownCell(c), nil
}

// ownCell returns c if no clone shares it, else a copy in its place.
func (n *Notebook) ownCell(c *Cell) *Cell {
	if c.token == n.token {
		return c
	}
	own := *c
	own.source = c.source.Clone()
	own.Outputs = slices.Clone(c.Outputs)
	own.Metadata = maps.Clone(c.Metadata)
	own.token = n.token
	n.cells[c.ID] = &own
	wrote(n, TableCells, c.ID)
	return &own
}

// foldCells folds an event of the family of cells.
func (n *Notebook) foldCells(e *event.Event, dst []Change) (d []Change, known bool, err error) {
	switch p := e.Payload.(type) {
	case *event.SourceEdited:
		dst, err = n.sourceEdited(p, dst)
	case *event.CellCreated:
		dst, err = n.cellCreated(p, e, dst)
	case *event.CellKindChanged:
		dst, err = n.cellKindChanged(p, dst)
	case *event.CellLanguageChanged:
		dst, err = n.cellLanguageChanged(p, dst)
	case *event.CellMoved:
		dst, err = n.cellMoved(p, dst)
	case *event.CellDeleted:
		dst, err = n.cellDeleted(p, e, dst)
	case *event.CellRestored:
		dst, err = n.cellRestored(p, dst)
	case *event.CellVisibilitySet:
		dst, err = n.cellVisibilitySet(p, dst)
	case *event.CellMetadataSet:
		dst, err = n.cellMetadataSet(p, dst)
	default:
		return dst, false, nil
	}
	return dst, true, err
}

func (n *Notebook) cellCreated(p *event.CellCreated, e *event.Event, dst []Change) ([]Change, error) {
	if n.cells[p.Cell] != nil {
		return dst, conflict("cell %s exists already", p.Cell)
	}
	c := &Cell{
		ID: p.Cell, Kind: p.Kind, Language: p.Language, Order: p.Order, Author: e.Actor,
		source: text.NewText(p.Source), token: n.token,
	}
	n.cells[c.ID] = c
	wrote(n, TableCells, c.ID)
	n.insertCell(c)
	return append(changed(dst, TableCells, c.ID), Change{Table: TableNotebook}), nil
}

func (n *Notebook) sourceEdited(p *event.SourceEdited, dst []Change) ([]Change, error) {
	c := n.cells[p.Cell]
	if c == nil {
		return dst, notFound("cell", p.Cell)
	}
	if p.Rev != c.Rev {
		return dst, conflict("the edit is of revision %d of cell %s, which has revision %d", p.Rev, p.Cell, c.Rev)
	}
	c = n.ownCell(c)
	if err := c.source.Apply(p.Edit); err != nil {
		return dst, invalid("the edit does not fit cell %s: %v", p.Cell, err)
	}
	c.Rev++
	return changed(dst, TableCells, c.ID), nil
}

func (n *Notebook) cellKindChanged(p *event.CellKindChanged, dst []Change) ([]Change, error) {
	c, err := n.cell(p.Cell)
	if err != nil {
		return dst, err
	}
	c.Kind = p.Kind
	return changed(dst, TableCells, c.ID), nil
}

func (n *Notebook) cellLanguageChanged(p *event.CellLanguageChanged, dst []Change) ([]Change, error) {
	c, err := n.cell(p.Cell)
	if err != nil {
		return dst, err
	}
	c.Language = p.Language
	return changed(dst, TableCells, c.ID), nil
}

func (n *Notebook) cellMoved(p *event.CellMoved, dst []Change) ([]Change, error) {
	c, err := n.cell(p.Cell)
	if err != nil {
		return dst, err
	}
	if !c.Deleted {
		n.removeCell(c)
	}
	c.Order = p.Order
	if c.Deleted {
		return changed(dst, TableCells, c.ID), nil
	}
	n.insertCell(c)
	return append(changed(dst, TableCells, c.ID), Change{Table: TableNotebook}), nil
}

func (n *Notebook) cellDeleted(p *event.CellDeleted, e *event.Event, dst []Change) ([]Change, error) {
	c, err := n.cell(p.Cell)
	if err != nil {
		return dst, err
	}
	if c.Deleted {
		return dst, conflict("cell %s is deleted already", p.Cell)
	}
	n.removeCell(c)
	c.Deleted, c.Deleter = true, e.Actor
	return append(changed(dst, TableCells, c.ID), Change{Table: TableNotebook}), nil
}

func (n *Notebook) cellRestored(p *event.CellRestored, dst []Change) ([]Change, error) {
	c, err := n.cell(p.Cell)
	if err != nil {
		return dst, err
	}
	if !c.Deleted {
		return dst, conflict("cell %s is not deleted", p.Cell)
	}
	c.Deleted, c.Deleter = false, ""
	n.insertCell(c)
	return append(changed(dst, TableCells, c.ID), Change{Table: TableNotebook}), nil
}

func (n *Notebook) cellVisibilitySet(p *event.CellVisibilitySet, dst []Change) ([]Change, error) {
	c, err := n.cell(p.Cell)
	if err != nil {
		return dst, err
	}
	setHidden(&c.HideSource, p.Source)
	setHidden(&c.HideOutputs, p.Outputs)
	setHidden(&c.HideContext, p.Context)
	return changed(dst, TableCells, c.ID), nil
}

// setHidden sets a flag to the opposite of visible, unless that is nil.
func setHidden(flag *bool, visible *bool) {
	if visible != nil {
		*flag = !*visible
	}
}

func (n *Notebook) cellMetadataSet(p *event.CellMetadataSet, dst []Change) ([]Change, error) {
	c, err := n.cell(p.Cell)
	if err != nil {
		return dst, err
	}
	if c.Metadata == nil {
		c.Metadata = map[string]json.RawMessage{}
	}
	setMetadata(c.Metadata, p.Key, p.Value)
	return changed(dst, TableCells, c.ID), nil
}

// insertCell inserts a cell into the order.
func (n *Notebook) insertCell(c *Cell) {
	i, _ := n.search(c)
	n.order = slices.Insert(n.order, i, c.ID)
}

// removeCell removes a cell from the order.
func (n *Notebook) removeCell(c *Cell) {
	if i, ok := n.search(c); ok {
		n.order = slices.Delete(n.order, i, i+1)
	}
}

// Index returns the index of a cell in [Notebook.Cells]; of a deleted cell, the index that it would have.
func (n *Notebook) Index(c *Cell) int {
	i, _ := n.search(c)
	return i
}

// search returns the index of a cell in the order, or the index to insert it at, and whether it is there.
func (n *Notebook) search(c *Cell) (int, bool) {
	return slices.BinarySearchFunc(n.order, c, func(id event.CellID, c *Cell) int {
		return compare(n.cells[id], c)
	})
}

// compare orders cells by their places. Malformed keys can give two cells one place; their ids break the tie.
func compare(a, b *Cell) int {
	return cmp.Or(order.Compare(a.Place(), b.Place()), cmp.Compare(a.ID, b.ID))
}

// Between returns a key for a cell that goes after the cell with the index i-1
// and before the one with the index i of [Notebook.Cells].
func (n *Notebook) Between(i int) (order.Key, error) {
	var lo, hi order.Place
	if i > 0 {
		lo = n.cells[n.order[i-1]].Place()
	}
	if i < len(n.order) {
		hi = n.cells[n.order[i]].Place()
	}
	return order.Between(lo, hi)
}
