package notebook

import (
	"maps"
	"slices"
)

// Clone returns an independent copy. It costs a copy of the tables, not of the
// rows: those are copied when one side changes them.
func (n *Notebook) Clone() *Notebook {
	c := *n
	c.metadata = maps.Clone(n.metadata)
	c.cells = maps.Clone(n.cells)
	c.order = slices.Clone(n.order)
	c.runs = maps.Clone(n.runs)
	c.queue = slices.Clone(n.queue)
	c.outputs = maps.Clone(n.outputs)
	c.displays = maps.Clone(n.displays)
	c.runtimes = maps.Clone(n.runtimes)
	c.inputs = maps.Clone(n.inputs)
	c.approvals = maps.Clone(n.approvals)
	c.files = maps.Clone(n.files)
	c.comms = n.comms.clone()
	c.clients = n.clients.clone()
	c.token = new(token)
	n.token = new(token)
	return &c
}
