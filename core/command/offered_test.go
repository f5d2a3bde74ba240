package command_test

import (
	"testing"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/command"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/text"
)

// offers lets a program offer a source during ada's run of cell a, and delivers the resulting events to all.
func (r *testRoom) offers(t *testing.T, run event.RunID, source string, replace bool) {
	t.Helper()
	steps := []event.Payload{
		&event.RuntimeStarted{Runtime: "rt", Takes: event.TakesCode},
		&event.RunAssigned{Run: run, Epoch: 1}, &event.RunStarted{Run: run, Epoch: 1},
		&event.SourceOffered{Run: run, Epoch: 1, Cell: "made", Source: source, Replace: replace},
	}
	if err := r.Submit(t.Context(), "runtime:rt", steps...); err != nil {
		t.Fatal(err)
	}
	if err := r.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.deliverAll()
}

func TestASourceThatWasOfferedIsUndoneAtOnce(t *testing.T) {
	r := newRoom(t)
	ada := r.join("ada", access.Owner)
	ada.create("a")
	ada.types("a", text.Insert(1, "1"))
	done := ada.do(&command.RunCells{Cells: []event.CellID{"a"}})
	r.deliverAll()
	r.offers(t, done.Result.Runs[0], "# a1\nx = 1", true)
	ada.wantSource("a", "# a1\nx = 1")
	ada.do(&command.Undo{})
	ada.wantSource("a", "a1")
	ada.do(&command.Redo{})
	ada.wantSource("a", "# a1\nx = 1")
	ada.do(&command.Undo{Cell: "a"}, &command.Undo{})
	ada.wantSource("a", "a")
	r.deliverAll()
}

func TestACellThatWasOfferedIsUndoneAtOnce(t *testing.T) {
	r := newRoom(t)
	ada := r.join("ada", access.Owner)
	ada.create("a", "b")
	done := ada.do(&command.RunCells{Cells: []event.CellID{"a"}})
	r.deliverAll()
	r.offers(t, done.Result.Runs[0], "x = 1", false)
	if got := ada.view().Cells(); len(got) != 3 || got[1] != "made" {
		t.Fatalf("got cells %v, want the one that was made in between", got)
	}
	ada.do(&command.Undo{})
	if got := ada.view().Cells(); len(got) != 2 {
		t.Errorf("after an undo got cells %v", got)
	}
	ada.do(&command.Redo{})
	ada.wantSource("made", "x = 1")
	r.deliverAll()
}
