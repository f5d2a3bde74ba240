package view

import (
	"encoding/json"
	"slices"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
)

// First returns the batch that shows the first cells of a notebook to a page before it has a replica: all texts are at
// version 0. Its rows have about that many bytes at most; of a larger notebook it has fewer cells, and no metadata that
// exceeds them.
func First(n *notebook.Notebook, cells, bytes int) *Batch {
	b := &Batch{Reset: true, First: true, Notebook: notebookRow(n), Queue: queue(n)}
	left := bytes - sizeOf(b.Notebook.Metadata)
	if left < 0 {
		b.Notebook.Metadata, b.Partial, left = map[string]json.RawMessage{}, true, bytes
	}
	first := n.Cells()
	if len(first) > cells {
		first, b.Partial = first[:cells], true
	}
	for _, id := range first {
		c := n.Cell(id)
		if left -= cellSize(n, c); left < 0 {
			b.Partial = true
			break
		}
		row := cellRow(c)
		row.Text = &Text{Source: c.Source()}
		b.Cells = append(b.Cells, row)
		for _, o := range c.Outputs {
			b.Outputs = append(b.Outputs, outputRow(n.Output(o)))
		}
		if r := n.Run(c.Run); r != nil {
			b.Runs = append(b.Runs, runRow(r))
		}
	}
	b.Runtimes = runtimeRows(n, nil)
	for _, id := range n.Inputs() {
		b.Inputs = append(b.Inputs, inputRow(n.Input(id)))
	}
	for _, id := range n.Approvals() {
		if a := n.Approval(id); isOpen(n, a) {
			b.Approvals = append(b.Approvals, approvalRow(n, a))
		}
	}
	b.Status = &Status{Seq: n.Seq()}
	return b
}

// cellSize returns about how many bytes the rows of a cell have.
func cellSize(n *notebook.Notebook, c *notebook.Cell) int {
	size := c.Text().Bytes() + sizeOf(c.Metadata)
	for _, o := range c.Outputs {
		size += n.Output(o).Size()
	}
	return size
}

func sizeOf(m map[string]json.RawMessage) int {
	size := 0
	for key, value := range m {
		size += len(key) + len(value)
	}
	return size
}

func notebookRow(n *notebook.Notebook) *Notebook {
	return &Notebook{Title: n.Title(), Language: notebook.Language(n.Metadata()), Metadata: n.Metadata(), Cells: append([]event.CellID{}, n.Cells()...)}
}

func cellRow(c *notebook.Cell) Cell {
	return Cell{
		ID: c.ID, Kind: c.Kind, Language: c.Language, Author: c.Author, Deleted: c.Deleted, Deleter: c.Deleter,
		HideSource: c.HideSource, HideOutputs: c.HideOutputs, HideContext: c.HideContext,
		Metadata: c.Metadata, Outputs: slices.Clone(c.ShownOutputs()), Stale: c.Stale(), Run: c.Run, Count: c.Count,
	}
}

func runRow(r *notebook.Run) Run {
	return Run{
		ID: r.ID, Cell: r.Cell, Actor: r.Actor, Takes: r.Takes, Epoch: r.Epoch, State: r.State, Cancelled: r.Cancelled,
		Status: r.Status, Exited: r.Exited, Reason: r.Reason, Cause: r.Cause, Count: r.Count, Took: r.Duration(),
		Requested: r.Requested, Started: r.Started, Finished: r.Finished,
	}
}

func outputRow(o *notebook.Output) CellOutput {
	return CellOutput{ID: o.ID, Cell: o.Cell, Run: o.Run, Late: o.Late, Earlier: o.After != "", Value: o.Value()}
}

func inputRow(in *notebook.Input) Input {
	return Input{
		ID: in.ID, Run: in.Run, Prompt: in.Prompt, Secret: in.Secret, Open: in.Open(), Answered: in.Answered, Value: in.Value,
	}
}

func approvalRow(n *notebook.Notebook, a *notebook.Approval) Approval {
	row := Approval{
		ID: a.ID, Run: a.Run, Tool: a.Tool, Class: a.Class, Wait: a.Wait, Asked: a.Asked, Answer: a.Answer, Reason: a.Reason, Actor: a.Actor,
	}
	if isOpen(n, a) {
		row.Arguments, row.Diff = a.Arguments, a.Diff
	}
	return row
}

// isOpen reports whether an assistant may still wait for the answer.
func isOpen(n *notebook.Notebook, a *notebook.Approval) bool {
	run := n.Run(a.Run)
	return a.Answer == "" && run != nil && run.State != notebook.RunFinished
}

// runtimeRows returns the rows of the latest runtimes, given the kinds that are away.
func runtimeRows(n *notebook.Notebook, away []event.Takes) []Runtime {
	var rows []Runtime
	for _, takes := range event.Kinds() {
		if r := n.Runtime(takes); r != nil {
			rows = append(rows, Runtime{
				ID: r.ID, Epoch: r.Epoch, Name: r.Name, Takes: r.Takes, Languages: r.Languages, Actor: r.Actor, Brought: r.Brought,
				State: r.State, Away: slices.Contains(away, takes), Reason: r.Reason, Detail: r.Detail, Cause: r.Cause, Started: r.Started, Stopped: r.Stopped,
			})
		}
	}
	return rows
}

func queue(n *notebook.Notebook) *[]event.RunID {
	q := append([]event.RunID{}, n.Queue()...)
	return &q
}

// Link is the state of a replica's connection and storage, as the host knows it.
type Link struct {
	Trouble  string           // why there is no connection now
	Closed   *protocol.Closed // why it will not connect again
	Unstored string           // why the browser cannot persist the replica
}
