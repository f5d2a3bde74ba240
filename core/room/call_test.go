package room_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room/roomtest"
)

// callTime is how long a call waits for the runtime, in milliseconds.
const callTime = 10_000

// calls returns the ids under which the member has been sent calls.
func callsTo(s *roomtest.Member) []uint64 {
	s.Of.T.Helper()
	var ids []uint64
	for _, c := range roomtest.Only[*protocol.Call](s.Take()) {
		ids = append(ids, c.ID)
	}
	return ids
}

func TestSY120WhoMayRunMayCallAndNobodyElse(t *testing.T) {
	for _, role := range access.Roles() {
		d, rt, _ := roomtest.NewWithRuntime(t)
		s := d.AddPerson("c", role)
		s.CallVariables(1)
		asked := len(callsTo(rt))
		switch may := role.May(access.Run); {
		case may && asked != 1:
			t.Errorf("%s: the runtime got %d calls, want one", role, asked)
		case !may:
			roomtest.WantAnswers(t, s, "1 forbidden")
			if asked != 0 || s.Closed() {
				t.Errorf("%s: the runtime got %d calls and the connection ended %t, want neither", role, asked, s.Closed())
			}
		}
	}
}

func TestSY121ACallGoesToTheCodeRuntimeAloneAndItsAnswerToTheCaller(t *testing.T) {
	d, rt, ada := roomtest.NewWithRuntime(t)
	bob := d.AddPerson("bob", access.Owner)
	ai := d.Connect("assistant:ai", access.Assistant, protocol.Hello{Client: "ai", Runtime: "ai", Takes: event.TakesAI})
	ai.Push(&event.RuntimeStarted{Runtime: "ai", Takes: event.TakesAI})
	d.MustCommit()
	for _, s := range []*roomtest.Member{rt, ada, bob, ai} {
		s.Take()
	}
	before := d.Notebook().Seq()
	params := json.RawMessage(`{"source":"pri","cursor":3}`)
	ada.Send(&protocol.Call{ID: 7, From: "person:mallory", Method: protocol.MethodComplete, Params: params})
	bob.Send(&protocol.Call{ID: 7, Method: protocol.MethodInspect})
	want := []*protocol.Call{
		{ID: 1, From: "person:ada", Method: protocol.MethodComplete, Params: params},
		{ID: 2, From: "person:bob", Method: protocol.MethodInspect},
	}
	if diff := cmp.Diff(want, roomtest.Only[*protocol.Call](rt.Take())); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	rt.Send(&protocol.Answer{ID: 2, Result: json.RawMessage(`{"found":false}`)})
	rt.Send(&protocol.Answer{ID: 1, Error: &protocol.CallError{Code: protocol.CodeNotFound, Message: "no"}})
	rt.Send(&protocol.Answer{ID: 1, Result: json.RawMessage(`"again"`)})
	roomtest.WantAnswers(t, ada, "7 not-found")
	roomtest.WantAnswers(t, bob, `7 {"found":false}`)
	d.MustCommit()
	if got := d.Notebook().Seq(); got != before || len(ai.Take())+len(rt.Take()) != 0 {
		t.Errorf("got %d events and messages for others, want none", got-before)
	}
}

func TestSY122WithoutARuntimeACallIsUnavailableAtOnce(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	ada := d.AddPerson("ada", access.Runner)
	ada.CallVariables(1)
	roomtest.WantAnswers(t, ada, "1 unavailable")

	rt, epoch := d.AddRuntime("rt")
	d.Leave(rt.Member)
	ada.Take()
	ada.CallVariables(2)
	roomtest.WantAnswers(t, ada, "2 unavailable")

	rt = d.Connect("runtime:rt", access.Runtime, protocol.Hello{Client: "of-rt", Runtime: "rt"})
	ada.CallVariables(3)
	if got := callsTo(rt); len(got) != 1 {
		t.Errorf("got %d calls for a runtime that came back, want one", len(got))
	}
	d.MustSubmit(&event.RuntimeStopped{Runtime: "rt", Epoch: epoch, Reason: event.StopShutdown})
	ada.Take()
	ada.CallVariables(4)
	roomtest.WantAnswers(t, ada, "4 unavailable")
}

