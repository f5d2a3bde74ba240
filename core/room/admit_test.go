package room_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/core/room/roomtest"
)

// stated is an event that the busy notebook takes from those roles alone.
type stated struct {
	payload event.Payload
	roles   []access.Role
}

// everyType has one event of each type, all of which the busy notebook takes.
func everyType() []stated {
	manage := []access.Role{access.Owner}
	edit := []access.Role{access.Owner, access.Editor, access.Assistant}
	approve := []access.Role{access.Owner, access.Editor}
	run := []access.Role{access.Owner, access.Editor, access.Runner, access.Assistant}
	execute := []access.Role{access.Runtime}
	file := event.Artifact{Hash: strings.Repeat("ab", 32), Size: 1}
	return []stated{
		{&event.NotebookTitled{Title: "tides"}, manage},
		{&event.NotebookMetadataSet{Key: "k", Value: []byte("1")}, edit},
		{roomtest.NewCell("new"), edit},
		{roomtest.Insert("code", 0, 0, "x"), edit},
		{&event.CellKindChanged{Cell: "code", Kind: event.KindRaw}, edit},
		{&event.CellLanguageChanged{Cell: "code", Language: "r"}, edit},
		{&event.CellMoved{Cell: "code", Order: "Z"}, edit},
		{&event.CellDeleted{Cell: "code"}, edit},
		{&event.CellRestored{Cell: "gone"}, edit},
		{&event.CellVisibilitySet{Cell: "code"}, edit},
		{&event.CellMetadataSet{Cell: "code", Key: "k", Value: []byte("1")}, edit},
		{&event.CellOutputsCleared{}, edit},
		{&event.OutputsImported{Cell: "code"}, edit},
		{&event.FileAttached{Name: "new.csv", Artifact: file}, edit},
		{&event.FileRemoved{Name: "old.csv"}, edit},
		{roomtest.Request("more", "code"), run},
		{&event.RunCancelled{Run: "waits"}, run},
		{&event.AllRunsCancelled{}, run},
		{&event.InputAnswered{Input: "in", Value: "yes"}, run},
		{&event.ApprovalAnswered{Approval: "ok", Answer: event.AnswerOnce}, approve},
		{&event.RuntimeStarted{Runtime: "new", Takes: event.TakesCode}, execute},
		{&event.RuntimeReady{Runtime: "rt", Epoch: 1}, execute},
		{&event.RuntimeStopped{Runtime: "rt", Epoch: 1, Reason: event.StopShutdown}, execute},
		{&event.RunAssigned{Run: "waits", Epoch: 1}, execute},
		{&event.RunStarted{Run: "has", Epoch: 1}, execute},
		{&event.RunFinished{Run: "goes", Epoch: 1, Status: event.StatusOK}, execute},
		{&event.SourceOffered{Run: "goes", Epoch: 1, Cell: "offered"}, execute},
		{&event.InputAsked{Input: "in2", Run: "goes", Epoch: 1}, execute},
		{&event.InputClosed{Input: "in", Epoch: 1}, execute},
		{&event.OutputAdded{Output: "out2", Run: "goes", Epoch: 1, Value: roomtest.Printed("x")}, execute},
		{&event.OutputAppended{Output: "out", Run: "goes", Epoch: 1, Text: "x"}, execute},
		{&event.OutputStored{Output: "out", Run: "goes", Epoch: 1, Artifacts: map[string]event.Artifact{"text/plain": {Hash: strings.Repeat("0", 64)}}}, execute},
		{&event.DisplayUpdated{DisplayID: "d", Run: "goes", Epoch: 1}, execute},
		{&event.OutputsCleared{Run: "goes", Epoch: 1}, execute},
		{&event.ApprovalAsked{Approval: "ok2", Run: "goes", Epoch: 1, Tool: "t", Class: event.ToolReads}, execute},
		{&event.CommOpened{Comm: "new", Target: "t", Epoch: 1}, execute},
		{&event.CommUpdated{Comm: "w", Epoch: 1, State: jsonText("k", "v")}, execute},
		{&event.CommSent{Comm: "w", Epoch: 1}, execute},
		{&event.CommClosed{Comm: "w", Epoch: 1}, execute},
		{&event.CommsLost{Comms: []event.CommID{"w"}, Epoch: 1}, execute},
	}
}

