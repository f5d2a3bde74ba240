package room_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/room/roomtest"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/room"
)

func TestSY9TheClientOfAnotherCannotBeHad(t *testing.T) {
	for name, test := range map[string]struct {
		actor event.Actor
		role  access.Role
		hello protocol.Hello
	}{
		"by a viewer":                       {"person:eve", access.Viewer, protocol.Hello{Client: "ada"}},
		"by an owner of another name":       {"person:eve", access.Owner, protocol.Hello{Client: "ada"}},
		"by a runtime that a person brings": {"person:ada", access.Owner, protocol.Hello{Client: "ada", Runtime: "rt"}},
		"by another's runtime":              {"runtime:rt", access.Runtime, protocol.Hello{Client: "ada", Runtime: "rt"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := roomtest.NewSequencer(t, nil)
			ada := d.AddPerson("ada", access.Editor)
			wantClosed(t, d.Connect(test.actor, test.role, test.hello), protocol.CodeConflict)
			if ada.Closed() || d.Members() != 1 {
				t.Fatalf("got %d members, want the first client alone, connected", d.Members())
			}
			ada.Push(roomtest.NewCell("a"))
			d.MustCommit()
			wantSeqs(t, ada.Take(), span(1, 1))

			d.Leave(ada.Member) // its events keep the id for it
			wantClosed(t, d.Connect(test.actor, test.role, test.hello), protocol.CodeConflict)
			d.Restart()
			wantClosed(t, d.Connect(test.actor, test.role, test.hello), protocol.CodeConflict)
			if again := d.AddPerson("ada", access.Viewer); again.Closed() {
				t.Error("the first actor was not let in under its own id")
			}
		})
	}
}

func TestSY9AnotherRuntimeCannotHaveTheClientOfOne(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	rt, _ := d.AddRuntime("rt")
	for _, h := range []protocol.Hello{{Client: "of-rt"}, {Client: "of-rt", Runtime: "other"}} {
		wantClosed(t, d.Connect("person:eve", access.Owner, h), protocol.CodeConflict)
	}
	if rt.Closed() {
		t.Error("the runtime was displaced")
	}
}

func TestSY9AnIDOfSeveralActorsInALogIsTheFirstOnes(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	d.Store(roomtest.BatchOf(t,
		event.Event{Seq: 1, ID: event.ID{Client: "c", N: 1}, Actor: "person:ada", Payload: roomtest.NewCell("a")},
		event.Event{Seq: 2, ID: event.ID{Client: "c", N: 2}, Actor: "person:eve", Payload: roomtest.NewCell("b")},
		event.Event{Seq: 3, ID: event.ID{Client: "c", N: math.MaxUint64}, Actor: "person:eve", Payload: roomtest.NewCell("d")},
	))
	d.Restart()
	if got := len(d.Notebook().Cells()); got != 3 {
		t.Fatalf("got %d cells, want all 3 of the log", got)
	}
	if got := d.Notebook().Owner("c"); got != "person:ada" {
		t.Errorf("got owner %q, want the first actor", got)
	}
	data, err := d.Notebook().Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	again, err := notebook.Restore(data)
	if err != nil || again.Owner("c") != "person:ada" || again.Seen("c") != math.MaxUint64 {
		t.Errorf("a snapshot gives owner %q, counter %d and error %v", again.Owner("c"), again.Seen("c"), err)
	}
}

func TestSY24ACounterFarBeyondTheLastIsRefused(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	ada := d.AddPerson("ada", access.Editor)
	for _, n := range []uint64{math.MaxUint64, 1<<32 + 1, 1 << 62} {
		ada.N = n - 1
		ada.Push(roomtest.NewCell("far"))
	}
	d.MustCommit()
	roomtest.WantCodes(t, ada.Take(), protocol.CodeInvalid, protocol.CodeInvalid, protocol.CodeInvalid)

	ada.N = 5_000_000 // of which all before were refused
	ada.Push(roomtest.NewCell("a"))
	d.MustCommit()
	wantSeqs(t, ada.Take(), span(1, 1))
}

func TestSY24WhatARuntimeLeftIsNotTakenUnderTheIDOfAPerson(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	ada := d.AddPerson("ada", access.Editor)
	ada.Push(roomtest.CellWith("code", "1"))
	rt, epoch := d.AddRuntime("rt")
	d.Spool = func(event.RuntimeID) []event.Draft {
		return []event.Draft{{ID: event.ID{Client: "ada", N: 2}, Payload: &event.RuntimeReady{Runtime: "rt", Epoch: epoch}}}
	}
	d.Leave(rt.Member)
	d.MustSubmit(&event.RuntimeStopped{Runtime: "rt", Epoch: epoch, Reason: event.StopShutdown})
	if got := d.Notebook().Seen("ada"); got != 1 {
		t.Errorf("got counter %d of the person, want 1: the runtime stated an event under it", got)
	}
}

