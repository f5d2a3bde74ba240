package roomtest

import (
	"testing"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/core/text"
)

// NewCell returns the creation of an empty code cell.
func NewCell(id event.CellID) *event.CellCreated {
	return &event.CellCreated{Cell: id, Kind: event.KindCode, Order: "U"}
}

// CellWith returns the creation of a code cell with a source.
func CellWith(id event.CellID, source string) *event.CellCreated {
	return &event.CellCreated{Cell: id, Kind: event.KindCode, Order: "U", Source: source}
}

// CellAfter returns the creation of an empty code cell behind the others.
func CellAfter(id event.CellID) *event.CellCreated {
	return &event.CellCreated{Cell: id, Kind: event.KindCode, Order: "X"}
}

// Insert returns an edit of a cell that inserts a text.
func Insert(cell event.CellID, rev event.Rev, at int, s string) *event.SourceEdited {
	return &event.SourceEdited{Cell: cell, Rev: rev, Edit: text.Insert(at, s)}
}

// Request returns the request of one run.
func Request(run event.RunID, cell event.CellID) *event.RunRequested {
	return &event.RunRequested{Runs: []event.RunOf{{Run: run, Cell: cell}}}
}

// Offer returns the offer of a source by the run of [NewLoading].
func Offer(source string, replace bool) *event.SourceOffered {
	return &event.SourceOffered{Run: "r1", Epoch: 1, Cell: "made", Source: source, Replace: replace}
}

// Finish returns the end of a run.
func Finish(run event.RunID, epoch event.Epoch, status event.RunStatus) *event.RunFinished {
	return &event.RunFinished{Run: run, Epoch: epoch, Status: status}
}

// Printed returns an output with text of stdout.
func Printed(s string) event.Output {
	return event.Output{Kind: event.OutputStream, Stream: event.Stdout, Text: s}
}

// BatchOf returns the batch of an empty log with the events.
func BatchOf(t *testing.T, events ...event.Event) room.Batch {
	t.Helper()
	var b room.Batch
	for i := range events {
		data, err := event.Append(nil, &events[i])
		if err != nil {
			t.Fatal(err)
		}
		b.Records = append(b.Records, event.Record{Seq: events[i].Seq, Data: data})
	}
	return b
}