// busy returns a sequencer whose notebook has something for every type of event to be
// about: runs in each state, an output, a display, a question, a file.
func busy(t *testing.T) *roomtest.Sequencer {
	t.Helper()
	d := roomtest.NewSequencer(t, nil)
	display := event.Output{Kind: event.OutputDisplay, DisplayID: "d", Data: jsonText("text/plain", "a")}
	d.MustSubmit(
		roomtest.CellWith("code", "print(1)"), roomtest.NewCell("gone"), &event.CellDeleted{Cell: "gone"},
		&event.FileAttached{Name: "old.csv", Artifact: event.Artifact{Hash: strings.Repeat("cd", 32)}},
		&event.RuntimeStarted{Runtime: "rt", Takes: event.TakesCode},
		roomtest.Request("goes", "code"), roomtest.Request("has", "code"), roomtest.Request("waits", "code"),
		&event.RunAssigned{Run: "goes", Epoch: 1}, &event.RunAssigned{Run: "has", Epoch: 1},
		&event.RunStarted{Run: "goes", Epoch: 1},
		&event.OutputAdded{Output: "out", Run: "goes", Epoch: 1, Value: roomtest.Printed("a")},
		&event.OutputAdded{Output: "shown", Run: "goes", Epoch: 1, Value: display},
		&event.InputAsked{Input: "in", Run: "goes", Epoch: 1},
		&event.ApprovalAsked{Approval: "ok", Run: "goes", Epoch: 1, Tool: "t", Class: event.ToolReads},
		&event.CommOpened{Comm: "w", Target: "t", Epoch: 1},
	)
	return d
}

// seatFor seats a member with a role; a runtime is seated as the one that the event names.
func seatFor(d *roomtest.Sequencer, role access.Role, p event.Payload) *roomtest.Member {
	d.T.Helper()
	if role == access.Assistant {
		s := d.Connect("assistant:ai", role, protocol.Hello{Client: "c", Runtime: "ai", Takes: event.TakesAI})
		s.Take()
		return s
	}
	if role != access.Runtime {
		return d.AddPerson("c", role)
	}
	id := event.RuntimeID("rt")
	if start, ok := p.(*event.RuntimeStarted); ok {
		id = start.Runtime
	}
	s := d.Connect(event.NewActor(event.ActorRuntime, string(id)), role, protocol.Hello{Client: "c", Runtime: id})
	s.Take()
	return s
}

func TestSY30EveryTypeOfEventIsTakenFromTheRolesThatMayStateItAndNoOther(t *testing.T) {
	var covered []event.Type
	for _, test := range everyType() {
		typ := test.payload.Type()
		covered = append(covered, typ)
		for _, role := range access.Roles() {
			if role == access.Assistant && access.ActionOf(typ) == access.Execute {
				continue // of its own runs alone, see TestAC9AnAssistantStatesWhatARuntimeDoesOfItsOwnRuns
			}
			t.Run(fmt.Sprintf("%s by %s", typ, role), func(t *testing.T) {
				d := busy(t)
				before := d.Notebook().Seq()
				s := seatFor(d, role, test.payload)
				s.Push(test.payload)
				d.MustCommit()
				messages := s.Take()
				if slices.Contains(test.roles, role) {
					roomtest.WantCodes(t, messages)
					wantSeqs(t, messages, span(before+1, before+1))
					return
				}
				roomtest.WantCodes(t, messages, protocol.CodeForbidden)
				if got := len(d.Logged(before)); got != 0 {
					t.Errorf("got %d more events in the log, want none", got)
				}
			})
		}
	}
	want := event.Types()
	slices.Sort(want)
	slices.Sort(covered)
	if diff := cmp.Diff(want, covered); diff != "" {
		t.Errorf("types with a case (-want +got):\n%s", diff)
	}
}

func TestSY31AnEventWithAnotherClientsIDIsForbidden(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	s := d.AddPerson("c", access.Owner)
	for _, client := range []event.ClientID{"other", "room", "C"} {
		d.Receive(t.Context(), s.Member, &protocol.Push{Events: []event.Draft{{ID: event.ID{Client: client, N: 1}, Payload: roomtest.NewCell("x")}}})
	}
	d.MustCommit()
	roomtest.WantCodes(t, s.Take(), protocol.CodeForbidden, protocol.CodeForbidden, protocol.CodeForbidden)
	if got := d.Notebook().Seq(); got != 0 {
		t.Errorf("got %d events, want none", got)
	}
}