// nested returns a JSON value that nests so deep.
func nested(levels int) json.RawMessage {
	return json.RawMessage(strings.Repeat("[", levels) + strings.Repeat("]", levels))
}

// deepEvents has an event for each member of an event that can hold any JSON.
func deepEvents(v json.RawMessage) []event.Payload {
	data := map[string]json.RawMessage{"application/json": v}
	shown := event.Output{Kind: event.OutputDisplay, Data: data}
	return []event.Payload{
		&event.NotebookMetadataSet{Key: "k", Value: v},
		&event.CellMetadataSet{Cell: "code", Key: "k", Value: v},
		&event.OutputsImported{Cell: "code", Outputs: []event.Output{shown}},
		&event.OutputsImported{Cell: "code", Outputs: []event.Output{{Kind: event.OutputDisplay, Metadata: map[string]json.RawMessage{"k": v}}}},
		&event.OutputAdded{Output: "new", Run: "goes", Epoch: 1, Value: shown},
		&event.DisplayUpdated{DisplayID: "d", Run: "goes", Epoch: 1, Data: data},
		&event.CommOpened{Comm: "new", Target: "t", Epoch: 1, State: data},
		&event.CommUpdated{Comm: "w", Epoch: 1, State: data},
		&event.CommSent{Comm: "w", Epoch: 1, Content: v},
		&event.ApprovalAsked{Approval: "new", Run: "goes", Epoch: 1, Tool: "t", Class: event.ToolReads, Arguments: v},
	}
}

func TestEV18WhatNestsTooDeepIsRefusedWhateverTheEvent(t *testing.T) {
	for i := range deepEvents(nil) {
		for levels, want := range map[int][]protocol.Code{900: nil, 1_000: {protocol.CodeInvalid}, 9_990: {protocol.CodeInvalid}} {
			d := busy(t)
			p := deepEvents(nested(levels))[i]
			role := access.Editor
			if access.ActionOf(p.Type()) == access.Execute {
				role = access.Runtime
			}
			s := seatFor(d, role, p)
			s.Push(p)
			d.MustCommit()
			if got := roomtest.Codes(s.Take()); len(got) != len(want) || len(got) > 0 && got[0] != want[0] {
				t.Errorf("%s of %d levels: got %v, want %v", p.Type(), levels, got, want)
			}
			if levels > 900 {
				if err := d.Submit(t.Context(), "person:ada", p); room.CodeOf(err) != protocol.CodeInvalid {
					t.Errorf("%s of %d levels submitted: got %v, want it refused", p.Type(), levels, err)
				}
				if _, _, err := replica.New("c").Do(p); err == nil || !strings.Contains(err.Error(), "nests") {
					t.Errorf("%s of %d levels: a replica says %v", p.Type(), levels, err)
				}
			}
		}
	}
}

func TestEV18ALogWithWhatNestsTooDeepIsOpened(t *testing.T) {
	deep := event.Event{Seq: 2, ID: event.ID{Client: "old", N: 2}, Actor: "person:eve", Payload: &event.NotebookMetadataSet{Key: "k", Value: nested(9_990)}}
	d := roomtest.NewSequencer(t, func(c *room.Config) { c.MaxBehind = 1 })
	d.Store(roomtest.BatchOf(t,
		event.Event{Seq: 1, ID: event.ID{Client: "old", N: 1}, Actor: "person:eve", Payload: roomtest.NewCell("a")}, deep,
		event.Event{Seq: 3, ID: event.ID{Client: "old", N: 3}, Actor: "person:eve", Payload: roomtest.NewCell("b")},
	))
	d.Restart()
	for name, fold := range map[string]int{"by a snapshot": notebook.Version, "by its events": 0} {
		r := replica.New("c")
		h := r.Hello()
		h.Fold = fold
		roomtest.Feed(t, r, d.Connect("person:c", access.Viewer, *h).Take())
		if got := r.Confirmed(); got.Seq() != 3 || len(got.Cells()) != 2 || len(got.Metadata()) != 0 {
			t.Errorf("%s: got %d events, %d cells and metadata %d, want 3, 2 and 0", name, got.Seq(), len(got.Cells()), len(got.Metadata()))
		}
		d.DropAll("next")
	}
}