func TestSY123ACallEndsWhenItsRuntimeLeaves(t *testing.T) {
	d, rt, ada := roomtest.NewWithRuntime(t)
	ada.CallVariables(1)
	ada.CallVariables(2)
	rt.Send(&protocol.Answer{ID: 1, Result: json.RawMessage(`1`)})
	d.Leave(rt.Member)
	roomtest.WantAnswers(t, ada, "1 1", "2 unavailable")

	again := d.Connect("runtime:rt", access.Runtime, protocol.Hello{Client: "of-rt", Runtime: "rt"})
	again.Send(&protocol.Answer{ID: 2, Result: json.RawMessage(`2`)})
	roomtest.WantAnswers(t, ada)
}

func TestSY123ACallEndsWhenItsTimeIsUp(t *testing.T) {
	d, rt, ada := roomtest.NewWithRuntime(t)
	ada.CallVariables(1)
	d.Time += 4_000
	ada.CallVariables(2)
	if at, ok := d.NextDeadline(); !ok || at != d.Time-4_000+callTime {
		t.Errorf("the room wakes up at %d (%t), want %d", at, ok, d.Time-4_000+callTime)
	}
	d.Pass(callTime - 4_000 - 1)
	roomtest.WantAnswers(t, ada)
	d.Pass(1)
	roomtest.WantAnswers(t, ada, "1 unavailable")
	ids := callsTo(rt)
	rt.Send(&protocol.Answer{ID: ids[0], Result: json.RawMessage(`"late"`)})
	rt.Send(&protocol.Answer{ID: ids[1], Result: json.RawMessage(`"well"`)})
	roomtest.WantAnswers(t, ada, `2 "well"`)
	if d.Pass(callTime); !d.RuntimePresent(event.TakesCode) {
		t.Error("the runtime is gone, want it to stay")
	}
	if _, ok := d.NextDeadline(); ok {
		t.Error("the room wakes up though nothing waits")
	}
}

func TestSY123AnAnswerToACallerThatHasLeftGoesNowhere(t *testing.T) {
	d, rt, ada := roomtest.NewWithRuntime(t)
	ada.CallVariables(1)
	d.Leave(ada.Member)
	again := d.AddPerson("ada", access.Runner)
	again.CallVariables(1)
	for i, id := range callsTo(rt) {
		rt.Send(&protocol.Answer{ID: id, Result: fmt.Append(nil, i)})
	}
	roomtest.WantAnswers(t, again, "1 1")
}

func TestSY124CallsAreBounded(t *testing.T) {
	d, rt, ada := roomtest.NewWithRuntime(t)
	big := json.RawMessage(`"` + strings.Repeat("a", 1<<20-2) + `"`)
	for what, c := range map[string]*protocol.Call{
		"too large":    {ID: 1, Method: protocol.MethodComplete, Params: append(big[:len(big)-1:len(big)-1], `a"`...)},
		"not UTF-8":    {ID: 1, Method: protocol.MethodComplete, Params: json.RawMessage("\"\xff\"")},
		"not JSON":     {ID: 1, Method: protocol.MethodComplete, Params: json.RawMessage(`{`)},
		"no method":    {ID: 1},
		"a bad method": {ID: 1, Method: "a b"},
	} {
		ada.Send(c)
		if got := roomtest.Only[*protocol.Answer](ada.Take()); len(got) != 1 || got[0].Error.Code != protocol.CodeInvalid {
			t.Errorf("%s: got %+v, want invalid", what, got)
		}
	}
	ada.Send(&protocol.Call{ID: 1, Method: protocol.MethodComplete, Params: big})
	if got := len(callsTo(rt)); got != 1 {
		t.Errorf("got %d calls, want the one that fits", got)
	}
	ada.CallVariables(1)
	roomtest.WantAnswers(t, ada, "1 invalid") // its id waits
	for id := range uint64(16) {
		ada.CallVariables(2 + id)
	}
	roomtest.WantAnswers(t, ada, "17 unavailable")
	if got := len(callsTo(rt)); got != 15 {
		t.Errorf("got %d more calls, want fifteen", got)
	}
	bob := d.AddPerson("bob", access.Runner)
	bob.CallVariables(1)
	if got := len(callsTo(rt)); got != 1 {
		t.Errorf("got %d calls of another, want one", got)
	}
}

