package params

import (
	"encoding/json"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

// RecordKey has, in the metadata of a notebook and of its cells, what papermill says of an
// execution. What reads its results takes the parameters and the status from there.
const RecordKey = "papermill"

// Record is the record of the run of a file with parameters, or of one that came
// with papermill's record of an earlier run.
type Record struct {
	In, Out string // the names of the files
	Params  List
	Timed   bool   // times are recorded
	Version string // of the program
	Began   time.Time
	ended   time.Time // zero while the file runs
}

// executedBook and executedCell are the metadata that papermill adds to a notebook and to a cell.
type (
	executedBook struct {
		Start      *string                    `json:"start_time"`
		End        *string                    `json:"end_time"`
		Duration   *float64                   `json:"duration"` // seconds
		Exception  *bool                      `json:"exception"`
		Parameters map[string]json.RawMessage `json:"parameters"`
		In         string                     `json:"input_path"`
		Out        string                     `json:"output_path"`
		Version    string                     `json:"version"`
	}
	executedCell struct {
		Start     *string  `json:"start_time"`
		End       *string  `json:"end_time"`
		Duration  *float64 `json:"duration"`
		Exception *bool    `json:"exception"`
		Status    string   `json:"status"`
	}
)

// The states of a cell.
const (
	cellPending   = "pending"
	cellRunning   = "running"
	cellCompleted = "completed"
	cellFailed    = "failed"
)

// HasRecord reports whether a notebook has papermill's record of a run.
func HasRecord(n *notebook.Notebook) bool { return n.Metadata()[RecordKey] != nil }

// End notes when the run has ended.
func (p *Record) End(at time.Time) {
	if p != nil {
		p.ended = at
	}
}

// Events returns the events that put the record into a copy of the notebook. It is final once the
// run has ended, and nothing of a nil record.
func (p *Record) Events(n *notebook.Notebook) ([]event.Payload, error) {
	if p == nil {
		return nil, nil
	}
	book := executedBook{
		Parameters: map[string]json.RawMessage{}, In: p.In, Out: p.Out, Version: p.Version,
	}
	book.Start, book.End, book.Duration = p.span(p.Began, p.ended)
	for _, given := range p.Params {
		book.Parameters[given.Name] = given.Value
	}
	var said []event.Payload
	for _, id := range n.Cells() {
		cell := p.cell(n.Run(n.Cell(id).Run), book.Exception != nil)
		if cell.Status == cellFailed {
			book.Exception = cell.Exception
		}
		value, err := json.Marshal(cell)
		if err != nil {
			return nil, err
		}
		said = append(said, &event.CellMetadataSet{Cell: id, Key: RecordKey, Value: value})
	}
	value, err := json.Marshal(book)
	if err != nil {
		return nil, err
	}
	return append(said, &event.NotebookMetadataSet{Key: RecordKey, Value: value}), nil
}

// cell returns what is said of a cell with its run, if it has one. One that does not run is
// completed with the file, unless one before it has failed.
func (p *Record) cell(r *notebook.Run, failed bool) executedCell {
	if r == nil || r.Started == 0 {
		if p.ended.IsZero() || failed || r != nil {
			return executedCell{Status: cellPending}
		}
		return executedCell{Status: cellCompleted}
	}
	c := executedCell{Status: cellRunning, Exception: new(bool)}
	c.Start, c.End, c.Duration = p.span(timeOf(r.Started), timeOf(r.Finished))
	switch {
	case r.State != notebook.RunFinished:
	case r.Status == event.StatusOK, r.Status == event.StatusError && r.MayFail:
		c.Status = cellCompleted
	default:
		c.Status, *c.Exception = cellFailed, true
	}
	return c
}

// timeOf returns a time of the log, zero if it has not come.
func timeOf(at event.Time) time.Time {
	if at == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(at))
}

// span returns two times as papermill writes them, and the seconds between them: nothing of
// what has not come or is not wanted.
func (p *Record) span(began, ended time.Time) (start, end *string, seconds *float64) {
	if !p.Timed {
		return nil, nil, nil
	}
	text := func(at time.Time) *string {
		if at.IsZero() {
			return nil
		}
		s := at.UTC().Format("2006-01-02T15:04:05.000000")
		return &s
	}
	if !ended.IsZero() {
		took := ended.Sub(began).Round(time.Microsecond).Seconds()
		seconds = &took
	}
	return text(began), text(ended), seconds
}
