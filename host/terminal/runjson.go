package terminal

import (
	"encoding/json"
	"io"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

// endedRun is how a run ended, for scripts: a line of JSON each. docs/automation.md has its
// members.
type endedRun struct {
	Cell     event.CellID    `json:"cell"`
	Position int             `json:"position,omitempty"` // from 1; none if the cell is gone
	Run      event.RunID     `json:"run"`
	Status   event.RunStatus `json:"status"`
	Started  bool            `json:"started"` // its code began to execute
	Failed   bool            `json:"failed"`  // it counts for the exit code
	Reason   string          `json:"reason,omitempty"`
	Cause    event.Cause     `json:"cause,omitempty"`
	Count    int             `json:"count,omitempty"`
	Took     int64           `json:"took"` // milliseconds
	Outputs  []event.Output  `json:"outputs"`
}

// endedRunOf returns it with the outputs that the notebook has of the run now.
func endedRunOf(n *notebook.Notebook, o Outcome) endedRun {
	e := endedRun{
		Cell: o.Cell, Position: o.Position, Run: o.Run, Status: o.Status, Started: o.Started, Failed: o.IsBad(), Reason: o.Reason, Cause: o.Cause,
		Took: o.Took.Milliseconds(), Outputs: []event.Output{},
	}
	if r := n.Run(o.Run); r != nil {
		e.Count = r.Count
	}
	c := n.Cell(o.Cell)
	if c == nil {
		return e
	}
	for _, id := range c.Outputs {
		if out := n.Output(id); out.Run == o.Run {
			e.Outputs = append(e.Outputs, out.Value())
		}
	}
	return e
}

// WriteEnded writes how a run ended as a line.
func WriteEnded(w io.Writer, n *notebook.Notebook, o Outcome) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(endedRunOf(n, o))
}