func TestSY124AnswersAreBounded(t *testing.T) {
	_, rt, ada := roomtest.NewWithRuntime(t)
	long := strings.Repeat("a", 1<<20)
	for what, a := range map[string]*protocol.Answer{
		"too large":              {Result: json.RawMessage(`"` + long + `"`)},
		"too large an error":     {Error: &protocol.CallError{Code: protocol.CodeInvalid, Message: long}},
		"not JSON":               {Result: json.RawMessage(`{`)},
		"not UTF-8":              {Result: json.RawMessage("\"\xff\"")},
		"not JSON, with another": {Result: json.RawMessage(`{`), Error: &protocol.CallError{Code: protocol.CodeInternal, Message: "no"}},
	} {
		ada.CallVariables(1)
		a.ID = callsTo(rt)[0]
		rt.Send(a)
		got := roomtest.Only[*protocol.Answer](ada.Take())
		if len(got) != 1 || got[0].Error == nil || got[0].Error.Code != protocol.CodeInternal || len(got[0].Error.Message) > 100 {
			t.Errorf("%s: got %d answers, want that it is no answer", what, len(got))
		}
	}
}

func TestSY125AnAnswerOfOneThatWasNotAskedIsNotPassedOn(t *testing.T) {
	d, rt, ada := roomtest.NewWithRuntime(t)
	other := d.Connect("assistant:ai", access.Assistant, protocol.Hello{Client: "ai", Runtime: "ai", Takes: event.TakesAI})
	mallory := d.AddPerson("mallory", access.Owner)
	ada.CallVariables(1)
	id := callsTo(rt)[0]
	other.Send(&protocol.Answer{ID: id, Result: json.RawMessage(`"forged"`)})
	mallory.Send(&protocol.Answer{ID: id, Result: json.RawMessage(`"forged"`)})
	wantClosed(t, mallory, protocol.CodeForbidden)
	roomtest.WantAnswers(t, ada)
	if other.Closed() {
		t.Error("a runtime that answered for another is gone, want its answer to be passed over")
	}
	rt.Send(&protocol.Answer{ID: id, Result: json.RawMessage(`"true"`)})
	roomtest.WantAnswers(t, ada, `1 "true"`)
}

func TestSY126OneWhoDoesNotKeepUpHoldsUpNobody(t *testing.T) {
	d, rt, ada := roomtest.NewWithRuntime(t)
	large := json.RawMessage(`"` + strings.Repeat("a", 1<<20-2) + `"`)
	ada.Send(&protocol.Call{ID: 1, Method: protocol.MethodComplete, Params: large})
	ada.Send(&protocol.Call{ID: 2, Method: protocol.MethodComplete, Params: large})
	roomtest.WantAnswers(t, ada, "2 unavailable") // the runtime has not taken the first

	ids := callsTo(rt)
	ada.CallVariables(3)
	ada.CallVariables(4)
	ids = append(ids, callsTo(rt)...)
	for _, id := range ids { // which the caller does not take
		rt.Send(&protocol.Answer{ID: id, Result: large})
	}
	answers := roomtest.Only[*protocol.Answer](ada.Take())
	if len(answers) != 3 || answers[0].Error != nil || answers[1].Error == nil || answers[2].Error == nil {
		t.Errorf("got %d answers, want the first, and that the others did not fit", len(answers))
	}
	for id := range uint64(40_000) { // small answers have a bound too
		ada.Send(&protocol.Call{ID: id})
	}
	messages := ada.Take()
	if len(roomtest.Only[*protocol.Resume](messages)) != 1 || len(messages) == 40_000 || !ada.Closed() {
		t.Errorf("got %d messages, want a bound, a Resume and the end", len(messages))
	}
	if got := d.Members(); got != 1 {
		t.Errorf("got %d members, want the runtime", got)
	}
}

func TestSY123WhenTheLogFailsEveryCallEnds(t *testing.T) {
	broken := fmt.Errorf("no space left")
	d := roomtest.NewSequencer(t, nil)
	rt, _ := d.AddRuntime("rt")
	ada := d.AddPerson("ada", access.Editor)
	ada.CallVariables(1)
	d.Log.Fail(broken, false)
	ada.Push(roomtest.NewCell("c"))
	if err := d.Commit(t.Context()); err == nil {
		t.Fatal("got no error, want the log's")
	}
	for _, s := range []*roomtest.Member{rt, ada} {
		if !s.Closed() {
			t.Error("a connection is open, want all to connect again")
		}
	}
	if _, ok := d.NextDeadline(); !ok {
		t.Error("got nothing to wait for, want the runtime's lease")
	}
	d.Time += callTime
	d.Pass(0)
	roomtest.WantAnswers(t, ada)
}
