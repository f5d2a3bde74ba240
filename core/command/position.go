package command

import (
	"cmp"
	"errors"
	"slices"

	"github.com/quirehq/quire/core/event"
)

var errTwoPlaces = errors.New("two places are named: say before which cell or after which, not both")

// gap returns the index that the position of a command is before.
func (p *plan) gap(after, before event.CellID) (int, error) {
	id := cmp.Or(after, before)
	switch {
	case after != "" && before != "":
		return 0, errTwoPlaces
	case id == "":
		return len(p.notebook.Cells()), nil
	}
	c := p.notebook.Cell(id)
	if c == nil {
		return 0, noCell(id)
	}
	i := p.notebook.Index(c)
	if id == after && !c.Deleted {
		i++
	}
	return i, nil
}

// inPlaceOf returns the cell at the old position of the first of some deleted cells, or the last cell. There is none
// when all are deleted.
func (p *plan) inPlaceOf(deleted []event.CellID) []event.CellID {
	left := p.notebook.Cells()
	if len(deleted) == 0 || len(left) == 0 {
		return nil
	}
	first := p.sorted(slices.Clone(deleted))[0]
	return []event.CellID{left[min(p.notebook.Index(p.notebook.Cell(first)), len(left)-1)]}
}

func (c *MoveCells) plan(p *plan) (Result, error) {
	block, err := p.live(c.Cells)
	if err != nil {
		return Result{}, err
	}
	gap, err := p.gap(c.After, c.Before)
	if err != nil {
		return Result{}, err
	}
	last := p.lastBeside(gap, block)
	for _, id := range block {
		if err := p.moveBehind(id, last); err != nil {
			return Result{}, err
		}
		last = id
	}
	return Result{Cells: block}, nil
}

// lastBeside returns the last cell before an index that is not in a block, or "".
func (p *plan) lastBeside(i int, block []event.CellID) event.CellID {
	in := make(map[event.CellID]bool, len(block))
	for _, id := range block {
		in[id] = true
	}
	for _, id := range slices.Backward(p.notebook.Cells()[:i]) {
		if !in[id] {
			return id
		}
	}
	return ""
}

// moveBehind moves a cell to right after another, or to the start, unless it is there.
func (p *plan) moveBehind(id, last event.CellID) error {
	at := 0
	if last != "" {
		at = p.notebook.Index(p.notebook.Cell(last)) + 1
	}
	if cells := p.notebook.Cells(); at < len(cells) && cells[at] == id {
		return nil
	}
	key, err := p.notebook.Between(at)
	if err != nil {
		return err
	}
	return p.do(&event.CellMoved{Cell: id, Order: key})
}
