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
)

// callTime is how long a call waits for the runtime, in milliseconds.
const callTime = 10_000

// send lets the room receive one message of the member.
func (s *seat) send(msg protocol.ToRoom) { s.desk.Receive(s.desk.t.Context(), s.Member, msg) }

// call asks the runtime for its variables.
func (s *seat) call(id uint64) { s.send(&protocol.Call{ID: id, Method: protocol.MethodVariables}) }

// calls returns the ids under which the member has been sent calls.
func (s *seat) calls() []uint64 {
	s.desk.t.Helper()
	var ids []uint64
	for _, c := range only[*protocol.Call](s.take()) {
		ids = append(ids, c.ID)
	}
	return ids
}

// wantAnswers wants the member to have got answers, each in JSON, and no more.
func wantAnswers(t *testing.T, s *seat, want ...string) {
	t.Helper()
	var got []string
	for _, a := range only[*protocol.Answer](s.take()) {
		text := fmt.Sprintf("%d %s", a.ID, a.Result)
		if a.Error != nil {
			text = fmt.Sprintf("%d %s", a.ID, a.Error.Code)
			if a.Error.Message == "" || a.Result != nil {
				t.Errorf("got %+v, want a message and no result", a)
			}
		}
		got = append(got, text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

// ready returns a desk with a runtime and a member who may run.
func ready(t *testing.T) (d *desk, rt, ada *seat) {
	t.Helper()
	d = newDesk(t, nil)
	rt, _ = d.joinRuntime("rt")
	ada = d.join("ada", access.Runner)
	rt.take()
	return d, rt, ada
}

func TestSY120WhoMayRunMayCallAndNobodyElse(t *testing.T) {
	for _, role := range access.Roles() {
		d, rt, _ := ready(t)
		s := d.join("c", role)
		s.call(1)
		asked := len(rt.calls())
		switch may := role.May(access.Run); {
		case may && asked != 1:
			t.Errorf("%s: the runtime got %d calls, want one", role, asked)
		case !may:
			wantAnswers(t, s, "1 forbidden")
			if asked != 0 || s.closed() {
				t.Errorf("%s: the runtime got %d calls and the connection ended %t, want neither", role, asked, s.closed())
			}
		}
	}
}

func TestSY121ACallGoesToTheCodeRuntimeAloneAndItsAnswerToTheCaller(t *testing.T) {
	d, rt, ada := ready(t)
	bob := d.join("bob", access.Owner)
	ai := d.seat("runtime:ai", access.Runtime, protocol.Hello{Client: "ai", Runtime: "ai"})
	ai.push(&event.RuntimeStarted{Runtime: "ai", Takes: event.TakesAI})
	d.commit()
	for _, s := range []*seat{rt, ada, bob, ai} {
		s.take()
	}
	before := d.Notebook().Seq()
	params := json.RawMessage(`{"source":"pri","cursor":3}`)
	ada.send(&protocol.Call{ID: 7, From: "person:mallory", Method: protocol.MethodComplete, Params: params})
	bob.send(&protocol.Call{ID: 7, Method: protocol.MethodInspect})
	want := []*protocol.Call{
		{ID: 1, From: "person:ada", Method: protocol.MethodComplete, Params: params},
		{ID: 2, From: "person:bob", Method: protocol.MethodInspect},
	}
	if diff := cmp.Diff(want, only[*protocol.Call](rt.take())); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	rt.send(&protocol.Answer{ID: 2, Result: json.RawMessage(`{"found":false}`)})
	rt.send(&protocol.Answer{ID: 1, Error: &protocol.CallError{Code: protocol.CodeNotFound, Message: "no"}})
	rt.send(&protocol.Answer{ID: 1, Result: json.RawMessage(`"again"`)})
	wantAnswers(t, ada, "7 not-found")
	wantAnswers(t, bob, `7 {"found":false}`)
	d.commit()
	if got := d.Notebook().Seq(); got != before || len(ai.take())+len(rt.take()) != 0 {
		t.Errorf("got %d events and messages for others, want none", got-before)
	}
}

func TestSY122WithoutARuntimeACallIsUnavailableAtOnce(t *testing.T) {
	d := newDesk(t, nil)
	ada := d.join("ada", access.Runner)
	ada.call(1)
	wantAnswers(t, ada, "1 unavailable")

	rt, epoch := d.joinRuntime("rt")
	d.Leave(rt.Member)
	ada.take()
	ada.call(2)
	wantAnswers(t, ada, "2 unavailable")

	rt = d.seat("runtime:rt", access.Runtime, protocol.Hello{Client: "of-rt", Runtime: "rt"})
	ada.call(3)
	if got := rt.calls(); len(got) != 1 {
		t.Errorf("got %d calls for a runtime that came back, want one", len(got))
	}
	d.submit(&event.RuntimeStopped{Runtime: "rt", Epoch: epoch, Reason: event.StopShutdown})
	ada.take()
	ada.call(4)
	wantAnswers(t, ada, "4 unavailable")
}

func TestSY123ACallEndsWhenItsRuntimeLeaves(t *testing.T) {
	d, rt, ada := ready(t)
	ada.call(1)
	ada.call(2)
	rt.send(&protocol.Answer{ID: 1, Result: json.RawMessage(`1`)})
	d.Leave(rt.Member)
	wantAnswers(t, ada, "1 1", "2 unavailable")

	again := d.seat("runtime:rt", access.Runtime, protocol.Hello{Client: "of-rt", Runtime: "rt"})
	again.send(&protocol.Answer{ID: 2, Result: json.RawMessage(`2`)})
	wantAnswers(t, ada)
}

func TestSY123ACallEndsWhenItsTimeIsUp(t *testing.T) {
	d, rt, ada := ready(t)
	ada.call(1)
	d.now += 4_000
	ada.call(2)
	if at, ok := d.NextDeadline(); !ok || at != d.now-4_000+callTime {
		t.Errorf("the room wakes up at %d (%t), want %d", at, ok, d.now-4_000+callTime)
	}
	d.expire(callTime - 4_000 - 1)
	wantAnswers(t, ada)
	d.expire(1)
	wantAnswers(t, ada, "1 unavailable")
	ids := rt.calls()
	rt.send(&protocol.Answer{ID: ids[0], Result: json.RawMessage(`"late"`)})
	rt.send(&protocol.Answer{ID: ids[1], Result: json.RawMessage(`"well"`)})
	wantAnswers(t, ada, `2 "well"`)
	if d.expire(callTime); !d.RuntimePresent(event.TakesCode) {
		t.Error("the runtime is gone, want it to stay")
	}
	if _, ok := d.NextDeadline(); ok {
		t.Error("the room wakes up though nothing waits")
	}
}

func TestSY123AnAnswerToACallerThatHasLeftGoesNowhere(t *testing.T) {
	d, rt, ada := ready(t)
	ada.call(1)
	d.Leave(ada.Member)
	again := d.join("ada", access.Runner)
	again.call(1)
	for i, id := range rt.calls() {
		rt.send(&protocol.Answer{ID: id, Result: fmt.Append(nil, i)})
	}
	wantAnswers(t, again, "1 1")
}

func TestSY124CallsAreBounded(t *testing.T) {
	d, rt, ada := ready(t)
	big := json.RawMessage(`"` + strings.Repeat("a", 1<<20-2) + `"`)
	for what, c := range map[string]*protocol.Call{
		"too large":    {ID: 1, Method: protocol.MethodComplete, Params: append(big[:len(big)-1:len(big)-1], `a"`...)},
		"not UTF-8":    {ID: 1, Method: protocol.MethodComplete, Params: json.RawMessage("\"\xff\"")},
		"not JSON":     {ID: 1, Method: protocol.MethodComplete, Params: json.RawMessage(`{`)},
		"no method":    {ID: 1},
		"a bad method": {ID: 1, Method: "a b"},
	} {
		ada.send(c)
		if got := only[*protocol.Answer](ada.take()); len(got) != 1 || got[0].Error.Code != protocol.CodeInvalid {
			t.Errorf("%s: got %+v, want invalid", what, got)
		}
	}
	ada.send(&protocol.Call{ID: 1, Method: protocol.MethodComplete, Params: big})
	if got := len(rt.calls()); got != 1 {
		t.Errorf("got %d calls, want the one that fits", got)
	}
	ada.call(1)
	wantAnswers(t, ada, "1 invalid") // its id waits
	for id := range uint64(16) {
		ada.call(2 + id)
	}
	wantAnswers(t, ada, "17 unavailable")
	if got := len(rt.calls()); got != 15 {
		t.Errorf("got %d more calls, want fifteen", got)
	}
	bob := d.join("bob", access.Runner)
	bob.call(1)
	if got := len(rt.calls()); got != 1 {
		t.Errorf("got %d calls of another, want one", got)
	}
}

func TestSY124AnswersAreBounded(t *testing.T) {
	_, rt, ada := ready(t)
	long := strings.Repeat("a", 1<<20)
	for what, a := range map[string]*protocol.Answer{
		"too large":              {Result: json.RawMessage(`"` + long + `"`)},
		"too large an error":     {Error: &protocol.CallError{Code: protocol.CodeInvalid, Message: long}},
		"not JSON":               {Result: json.RawMessage(`{`)},
		"not UTF-8":              {Result: json.RawMessage("\"\xff\"")},
		"not JSON, with another": {Result: json.RawMessage(`{`), Error: &protocol.CallError{Code: protocol.CodeInternal, Message: "no"}},
	} {
		ada.call(1)
		a.ID = rt.calls()[0]
		rt.send(a)
		got := only[*protocol.Answer](ada.take())
		if len(got) != 1 || got[0].Error == nil || got[0].Error.Code != protocol.CodeInternal || len(got[0].Error.Message) > 100 {
			t.Errorf("%s: got %d answers, want that it is no answer", what, len(got))
		}
	}
}

func TestSY125AnAnswerOfOneThatWasNotAskedIsNotPassedOn(t *testing.T) {
	d, rt, ada := ready(t)
	other := d.seat("runtime:ai", access.Runtime, protocol.Hello{Client: "ai", Runtime: "ai"})
	mallory := d.join("mallory", access.Owner)
	ada.call(1)
	id := rt.calls()[0]
	other.send(&protocol.Answer{ID: id, Result: json.RawMessage(`"forged"`)})
	mallory.send(&protocol.Answer{ID: id, Result: json.RawMessage(`"forged"`)})
	wantClosed(t, mallory, protocol.CodeForbidden)
	wantAnswers(t, ada)
	if other.closed() {
		t.Error("a runtime that answered for another is gone, want its answer to be passed over")
	}
	rt.send(&protocol.Answer{ID: id, Result: json.RawMessage(`"true"`)})
	wantAnswers(t, ada, `1 "true"`)
}

func TestSY126OneWhoDoesNotKeepUpHoldsUpNobody(t *testing.T) {
	d, rt, ada := ready(t)
	large := json.RawMessage(`"` + strings.Repeat("a", 1<<20-2) + `"`)
	ada.send(&protocol.Call{ID: 1, Method: protocol.MethodComplete, Params: large})
	ada.send(&protocol.Call{ID: 2, Method: protocol.MethodComplete, Params: large})
	wantAnswers(t, ada, "2 unavailable") // the runtime has not taken the first

	ids := rt.calls()
	ada.call(3)
	ada.call(4)
	ids = append(ids, rt.calls()...)
	for _, id := range ids { // which the caller does not take
		rt.send(&protocol.Answer{ID: id, Result: large})
	}
	answers := only[*protocol.Answer](ada.take())
	if len(answers) != 3 || answers[0].Error != nil || answers[1].Error == nil || answers[2].Error == nil {
		t.Errorf("got %d answers, want the first, and that the others did not fit", len(answers))
	}
	for id := range uint64(40_000) { // small answers have a bound too
		ada.send(&protocol.Call{ID: id})
	}
	messages := ada.take()
	if len(only[*protocol.Resume](messages)) != 1 || len(messages) == 40_000 || !ada.closed() {
		t.Errorf("got %d messages, want a bound, a Resume and the end", len(messages))
	}
	if got := d.Members(); got != 1 {
		t.Errorf("got %d members, want the runtime", got)
	}
}

func TestSY123WhenTheLogFailsEveryCallEnds(t *testing.T) {
	broken := fmt.Errorf("no space left")
	d := newDesk(t, nil)
	rt, _ := d.joinRuntime("rt")
	ada := d.join("ada", access.Editor)
	ada.call(1)
	d.log.Fail(broken, false)
	ada.push(newCell("c"))
	if err := d.Commit(t.Context()); err == nil {
		t.Fatal("got no error, want the log's")
	}
	for _, s := range []*seat{rt, ada} {
		if !s.closed() {
			t.Error("a connection is open, want all to connect again")
		}
	}
	if _, ok := d.NextDeadline(); !ok {
		t.Error("got nothing to wait for, want the runtime's lease")
	}
	d.now += callTime
	d.expire(0)
	wantAnswers(t, ada)
}
