package terminal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/host/native"
)

// stage is a room with a person who follows runs, and a runtime that does what the
// test says.
type stage struct {
	t       *testing.T
	room    *native.Loopback
	person  *Session
	runtime *replica.Session
}

func newStage(t *testing.T, payloads ...event.Payload) *stage {
	t.Helper()
	room, err := native.NewLoopback(t.Context(), room.Config{}, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, room: room}
	s.background(room.Run)
	if err := room.Submit(t.Context(), "person:ada", payloads...); err != nil {
		t.Fatal(err)
	}
	s.person, err = Join(t.Context(), "person", func(context.Context) (protocol.Conn, error) {
		return room.Dial("person:ada", access.Owner), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.person.Leave)
	return s
}

// background calls f until the test ends.
func (s *stage) background(f func(context.Context) error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(s.t.Context()))
	done := make(chan struct{})
	go func() { defer close(done); _ = f(ctx) }()
	s.t.Cleanup(func() { cancel(); <-done })
}

// attach starts the runtime.
func (s *stage) attach() {
	s.t.Helper()
	s.runtime = replica.NewSession(replica.SessionConfig{
		Replica: replica.NewRuntime("runtime", "rt"),
		Dial: func(context.Context) (protocol.Conn, error) {
			return s.room.Dial("runtime:rt", access.Runtime), nil
		},
	})
	s.background(s.runtime.Run)
	s.state(&event.RuntimeStarted{Runtime: "rt", Takes: event.TakesCode}, &event.RuntimeReady{Runtime: "rt", Epoch: 1})
}

// state states events as the runtime.
func (s *stage) state(payloads ...event.Payload) {
	s.t.Helper()
	if err := s.runtime.Do(s.t.Context(), payloads...); err != nil {
		s.t.Error(err)
	}
}

// requested waits for a run.
func (s *stage) requested(id event.RunID) {
	s.t.Helper()
	err := s.runtime.Wait(s.t.Context(), func(r *replica.Replica) bool { return r.Confirmed().Run(id) != nil })
	if err != nil {
		s.t.Error(err)
	}
}

// run starts a run.
func (s *stage) run(id event.RunID) {
	s.t.Helper()
	s.state(&event.RunAssigned{Run: id, Epoch: 1}, &event.RunStarted{Run: id, Epoch: 1})
}

func (s *stage) finish(id event.RunID, status event.RunStatus) {
	s.t.Helper()
	s.state(&event.RunFinished{Run: id, Epoch: 1, Status: status})
}

// follow follows runs, while something else happens, and returns the output and the ends of
// the runs.
func (s *stage) follow(ctx context.Context, timeout time.Duration, meanwhile func(), runs ...event.RunOf) (out string, ended []string, err error) {
	done := make(chan struct{})
	go func() { defer close(done); meanwhile() }()
	defer func() { <-done }()
	var buf bytes.Buffer
	f := &Follower{
		tracker: newTracker(runs, timeout), printer: testPrinter(&buf, &buf, false),
		Ended: func(o Outcome) { ended = append(ended, o.String()) },
	}
	err = f.Follow(ctx, s.person)
	return buf.String(), ended, err
}

// twoCells are the cells of most stages, and their runs.
func twoCells() []event.Payload {
	return []event.Payload{
		&event.CellCreated{Cell: "a", Kind: event.KindCode, Order: "A"},
		&event.CellCreated{Cell: "b", Kind: event.KindCode, Order: "B"},
	}
}

func twoRuns() []event.RunOf { return []event.RunOf{{Run: "r1", Cell: "a"}, {Run: "r2", Cell: "b"}} }

func TestFollowingEndsWithTheLastRunAndWritesAllOutput(t *testing.T) {
	s := newStage(t, twoCells()...)
	s.attach()
	meanwhile := func() {
		s.requested("r1")
		s.run("r1")
		s.state(&event.OutputAdded{Output: "o", Run: "r1", Epoch: 1, Value: event.Output{Kind: event.OutputStream, Stream: "stdout", Text: "one "}},
			&event.OutputAppended{Output: "o", Run: "r1", Epoch: 1, Text: "two\n"})
		s.finish("r1", event.StatusOK)
		s.run("r2")
		s.finish("r2", event.StatusOK)
	}
	out, ended, err := s.follow(t.Context(), 0, meanwhile, twoRuns()...)
	if err != nil || out != "one two\n" {
		t.Errorf("got %q, %v, want all that was printed", out, err)
	}
	if diff := cmp.Diff([]string{"@1 a ok", "@2 b ok"}, ended); diff != "" {
		t.Errorf("ended (-want +got):\n%s", diff)
	}
}

