package command

import (
	"reflect"
	"slices"
	"testing"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

// withoutStep are the edits that no step undoes: a source has the inverse of its edit, and no command makes the others.
var withoutStep = []event.Type{"SourceEdited", "FileAttached", "FileRemoved"}

func TestEachEditOfAUserHasAStepThatUndoesIt(t *testing.T) {
	n := notebook.New()
	for i, p := range []event.Payload{&event.NotebookTitled{Title: "t"}, &event.CellCreated{Cell: "c", Kind: event.KindCode, Order: "R"}} {
		if _, err := n.Apply(&event.Event{ID: event.ID{Client: "a", N: uint64(i + 1)}, Payload: p}, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, typ := range event.Types() {
		if action := access.ActionOf(typ); action != access.Edit && action != access.Manage {
			continue
		}
		payload := event.New(typ)
		fields := reflect.ValueOf(payload).Elem()
		if f := fields.FieldByName("Cell"); f.IsValid() {
			f.Set(reflect.ValueOf(event.CellID("c")))
		}
		if f := fields.FieldByName("Cells"); f.IsValid() {
			f.Set(reflect.ValueOf([]event.CellID{"c"}))
		}
		if undone := undoStep(n, payload) != nil; undone == slices.Contains(withoutStep, typ) {
			t.Errorf("%s: undone %t, want a step for it in plan.go or its type in withoutStep, and not both", typ, undone)
		}
	}
}