func TestSY32AC8WhatIsMalformedOrUnknownIsInvalidAndTheRestIsTaken(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	s := d.AddPerson("c", access.Owner)
	s.Push(
		&event.Unknown{Name: "CellPainted", Raw: []byte(`{"cell":"a"}`)},
		&event.CellCreated{Cell: "a b", Kind: event.KindCode, Order: "U"},
		&event.CellCreated{Cell: "a", Kind: "tune", Order: "U"},
		&event.NotebookTitled{},
		roomtest.NewCell("fine"),
	)
	d.MustCommit()
	messages := s.Take()
	roomtest.WantCodes(t, messages, protocol.CodeInvalid, protocol.CodeInvalid, protocol.CodeInvalid, protocol.CodeInvalid)
	wantSeqs(t, messages, span(1, 1)) // each event of a push is judged by itself
}

func TestSY33AnEventThatWouldChangeNothingIsRefusedAndLeavesNoTrace(t *testing.T) {
	for _, test := range []struct {
		payload event.Payload
		want    protocol.Code
	}{
		{&event.CellDeleted{Cell: "none"}, protocol.CodeNotFound},
		{roomtest.NewCell("code"), protocol.CodeConflict},
		{&event.CellDeleted{Cell: "gone"}, protocol.CodeConflict},
		{&event.RunCancelled{Run: "none"}, protocol.CodeNotFound},
		{roomtest.Insert("code", 0, 99, "x"), protocol.CodeInvalid},
		{roomtest.Insert("none", 0, 0, "x"), protocol.CodeNotFound},
	} {
		d := busy(t)
		before, err := d.Notebook().Hash()
		if err != nil {
			t.Fatal(err)
		}
		s := d.AddPerson("c", access.Owner)
		s.Push(test.payload)
		d.MustCommit()
		roomtest.WantCodes(t, s.Take(), test.want)
		if after, err := d.Notebook().Hash(); err != nil || after != before {
			t.Errorf("%s: the notebook changed, want it as it was (%v)", test.payload.Type(), err)
		}
		if got := d.Notebook().Seen("c"); got != 0 {
			t.Errorf("%s: the room remembers event c.%d, want none", test.payload.Type(), got)
		}
	}
}

func TestSY34ARuntimeStatesItsOwnStartOnly(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	s := d.Connect("runtime:rt", access.Runtime, protocol.Hello{Client: "c", Runtime: "rt"})
	s.Take()
	s.Push(
		&event.RuntimeStarted{Runtime: "other", Takes: event.TakesCode},
		&event.RuntimeReady{Runtime: "rt", Epoch: 1},
		&event.RuntimeStarted{Runtime: "rt", Takes: event.TakesCode},
		&event.RuntimeReady{Runtime: "rt", Epoch: 1},
		&event.RuntimeStarted{Runtime: "rt", Takes: event.TakesAI},
	)
	d.MustCommit()
	roomtest.WantCodes(t, s.Take(), protocol.CodeForbidden, protocol.CodeConflict, protocol.CodeForbidden)
	if got := d.Notebook().Seq(); got != 2 {
		t.Errorf("got %d events, want its start and that it is ready", got)
	}
}

func TestSY34ATokenWithoutTheRuntimeStatesNothing(t *testing.T) {
	d := busy(t)
	s := d.Connect("runtime:rt", access.Runtime, protocol.Hello{Client: "c"})
	s.Take()
	s.Push(&event.RuntimeStarted{Runtime: "rt2", Takes: event.TakesCode}, &event.RunAssigned{Run: "waits", Epoch: 1})
	d.MustCommit()
	roomtest.WantCodes(t, s.Take(), protocol.CodeForbidden, protocol.CodeConflict)
}

func TestSY35WhatARuntimeStatesNeedsItsOwnEpoch(t *testing.T) {
	for _, test := range everyType() {
		if !slices.Contains(test.roles, access.Runtime) || test.payload.Type() == "RuntimeStarted" {
			continue
		}
		t.Run(string(test.payload.Type()), func(t *testing.T) {
			d := busy(t)
			d.MustSubmit(&event.RuntimeStopped{Runtime: "rt", Epoch: 1, Reason: event.StopRestart})
			d.MustSubmit(&event.RuntimeStarted{Runtime: "rt", Takes: event.TakesCode})
			s := seatFor(d, access.Runtime, test.payload)
			s.Push(test.payload)
			d.MustCommit()
			roomtest.WantCodes(t, s.Take(), protocol.CodeConflict)
		})
	}
}

func TestSY35ADisplacedRuntimeCanWriteNoMore(t *testing.T) {
	for _, test := range everyType() {
		if !slices.Contains(test.roles, access.Runtime) || test.payload.Type() == "RuntimeStarted" {
			continue
		}
		t.Run(string(test.payload.Type()), func(t *testing.T) {
			d := busy(t)
			s := seatFor(d, access.Runtime, test.payload)
			d.AddRuntime("newer")
			s.Take()
			s.Push(test.payload)
			d.MustCommit()
			roomtest.WantCodes(t, s.Take(), protocol.CodeConflict)
		})
	}
}

