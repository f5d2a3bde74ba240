package terminal

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/replica"
)

func TestTheLineOfARunIsOfItsEndAlsoWhenAnotherRunOfItsCellBeganAtOnce(t *testing.T) {
	s := newStage(t, twoCells()...)
	s.attach()
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.requested("r1")
		if err := s.room.Submit(t.Context(), "person:bob", &event.RunRequested{Runs: []event.RunOf{{Run: "again", Cell: "a"}}}); err != nil {
			t.Error(err)
		}
		s.requested("again")
		s.run("r1")
		// In one message: the next run clears the outputs.
		s.state(&event.OutputAdded{Output: "o", Run: "r1", Epoch: 1, Value: event.Output{Kind: event.OutputStream, Stream: "stdout", Text: "one\n"}},
			&event.RunFinished{Run: "r1", Epoch: 1, Status: event.StatusError, Count: 7, Took: 5, Allowed: true},
			&event.RunAssigned{Run: "again", Epoch: 1}, &event.RunStarted{Run: "again", Epoch: 1},
			&event.OutputAdded{Output: "o2", Run: "again", Epoch: 1, Value: event.Output{Kind: event.OutputStream, Stream: "stdout", Text: "two\n"}})
	}()
	var buf, lines bytes.Buffer
	f := NewFollower(twoRuns()[:1], 0, testPrinter(&buf, &buf, false))
	f.Silent, f.KeepOutputs = true, true
	f.Ended = func(o Outcome) {
		if err := s.person.Wait(t.Context(), func(r *replica.Replica) bool { return r.Confirmed().Output("o2") != nil }); err != nil {
			t.Error(err)
		}
		if err := WriteEnded(&lines, o); err != nil {
			t.Error(err)
		}
	}
	if err := f.Follow(t.Context(), s.person); err != nil {
		t.Fatal(err)
	}
	<-done
	want := `{"cell":"a","position":1,"run":"r1","status":"error","started":true,"failed":false,"count":7,"took":5,"outputs":[{"kind":"stream","stream":"stdout","text":"one\n"}]}` + "\n"
	if diff := cmp.Diff(want, lines.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestARunThatIsLostWithItsRuntimeTookTheTimeFromItsStartToItsEnd(t *testing.T) {
	n := foldOf(t, append(twoCells(),
		&event.RuntimeStarted{Runtime: "rt", Takes: event.TakesCode}, &event.RuntimeReady{Runtime: "rt", Epoch: 1},
		&event.RunRequested{Runs: []event.RunOf{{Run: "r1", Cell: "a"}, {Run: "r2", Cell: "b"}}},
		&event.RunAssigned{Run: "r1", Epoch: 1}, &event.RunStarted{Run: "r1", Epoch: 1},
		&event.RuntimeStopped{Runtime: "rt", Epoch: 1, Reason: event.StopLease})...)
	if got := CellOf(n, n.Cell("a")).Run.Took; got != 1000 {
		t.Errorf("got %d ms of the run that had started, want the second between its start and its end", got)
	}
	if got := CellOf(n, n.Cell("b")).Run.Took; got != 0 {
		t.Errorf("got %d ms of the run that had not started, want none", got)
	}
	var b bytes.Buffer
	if err := Show(&b, "nb", n, false, nil); err != nil || !bytes.Contains(b.Bytes(), []byte("lost in 1s (the runtime's connection was gone for too long)")) {
		t.Errorf("got %s, %v, want how long it took and why it is lost", &b, err)
	}
}

func TestACellThatExecutesAndWaitsToDoSoAgainIsShownAsBoth(t *testing.T) {
	n := foldOf(t, append(twoCells(),
		&event.RuntimeStarted{Runtime: "rt", Takes: event.TakesCode}, &event.RuntimeReady{Runtime: "rt", Epoch: 1},
		&event.RunRequested{Runs: []event.RunOf{{Run: "r1", Cell: "a"}}}, &event.RunRequested{Runs: []event.RunOf{{Run: "r2", Cell: "a"}, {Run: "r3", Cell: "b"}}},
		&event.RunAssigned{Run: "r1", Epoch: 1}, &event.RunStarted{Run: "r1", Epoch: 1})...)
	var b bytes.Buffer
	if err := Show(&b, "nb", n, false, nil); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"@1  a  code  started, and pending again\n", "@2  b  code  pending\n"} {
		if !bytes.Contains(b.Bytes(), []byte(want)) {
			t.Errorf("got %s, want %q", &b, want)
		}
	}
}

func TestACellWhoseEngineCouldNotBeStartedHasNotStarted(t *testing.T) {
	s := newStage(t, twoCells()...)
	s.attach()
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.requested("r1")
		s.run("r1")
		s.state(&event.RunFinished{Run: "r1", Epoch: 1, Status: event.StatusError, Cause: event.CauseNotStarted})
	}()
	var buf bytes.Buffer
	f := NewFollower(twoRuns()[:1], 0, testPrinter(&buf, &buf, false))
	var ended Outcome
	f.Ended = func(o Outcome) { ended = o }
	err := f.Follow(t.Context(), s.person)
	<-done
	if err != nil || ended.Started || !ended.IsBad() || ended.IsUnrun() {
		t.Errorf("got %+v, %v, want a failure that has not started", ended, err)
	}
	n := s.person.Copy()
	report, err := Report{Ended: []Outcome{ended}}.JUnit(n)
	if err != nil || !bytes.Contains(report, []byte(`errors="1"`)) {
		t.Errorf("got %s, %v, want an error in the report", report, err)
	}
}
