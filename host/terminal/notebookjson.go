package terminal

import (
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

// Notebook is the JSON form of a notebook for scripts.
type Notebook struct {
	ID       string    `json:"id"`
	Title    string    `json:"title"`
	Seq      event.Seq `json:"seq"`
	Runtimes []Runtime `json:"runtimes,omitempty"`
	Cells    []Cell    `json:"cells"`
}

// Runtime is a runtime of a [Notebook] that has not stopped.
type Runtime struct {
	ID      event.RuntimeID       `json:"id"`
	Name    string                `json:"name,omitempty"`
	Takes   event.Takes           `json:"takes"`
	State   notebook.RuntimeState `json:"state"`
	Brought event.Actor           `json:"brought,omitempty"` // who connected it, missing if the server did
}

// Cell is a cell of a [Notebook].
type Cell struct {
	ID       event.CellID   `json:"id"`
	Kind     event.CellKind `json:"kind"`
	Language string         `json:"language,omitempty"`
	Source   string         `json:"source"`
	Count    int            `json:"count,omitempty"`
	Run      *Run           `json:"run,omitempty"`
	Outputs  []event.Output `json:"outputs"`
}

// Run is the latest run of a [Cell].
type Run struct {
	ID     event.RunID       `json:"id"`
	State  notebook.RunState `json:"state"`
	Status event.RunStatus   `json:"status,omitempty"`
	Reason string            `json:"reason,omitempty"`
	Cause  event.Cause       `json:"cause,omitempty"`
	Took   int64             `json:"took,omitempty"`
}

// NotebookOf returns a notebook for scripts.
func NotebookOf(id string, n *notebook.Notebook) *Notebook {
	out := &Notebook{ID: id, Title: n.Title(), Seq: n.Seq(), Cells: []Cell{}}
	for _, rt := range runtimesOf(n) {
		out.Runtimes = append(out.Runtimes, Runtime{rt.ID, rt.Name, rt.Takes, rt.State, rt.Brought})
	}
	for _, cell := range n.Cells() {
		out.Cells = append(out.Cells, CellOf(n, n.Cell(cell)))
	}
	return out
}

// CellOf returns a cell for scripts.
func CellOf(n *notebook.Notebook, c *notebook.Cell) Cell {
	s := Cell{
		ID: c.ID, Kind: c.Kind, Language: c.Language, Source: c.Source(), Count: c.Count, Outputs: []event.Output{},
	}
	if r := n.Run(c.Run); r != nil {
		s.Run = &Run{ID: r.ID, State: r.State, Status: r.Status, Reason: whyEnded(r.Cause, r.Reason), Cause: r.Cause, Took: r.Duration()}
	}
	for _, id := range c.ShownOutputs() {
		s.Outputs = append(s.Outputs, n.Output(id).Value())
	}
	return s
}