func TestWhatARunPrintsWhenItHasEndedIsWrittenUntilAllIsOver(t *testing.T) {
	s := newStage(t, twoCells()...)
	s.attach()
	late := func(id event.OutputID, text string) event.Payload {
		return &event.OutputAdded{
			Output: id, Run: "r1", Epoch: 1, Late: "a",
			Value: event.Output{Kind: event.OutputStream, Stream: "stdout", Text: text},
		}
	}
	var buf bytes.Buffer
	f := &Follower{
		tracker: newTracker(twoRuns(), 0), printer: testPrinter(&buf, &buf, false), Ended: func(Outcome) {},
		End: func(context.Context) {
			s.state(late("o2", "last\n"))
			_ = s.person.Wait(t.Context(), func(r *replica.Replica) bool { return r.Confirmed().Output("o2") != nil })
		},
	}
	s.background(func(context.Context) error {
		s.requested("r1")
		s.run("r1")
		s.finish("r1", event.StatusOK)
		s.run("r2")
		s.state(late("o1", "late\n"))
		s.finish("r2", event.StatusOK)
		return nil
	})
	if err := f.Follow(t.Context(), s.person); err != nil || buf.String() != "late\nlast\n" {
		t.Errorf("got %q, %v", buf.String(), err)
	}
}

func TestRunsBehindOneThatFailedEndTooWithoutAnEventOfTheirOwn(t *testing.T) {
	s := newStage(t, twoCells()...)
	s.attach()
	meanwhile := func() {
		s.requested("r1")
		s.run("r1")
		s.finish("r1", event.StatusError)
	}
	_, ended, err := s.follow(t.Context(), 0, meanwhile, twoRuns()...)
	if err != nil {
		t.Fatal(err)
	}
	if len(ended) != 2 || ended[0] != "@1 a error" || !strings.HasPrefix(ended[1], "@2 b cancelled (") {
		t.Errorf("got %q, want the first failed and the second cancelled", ended)
	}
}

func TestAnInterruptCancelsTheRunsAndWaitsForTheirEnd(t *testing.T) {
	s := newStage(t, twoCells()...)
	s.attach()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	meanwhile := func() {
		s.requested("r1")
		s.run("r1")
		cancel()
		err := s.runtime.Wait(t.Context(), func(r *replica.Replica) bool { return r.Confirmed().Run("r1").Cancelled })
		if err != nil {
			t.Error(err)
		}
		s.finish("r1", event.StatusCancelled)
	}
	_, ended, err := s.follow(ctx, 0, meanwhile, twoRuns()...)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want it to say that it was interrupted", err)
	}
	if len(ended) != 2 {
		t.Errorf("got %v, want both runs to have ended", ended)
	}
}

func TestAReaderThatHasGoneCancelsTheRunsAndTheReasonIsTheErrorOfTheWrite(t *testing.T) {
	s := newStage(t, twoCells()...)
	s.attach()
	read, write := io.Pipe()
	if err := read.CloseWithError(syscall.EPIPE); err != nil {
		t.Fatal(err)
	}
	var ended []string
	f := NewFollower(twoRuns(), 0, testPrinter(write, io.Discard, false))
	f.StopUnread = true
	f.Ended = func(o Outcome) { ended = append(ended, o.String()) }
	endless := false
	f.End = func(ctx context.Context) { endless = ctx.Err() == nil }
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.requested("r1")
		s.run("r1")
		s.state(&event.OutputAdded{Output: "o", Run: "r1", Epoch: 1, Value: event.Output{Kind: event.OutputStream, Stream: "stdout", Text: "one\n"}})
		if err := s.runtime.Wait(t.Context(), func(r *replica.Replica) bool { return r.Confirmed().Run("r1").Cancelled }); err != nil {
			t.Error(err)
		}
		s.finish("r1", event.StatusCancelled)
	}()
	err := f.Follow(t.Context(), s.person)
	<-done
	if !errors.Is(err, syscall.EPIPE) || endless || len(ended) != 2 {
		t.Errorf("got %v, %q, want both runs ended by the pipe, and no wait for what they left", err, ended)
	}
}

func TestARunOverItsTimeIsCancelled(t *testing.T) {
	s := newStage(t, twoCells()...)
	s.attach()
	meanwhile := func() {
		s.requested("r1")
		s.run("r1")
		err := s.runtime.Wait(t.Context(), func(r *replica.Replica) bool { return r.Confirmed().Run("r1").Cancelled })
		if err != nil {
			t.Error(err)
		}
		s.finish("r1", event.StatusCancelled)
	}
	var buf bytes.Buffer
	var ended Outcome
	f := NewFollower(twoRuns()[:1], time.Millisecond, testPrinter(&buf, &buf, false))
	f.Ended = func(o Outcome) { ended = o }
	done := make(chan struct{})
	go func() { defer close(done); meanwhile() }()
	err := f.Follow(t.Context(), s.person)
	<-done
	if err != nil || ended.String() != "@1 a cancelled (it took longer than 1ms)" || ended.Cause != event.CauseTimedOut {
		t.Errorf("got %s with the cause %q, %v", ended, ended.Cause, err)
	}
}

func TestALostRunStopsTheRestWhereItsVariablesAreMissed(t *testing.T) {
	s := newStage(t, twoCells()...)
	s.attach()
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.requested("r1")
		s.run("r1")
		s.finish("r1", event.StatusLost)
	}()
	var ended []string
	var buf bytes.Buffer
	f := &Follower{
		tracker: newTracker(twoRuns(), 0), KeepGoing: true, StopWhenLost: true, printer: testPrinter(&buf, &buf, false),
		Ended: func(o Outcome) { ended = append(ended, o.String()) },
	}
	err := f.Follow(t.Context(), s.person)
	<-done
	if diff := cmp.Diff([]string{"@1 a lost", "@2 b cancelled"}, ended); err != nil || diff != "" {
		t.Errorf("ended (-want +got), %v:\n%s", err, diff)
	}
}

