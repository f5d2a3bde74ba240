package view

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/replica"
)

// First returns what a page needs to show the first cells of a notebook, before it
// has a replica: all texts are at version 0.
func First(n *notebook.Notebook, cells int) *Batch {
	b := &Batch{Reset: true, First: true, Notebook: notebookRow(n), Queue: queue(n)}
	first := n.Cells()
	if len(first) > cells {
		first, b.Partial = first[:cells], true
	}
	for _, id := range first {
		c := n.Cell(id)
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
	b.Runtimes = runtimeRows(n)
	for _, id := range n.Inputs() {
		b.Inputs = append(b.Inputs, inputRow(n.Input(id)))
	}
	b.Status = &Status{Seq: n.Seq()}
	return b
}

func notebookRow(n *notebook.Notebook) *Notebook {
	return &Notebook{Title: n.Title(), Language: Language(n), Metadata: n.Metadata(), Cells: append([]event.CellID{}, n.Cells()...)}
}

// Language returns the language of the cells that name none: what the metadata of a
// Jupyter notebook says, else Python.
func Language(n *notebook.Notebook) string {
	var info struct{ Name, Language string }
	for _, key := range []string{"language_info", "kernelspec"} {
		info.Name, info.Language = "", ""
		if json.Unmarshal(n.Metadata()[key], &info) != nil {
			continue
		}
		if key == "language_info" && info.Name != "" {
			return strings.ToLower(info.Name)
		}
		if key == "kernelspec" && info.Language != "" {
			return strings.ToLower(info.Language)
		}
	}
	return "python"
}

func cellRow(c *notebook.Cell) Cell {
	return Cell{
		ID: c.ID, Kind: c.Kind, Language: c.Language, Author: c.Author, Deleted: c.Deleted,
		HideSource: c.HideSource, HideOutputs: c.HideOutputs, HideContext: c.HideContext,
		Metadata: c.Metadata, Outputs: slices.Clone(c.Outputs), Stale: c.Stale(), Run: c.Run, Count: c.Count,
	}
}

func runRow(r *notebook.Run) Run {
	return Run{
		ID: r.ID, Cell: r.Cell, Actor: r.Actor, Takes: r.Takes, State: r.State, Cancelled: r.Cancelled,
		Status: r.Status, Reason: r.Reason, Took: r.Took,
		Requested: r.Requested, Started: r.Started, Finished: r.Finished,
	}
}

func outputRow(o *notebook.Output) CellOutput {
	return CellOutput{ID: o.ID, Cell: o.Cell, Run: o.Run, Value: o.Value()}
}

func inputRow(in *notebook.Input) Input {
	return Input{
		ID: in.ID, Run: in.Run, Prompt: in.Prompt, Secret: in.Secret, Open: in.Open(), Answered: in.Answered, Value: in.Value,
	}
}

func runtimeRows(n *notebook.Notebook) []Runtime {
	var rows []Runtime
	for _, takes := range []event.Takes{event.TakesCode, event.TakesAI} {
		if r := n.Runtime(takes); r != nil {
			rows = append(rows, Runtime{
				ID: r.ID, Epoch: r.Epoch, Name: r.Name, Takes: r.Takes, Languages: r.Languages, Actor: r.Actor,
				State: r.State, Reason: r.Reason, Detail: r.Detail, Started: r.Started, Stopped: r.Stopped,
			})
		}
	}
	return rows
}

func queue(n *notebook.Notebook) *[]event.RunID {
	q := append([]event.RunID{}, n.Queue()...)
	return &q
}

// peers returns who is connected, sorted by client. Where this browser's own person
// is the page knows: telling it would be work at every key.
func peers(r *replica.Replica) []Peer {
	list := []Peer{}
	for id, p := range r.Peers() {
		row := Peer{Client: id, Actor: p.Actor, Presence: p.Presence, Self: id == r.Client()}
		if row.Self {
			row.Presence = replica.Presence{Name: p.Presence.Name}
		}
		list = append(list, row)
	}
	slices.SortFunc(list, func(a, b Peer) int { return strings.Compare(string(a.Client), string(b.Client)) })
	return list
}

// Link is what a host knows of a replica's connection and storage.
type Link struct {
	Trouble  string          // why there is no connection now
	Closed   *replica.Closed // why there will be none
	Unstored string          // why the browser keeps nothing
}

func status(r *replica.Replica, l Link) Status {
	s := Status{
		Seq: r.Confirmed().Seq(), Pending: r.Pending(), Online: r.Online(),
		Actor: r.Actor(), Role: r.Role(), Closed: l.Closed, Unstored: l.Unstored,
	}
	if !s.Online {
		s.Trouble = l.Trouble
	}
	return s
}
