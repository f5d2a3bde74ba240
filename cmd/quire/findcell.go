package main

import (
	"strconv"
	"strings"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

// findCell returns the cell that a command line names: by its id, by its position
// such as @1, or by the beginning of its id.
func findCell(n *notebook.Notebook, name string) (*notebook.Cell, error) {
	if c := n.Cell(event.CellID(name)); c != nil {
		return c, nil
	}
	if digits, ok := cutPosition(name); ok {
		return cellAt(n, name, digits)
	}
	var found []event.CellID
	for _, id := range n.Cells() {
		if name != "" && strings.HasPrefix(string(id), name) {
			found = append(found, id)
		}
	}
	switch len(found) {
	case 1:
		return n.Cell(found[0]), nil
	case 0:
		return nil, fail(exitDenied, "there is no cell %q; `quire show` lists the cells, and with --deleted those that were deleted", name)
	}
	return nil, fail(exitUsage, "cell %q could be any of %d, such as %s and %s: give more of the id", name, len(found), found[0], found[1])
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
		return nil, fail(exitUsage, "cell %q is no position: the first is @1", name)
	}
	if i > len(n.Cells()) {
		return nil, fail(exitDenied, "there is no cell %s: the notebook has %d", name, len(n.Cells()))
	}
	return n.Cell(n.Cells()[i-1]), nil
}

// findLive is findCell for a cell that is not deleted.
func findLive(n *notebook.Notebook, name string) (*notebook.Cell, error) {
	c, err := findCell(n, name)
	if err == nil && c.Deleted {
		return nil, fail(exitDenied, "cell %s is deleted; `quire restore NOTEBOOK %s` restores it", c.ID, c.ID)
	}
	return c, err
}
