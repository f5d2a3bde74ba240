// Package cellname finds the cells that command lines name: by an id, by the beginning of one, or by a position such as @1. Errors say
// how to name a cell, and how to restore a deleted one.
package cellname

import (
	"strconv"
	"strings"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/host/terminal"
)

// Find returns the cell that a command line names: by its id, by its position
// such as @1, or by the beginning of its id, which a deleted cell has when no other does.
func Find(n *notebook.Notebook, name string) (*notebook.Cell, error) {
	if c := n.Cell(event.CellID(name)); c != nil {
		return c, nil
	}
	if digits, ok := cutPosition(name); ok {
		return cellAt(n, name, digits)
	}
	var live []*notebook.Cell
	for _, id := range n.Cells() {
		live = append(live, n.Cell(id))
	}
	c, err := beginningWith(name, live)
	if c == nil && err == nil {
		c, err = beginningWith(name, n.Deleted())
	}
	if c == nil && err == nil {
		err = terminal.Fail(terminal.Denied, "there is no cell %q; `quire show` lists the cells, and with --deleted those that were deleted", name)
	}
	return c, err
}

// FindDeleted returns the cell that a command line names among those that are deleted, or the one
// with the whole id.
func FindDeleted(n *notebook.Notebook, name string) (*notebook.Cell, error) {
	if c := n.Cell(event.CellID(name)); c != nil {
		return c, nil
	}
	if _, ok := cutPosition(name); ok {
		return Find(n, name) // it has a position, so that it is not deleted
	}
	c, err := beginningWith(name, n.Deleted())
	if c == nil && err == nil {
		err = terminal.Fail(terminal.Denied, "there is no deleted cell %q; `quire show --deleted` lists them", name)
	}
	return c, err
}

// beginningWith returns the one cell whose id begins with a name, nil if there is none.
func beginningWith(name string, cells []*notebook.Cell) (*notebook.Cell, error) {
	var found []*notebook.Cell
	for _, c := range cells {
		if name != "" && strings.HasPrefix(string(c.ID), name) {
			found = append(found, c)
		}
	}
	switch len(found) {
	case 0:
		return nil, nil
	case 1:
		return found[0], nil
	}
	return nil, terminal.Fail(terminal.Usage, "cell %q could be any of %d, such as %s and %s: give more of the id", name, len(found), found[0].ID, found[1].ID)
}

// cutPosition takes the mark off a position. Both @ and # mark one; a shell needs
// quotes around the latter.
func cutPosition(name string) (digits string, ok bool) {
	if digits, ok = strings.CutPrefix(name, "@"); ok {
		return digits, true
	}
	return strings.CutPrefix(name, "#")
}

func cellAt(n *notebook.Notebook, name, digits string) (*notebook.Cell, error) {
	i, err := strconv.Atoi(digits)
	if err != nil || i < 1 {
		return nil, terminal.Fail(terminal.Usage, "cell %q is no position: the first is @1", name)
	}
	if i > len(n.Cells()) {
		return nil, terminal.Fail(terminal.Denied, "there is no cell %s: the notebook has %d", name, len(n.Cells()))
	}
	return n.Cell(n.Cells()[i-1]), nil
}

// FindLive is findCell for a cell that is not deleted.
func FindLive(n *notebook.Notebook, name string) (*notebook.Cell, error) {
	c, err := Find(n, name)
	if err == nil && c.Deleted {
		return nil, terminal.Fail(terminal.Denied, "cell %s is deleted; `quire restore NOTEBOOK %s` restores it", c.ID, c.ID)
	}
	return c, err
}