func TestSY36ARuntimeCannotTouchAnothersRuns(t *testing.T) {
	d := busy(t)
	actor := event.Actor("assistant:ai")
	s := d.Connect(actor, access.Assistant, protocol.Hello{Client: "ai", Runtime: "ai", Takes: event.TakesAI})
	s.Push(&event.RuntimeStarted{Runtime: "ai", Takes: event.TakesAI})
	d.MustCommit()
	s.Take()
	own := d.Notebook().Runtime(event.TakesAI).Epoch
	s.Push(
		&event.RunAssigned{Run: "waits", Epoch: own},
		&event.RunStarted{Run: "has", Epoch: own},
		&event.RunFinished{Run: "goes", Epoch: own, Status: event.StatusOK},
		&event.SourceOffered{Run: "goes", Epoch: own, Cell: "x"},
		&event.OutputAdded{Output: "x", Run: "goes", Epoch: own, Value: roomtest.Printed("x")},
		&event.OutputAppended{Output: "out", Run: "goes", Epoch: own, Text: "x"},
		&event.OutputsCleared{Run: "goes", Epoch: own},
		&event.InputAsked{Input: "x", Run: "goes", Epoch: own},
		&event.InputClosed{Input: "in", Epoch: own},
		&event.ApprovalAsked{Approval: "x", Run: "goes", Epoch: own, Tool: "t", Class: event.ToolReads},
		&event.RuntimeStopped{Runtime: "rt", Epoch: own, Reason: event.StopIdle},
	)
	d.MustCommit()
	got := roomtest.Codes(s.Take())
	want := slices.Repeat([]protocol.Code{protocol.CodeConflict}, 11)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSY37TheServersOwnEventsAreJudgedToo(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	err := d.Submit(t.Context(), "person:ada", roomtest.NewCell("a"), &event.NotebookTitled{}, roomtest.NewCell("b"))
	if got := room.CodeOf(err); got != protocol.CodeInvalid {
		t.Errorf("malformed: got %q (%v), want invalid", got, err)
	}
	err = d.Submit(t.Context(), "person:ada", &event.CellDeleted{Cell: "b"})
	if got := room.CodeOf(err); got != protocol.CodeNotFound {
		t.Errorf("moot: got %q (%v), want not-found", got, err)
	}
	d.MustCommit()
	events := d.Logged(0)
	if len(events) != 1 || events[0].Actor != "person:ada" || events[0].ID != (event.ID{Client: "room", N: 1}) {
		t.Errorf("got %v, want the one before the refusal, stamped with its actor", events)
	}
}

func TestSY37EveryErrorHasACode(t *testing.T) {
	for _, test := range []struct {
		err  error
		want protocol.Code
	}{
		{fmt.Errorf("open: %w", room.ErrNotFound), protocol.CodeNotFound},
		{fmt.Errorf("append: %w", room.ErrUnavailable), protocol.CodeUnavailable},
		{errors.New("what is this"), protocol.CodeInternal},
	} {
		if got := room.CodeOf(test.err); got != test.want {
			t.Errorf("%v: got %s, want %s", test.err, got, test.want)
		}
	}
}

func TestSY33AnAnswerToASecretQuestionIsRefusedAndNotRepeated(t *testing.T) {
	const secret = "correct-horse-battery"
	d := busy(t)
	d.MustSubmit(&event.InputAsked{Input: "key", Run: "goes", Epoch: 1, Secret: true})
	ada, eve := d.AddPerson("ada", access.Owner), d.AddPerson("eve", access.Owner)
	before := d.Notebook().Seq()
	for _, id := range []event.InputID{"key", "none"} {
		ada.Push(&event.InputAnswered{Input: id, Value: secret})
	}
	d.MustCommit()
	messages, _ := ada.Out.Drain()
	roomtest.WantCodes(t, roomtest.DecodeAll(t, messages), protocol.CodeInvalid, protocol.CodeNotFound)
	others, _ := eve.Out.Drain()
	snapshot, err := d.Notebook().Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range append(append(messages, others...), snapshot) {
		if strings.Contains(string(data), secret) {
			t.Errorf("%.200s holds the secret", data)
		}
	}
	if got := len(d.Logged(before)); got != 0 {
		t.Errorf("got %d events, want none", got)
	}
}
