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

// OutputsOf returns the outputs that a cell has of a run.
func OutputsOf(n *notebook.Notebook, cell event.CellID, run event.RunID) []event.Output {
	c := n.Cell(cell)
	if c == nil {
		return nil
	}
	var outputs []event.Output
	for _, id := range c.Outputs {
		if out := n.Output(id); out.Run == run {
			outputs = append(outputs, out.Value())
		}
	}
	return outputs
}

// WriteEnded writes how a run ended as a line.
func WriteEnded(w io.Writer, o Outcome) error {
	e := endedRun{
		Cell: o.Cell, Position: o.Position, Run: o.Run, Status: o.Status, Started: o.Started, Failed: o.IsBad(), Reason: o.Reason, Cause: o.Cause,
		Count: o.Count, Took: o.Took.Milliseconds(), Outputs: o.Outputs,
	}
	if e.Outputs == nil {
		e.Outputs = []event.Output{}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(e)
}
