package notebook

import (
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/text"
)

// Present returns a copy without what only was: the texts, outputs and metadata of cells that
// are deleted, what their runs asked, and the sources that finished runs had. Who folds on
// from it has the same notebook but for those, until a deleted cell is restored.
func (n *Notebook) Present() *Notebook {
	c := n.Clone()
	for _, cell := range n.cells {
		if cell.Deleted {
			c.empty(c.ownCell(cell))
		}
	}
	for _, run := range n.runs {
		if run.State == RunFinished && run.Source != "" {
			c.ownRun(run).Source = ""
		}
	}
	for id, in := range n.inputs {
		if !c.isPresent(in.Run) {
			delete(c.inputs, id)
		}
	}
	for id, a := range n.approvals {
		if !c.isPresent(a.Run) {
			delete(c.approvals, id)
		}
	}
	c.sweepComms(nil) // some may have been shown by what is gone only
	return c
}

func (n *Notebook) empty(c *Cell) {
	for _, id := range c.Outputs {
		n.dropOutput(id)
	}
	c.source, c.Outputs, c.Metadata, c.Rev, c.clear = text.NewText(""), nil, nil, 0, clearNone
}

// isPresent reports whether the cell of a run is not deleted.
func (n *Notebook) isPresent(run event.RunID) bool {
	r := n.runs[run]
	return r != nil && n.cells[r.Cell] != nil && !n.cells[r.Cell].Deleted
}
