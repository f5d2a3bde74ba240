package notebook

import (
	"maps"
	"slices"

	"github.com/quirehq/quire/core/event"
)

// token marks the rows that belong to one notebook alone. A row with another token is shared with a clone, and copied
// before it is changed.
type token struct{ _ byte }

// Clone returns an independent copy. It costs a copy of the tables, not of the
// rows: those are copied when one side changes them.
func (n *Notebook) Clone() *Notebook {
	return n.cloneWith(maps.Clone(n.cells), maps.Clone(n.runs), maps.Clone(n.outputs), nil)
}

// Reclone is Clone with the large tables of old, which must not be used any more. If old is the latest clone of n, they
// need only the rows that one of the two has written since, however many cells there are.
func (n *Notebook) Reclone(old *Notebook) *Notebook {
	if old == nil || n.pair == nil || old.pair != n.pair || n.written.many() || old.written.many() {
		return n.Clone()
	}
	for _, rows := range [][]Change{n.written, old.written} {
		for _, row := range rows {
			switch row.Table {
			case TableCells:
				copyRow(old.cells, n.cells, event.CellID(row.ID))
			case TableRuns:
				copyRow(old.runs, n.runs, event.RunID(row.ID))
			case TableOutputs:
				copyRow(old.outputs, n.outputs, event.OutputID(row.ID))
			}
		}
	}
	return n.cloneWith(old.cells, old.runs, old.outputs, old)
}

// copyRow gives a table the row of another one, or none if that has none.
func copyRow[ID comparable, Row any](to, from map[ID]Row, id ID) {
	if row, ok := from[id]; ok {
		to[id] = row
		return
	}
	delete(to, id)
}

// cloneWith returns a clone with tables that have the rows of n. The buffers of old, which may be nil, are used again.
func (n *Notebook) cloneWith(cells map[event.CellID]*Cell, runs map[event.RunID]*Run, outputs map[event.OutputID]*Output, old *Notebook) *Notebook {
	c := *n
	c.cells, c.runs, c.outputs = cells, runs, outputs
	c.order, c.written = nil, nil
	if old != nil {
		c.order, c.written = old.order[:0], old.written[:0]
	}
	c.order = append(c.order, n.order...)
	c.queue = slices.Clone(n.queue)
	c.metadata = maps.Clone(n.metadata)
	c.displays = maps.Clone(n.displays)
	c.runtimes = maps.Clone(n.runtimes)
	c.inputs = maps.Clone(n.inputs)
	c.approvals = maps.Clone(n.approvals)
	c.files = maps.Clone(n.files)
	c.comms = n.comms.clone()
	c.clients = n.clients.clone()
	c.token, n.token = new(token), new(token)
	c.pair, n.pair, n.written = c.token, c.token, n.written[:0]
	return &c
}

// written has the rows of the large tables that were created, replaced or removed since the notebook was cloned, or
// made as a clone, some maybe twice: the first [maxWritten] of them.
type written []Change

// maxWritten is the most rows for which a clone uses tables again.
const maxWritten = 256

func (w written) many() bool { return len(w) >= maxWritten }

// wrote records a row. It is called wherever one of the large tables is written to; a row is not changed in place
// before it was: it belongs to a clone as well.
func wrote[ID ~string](n *Notebook, t Table, id ID) {
	if n.pair != nil && !n.written.many() {
		n.written = append(n.written, Change{Table: t, ID: string(id)})
	}
}
