package replica_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quirehq/quire/core/room/roomtest"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
)

func TestSY127ACallAndItsAnswerBelongToTheirConnection(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	g := newGuest(d, replica.New("ada"))
	if _, err := replica.New("x").Call(protocol.MethodVariables, nil); replicaCode(err) != protocol.CodeUnavailable {
		t.Errorf("offline: got %v, want unavailable", err)
	}
	id, err := g.Call(protocol.MethodVariables, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := g.TakeAnswer(id); got != nil {
		t.Errorf("got %+v before there is an answer", got)
	}
	g.cut()
	if got := g.TakeAnswer(id); got == nil || got.Error == nil || got.Error.Code != protocol.CodeUnavailable {
		t.Errorf("got %+v, want that the connection was lost", got)
	}
	if got := g.TakeAnswer(id); got != nil {
		t.Errorf("got %+v again, want it once", got)
	}
	g.connect(d)
	g.receive()
	if out := g.Outgoing(); len(out) != 0 {
		t.Errorf("got %v, want the call not to be sent again", out)
	}
	next, err := g.Call(protocol.MethodVariables, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = g.Receive(&protocol.Answer{ID: id, Result: json.RawMessage(`"old"`)})
	if got := g.TakeAnswer(next); next == id || got != nil {
		t.Errorf("got %+v for call %d, want only its own answer", got, next)
	}
	g.DropCall(next)
	_, _ = g.Receive(&protocol.Answer{ID: next, Result: json.RawMessage(`"late"`)})
	if got := g.TakeAnswer(next); got != nil {
		t.Errorf("got %+v for a call that was dropped", got)
	}
}

func TestSY127ARuntimeAnswersOnlyOnTheConnectionOnWhichItWasAsked(t *testing.T) {
	d, rt, ada := roomtest.NewWithRuntime(t)
	d.Leave(rt.Member)
	r := replica.NewRuntime("of-rt", "rt")
	g := &guest{Replica: r}
	g.connect(d)
	g.receive()
	ada.CallVariables(1)
	g.receive()
	old := g.TakeCalls()
	if len(old) != 1 || old[0].From != "person:ada" {
		t.Fatalf("got %+v, want the call", old)
	}
	g.cut()
	roomtest.WantAnswers(t, ada, "1 unavailable")
	d.Restart() // and counts its calls from one again
	ada = d.AddPerson("ada", access.Runner)
	g.connect(d)
	g.receive()
	ada.CallVariables(1)
	g.receive()
	r.Answer(&old[0], json.RawMessage(`"old"`), nil)
	next := g.TakeCalls()
	if len(next) != 1 || next[0].ID != old[0].ID {
		t.Fatalf("got %+v, want the id that the other call had", next)
	}
	r.Answer(&next[0], json.RawMessage(`"new"`), nil)
	g.send()
	roomtest.WantAnswers(t, ada, `1 "new"`)
}

func TestSY127WhoIsNoRuntimeOrHasTooMuchToAnswerSaysSo(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	for what, r := range map[string]*replica.Replica{"no runtime": replica.New("a"), "a runtime": replica.NewRuntime("b", "rt")} {
		g := newGuest(d, r)
		sent := 0
		for id := range uint64(1_000) {
			if _, err := g.Receive(&protocol.Call{ID: id, Method: "x"}); err != nil {
				t.Fatal(err)
			}
			sent += len(g.Outgoing())
		}
		if kept := len(g.TakeCalls()); kept+sent != 1_000 || kept > 256 || kept > 0 != (what == "a runtime") {
			t.Errorf("%s: got %d calls kept and %d answered, want a bound", what, kept, sent)
		}
	}
}

// replicaCode returns the code of a call's error.
func replicaCode(err error) protocol.Code {
	if failed, ok := err.(*protocol.CallError); ok {
		return failed.Code
	}
	return ""
}

func TestSY127ACallThatCannotBeIsNotMade(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	viewer := &guest{Replica: replica.New("v")}
	viewer.seat = d.Connect("person:v", access.Viewer, *viewer.Hello())
	viewer.receive()
	editor := newGuest(d, replica.New("e"))
	for what, test := range map[string]struct {
		r      *replica.Replica
		params json.RawMessage
		want   protocol.Code
	}{
		"a viewer's": {viewer.Replica, nil, protocol.CodeForbidden},
		"too large":  {editor.Replica, json.RawMessage(`"` + strings.Repeat("a", 1<<20) + `"`), protocol.CodeInvalid},
		"no JSON":    {editor.Replica, json.RawMessage(`{`), protocol.CodeInvalid},
		"no UTF-8":   {editor.Replica, json.RawMessage("\"\xff\""), protocol.CodeInvalid},
	} {
		if _, err := test.r.Call(protocol.MethodComplete, test.params); replicaCode(err) != test.want {
			t.Errorf("%s: got %v, want %s", what, err, test.want)
		}
		if out := test.r.Outgoing(); len(out) != 0 {
			t.Errorf("%s: got %d messages, want none", what, len(out))
		}
	}
}

// serve runs a runtime that answers every call with its method, unless that is "sleep".
func (o *office) serve(t *testing.T) {
	t.Helper()
	s, _ := o.open(replica.NewRuntime("of-rt", "rt"), func(c *replica.SessionConfig) {
		c.Updated = func(r *replica.Replica, _ replica.Update) {
			for _, c := range r.TakeCalls() {
				if c.Method != "sleep" {
					r.Answer(&c, json.RawMessage(`"`+string(c.Method)+`"`), nil)
				}
			}
		}
	})
	if err := s.Wait(t.Context(), online); err != nil {
		t.Fatal(err)
	}
	if err := s.Do(t.Context(), &event.RuntimeStarted{Runtime: "rt", Takes: event.TakesCode}); err != nil {
		t.Fatal(err)
	}
}

func TestSY128ACallThroughASessionReturnsItsAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t)
		s, _ := o.open(replica.New("a"), nil)
		if _, err := s.Call(t.Context(), "early", nil); replicaCode(err) != protocol.CodeUnavailable {
			t.Errorf("before it is connected: got %v, want unavailable", err)
		}
		o.serve(t)
		if err := s.Wait(t.Context(), online); err != nil {
			t.Fatal(err)
		}
		got, err := s.Call(t.Context(), "echo", map[string]int{"a": 1})
		if err != nil || string(got) != `"echo"` {
			t.Errorf("got %s, %v, want the answer", got, err)
		}
		if _, err := s.Call(t.Context(), "a method", nil); replicaCode(err) != protocol.CodeInvalid {
			t.Errorf("got %v, want invalid", err)
		}
		if _, err := s.Call(t.Context(), "echo", func() {}); err == nil {
			t.Error("got no error for params that are no JSON")
		}
	})
}

func TestSY128ACallThroughASessionWaitsNoLongerThanItMust(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t)
		o.serve(t)
		s, _ := o.open(replica.New("a"), nil)
		if err := s.Wait(t.Context(), online); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.Call(ctx, "sleep", nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the end of the context", err)
		}
		began := time.Now()
		if _, err := s.Call(t.Context(), "sleep", nil); replicaCode(err) != protocol.CodeUnavailable {
			t.Errorf("got %v, want unavailable", err)
		}
		if took := time.Since(began); took != 10*time.Second {
			t.Errorf("took %v, want ten seconds", took)
		}
		lost := make(chan error, 1)
		go func() {
			_, err := s.Call(t.Context(), "sleep", nil)
			lost <- err
		}()
		synctest.Wait()
		o.cut()
		if err := <-lost; replicaCode(err) != protocol.CodeUnavailable {
			t.Errorf("got %v, want that the connection was lost", err)
		}
	})
}