func TestARuntimeThatCannotStartEndsTheWait(t *testing.T) {
	s := newStage(t, twoCells()...)
	s.attach()
	meanwhile := func() {
		s.requested("r1")
		s.state(&event.RuntimeStopped{Runtime: "rt", Epoch: 1, Reason: event.StopFailed, Detail: "python is missing"})
	}
	_, ended, err := s.follow(t.Context(), 0, meanwhile, twoRuns()...)
	if kind := kindOf(err); kind != Failed {
		t.Errorf("got kind %d of %v, want a failure", kind, err)
	}
	if len(ended) != 2 {
		t.Errorf("got %v, want both runs cancelled", ended)
	}
}

func TestARunThatANewerOneReplacedHasEnded(t *testing.T) {
	s := newStage(t, twoCells()...)
	s.attach()
	meanwhile := func() {
		s.requested("r1")
		other := &event.RunRequested{Runs: []event.RunOf{{Run: "r9", Cell: "a"}}}
		if err := s.room.Submit(t.Context(), "person:bob", &event.RunCancelled{Run: "r1"}, other); err != nil {
			t.Error(err)
		}
	}
	_, ended, err := s.follow(t.Context(), 0, meanwhile, twoRuns()[:1]...)
	if err != nil || len(ended) != 1 {
		t.Errorf("got %v, %v, want one run that ended", ended, err)
	}
}

func TestARefusedRequestIsAnError(t *testing.T) {
	s := newStage(t)
	if _, _, err := s.follow(t.Context(), 0, func() {}, twoRuns()...); err == nil {
		t.Error("got no error for runs of cells that do not exist")
	}
}

func (*quiz) Ends() bool { return false }

// quiz is a console whose person knows all answers.
type quiz struct{ prompts []string }

func (q *quiz) Ask(prompt string, secret bool) (string, error) {
	q.prompts = append(q.prompts, prompt)
	if secret {
		return "hush", nil
	}
	return "Ada", nil
}

func (*quiz) Restore() {}

func TestTheQuestionsOfAProgramAreAnsweredByWhoIsThere(t *testing.T) {
	s := newStage(t, twoCells()...)
	s.attach()
	q := &quiz{}
	var buf bytes.Buffer
	f := &Follower{
		tracker: newTracker(twoRuns()[:1], 0), printer: testPrinter(&buf, &buf, false), Ended: func(Outcome) {},
		Asker: &Asker{console: q, out: &buf, width: func() int { return 80 }},
	}
	done := make(chan struct{})
	var name string
	var secret protocol.Secret
	go func() {
		defer close(done)
		s.requested("r1")
		s.run("r1")
		s.state(&event.InputAsked{Input: "i1", Run: "r1", Epoch: 1, Prompt: "name: \x1b[2J"})
		_ = s.runtime.Wait(t.Context(), func(r *replica.Replica) bool {
			in := r.Confirmed().Input("i1")
			name = in.Value
			return in.Answered
		})
		s.state(&event.InputAsked{Input: "i2", Run: "r1", Epoch: 1, Prompt: "word: ", Secret: true})
		_ = s.runtime.Wait(t.Context(), func(r *replica.Replica) bool {
			calls := r.TakeCalls()
			if len(calls) == 0 {
				return false
			}
			_ = json.Unmarshal(calls[0].Params, &secret)
			r.Answer(&calls[0], json.RawMessage("{}"), nil)
			return true
		})
		s.finish("r1", event.StatusOK)
	}()
	err := f.Follow(t.Context(), s.person)
	<-done
	if err != nil || name != "Ada" || secret != (protocol.Secret{Input: "i2", Value: "hush"}) {
		t.Errorf("got %q and %+v, %v, want both answers", name, secret, err)
	}
	if diff := cmp.Diff([]string{"name: ␛[2J", "word: "}, q.prompts); diff != "" {
		t.Errorf("prompts (-want +got):\n%s", diff)
	}
}

func TestWhereNobodyIsAskedAQuestionIsSaid(t *testing.T) {
	s := newStage(t, twoCells()...)
	s.attach()
	out, _, err := s.follow(t.Context(), 0, func() {
		s.requested("r1")
		s.run("r1")
		s.state(&event.InputAsked{Input: "i1", Run: "r1", Epoch: 1, Prompt: "name: "})
		s.finish("r1", event.StatusOK)
	}, twoRuns()[:1]...)
	if want := "the program waits for input, which can be given where the notebook is open: name:\n"; err != nil || out != want {
		t.Errorf("got %q, %v, want %q", out, err, want)
	}
}

// kindOf returns the kind of an error, -1 if it has none.
func kindOf(err error) Kind {
	var e *Error
	if !errors.As(err, &e) {
		return -1
	}
	return e.Kind
}
