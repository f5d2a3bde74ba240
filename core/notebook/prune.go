package notebook

import (
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/text"
)

// Present returns a copy without the past: the texts, outputs and metadata of deleted cells, the questions of their
// runs, and the sources of finished runs. Folding on from it gives the same notebook except for those, until a deleted
// cell is restored.
func (n *Notebook) Present() *Notebook {
	c := n.Clone()
	for _, cell := range n.cells {
		if cell.Deleted {
			c.emptyCell(c.ownCell(cell))
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
	c.sweepComms(nil) // some may have been shown by dropped outputs only
	return c
}

func (n *Notebook) emptyCell(c *Cell) {
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
