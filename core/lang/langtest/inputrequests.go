package langtest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/quirehq/quire/core/lang"
)

func (s suite) asking() []rule {
	p := s.programs
	return []rule{
		{"asks after the output before it, and gives the answer", p.Ask, s.asks},
		{"asks for a secret and keeps it", p.AskSecret, s.asksSecret},
		{"delivers while it asks what others print", p.AskTicks, s.printsMeanwhile},
		{"ends a question when it is interrupted", p.Ask, s.stopsAsking(func(engine lang.Engine, _ func()) error {
			return engine.Interrupt()
		})},
		{"ends a question when the context ends", p.Ask, s.stopsAsking(func(_ lang.Engine, cancel func()) error {
			cancel()
			return nil
		})},
		{"ends a question when the time is over", p.Ask, s.stopsAskingInTime},
		{"closes under a question", p.Ask, s.closesUnderQuestion},
		{"says that no user can be asked", p.Ask, s.asksNobody},
		{"says why nobody answers", p.Ask, s.getsNoAnswer},
	}
}

// person is an Ask for tests: it gives an answer, or waits for the end of its context.
type person struct {
	answer string
	asked  chan lang.Question // nil for a person who answers at once
	ended  chan error         // why an unanswered question ended
}

// silent is a person who never answers.
func silent() *person {
	return &person{asked: make(chan lang.Question, 1), ended: make(chan error, 1)}
}

func (p *person) ask(ctx context.Context, q lang.Question) (string, error) {
	if p.asked == nil {
		return p.answer, nil
	}
	p.asked <- q
	<-ctx.Done()
	p.ended <- context.Cause(ctx)
	return "", context.Cause(ctx)
}

func (s suite) asks(t TB) {
	engine := s.used(t)
	for _, answer := range []string{"Ada", "", "é🐎 \"'\\ x"} {
		sink := &Recorder{}
		ask := func(_ context.Context, q lang.Question) (string, error) {
			if want := (lang.Question{Prompt: "name? "}); q != want {
				t.Errorf("got %+v, want %+v", q, want)
			}
			same(t, sink, "stdout: before\n")
			return answer, nil
		}
		result, err := engine.Execute(deadline(t), lang.Request{Source: s.programs.Ask, Ask: ask}, sink)
		if err = errors.Join(err, failure(result)); err != nil {
			t.Fatal(err)
		}
		same(t, sink, "stdout: before\n"+answer+"\n")
	}
}

func (s suite) asksSecret(t TB) {
	const secret = "correct horse"
	sink := &Recorder{}
	ask := func(_ context.Context, q lang.Question) (string, error) {
		if want := (lang.Question{Prompt: "word? ", Secret: true}); q != want {
			t.Errorf("got %+v, want %+v", q, want)
		}
		return secret, nil
	}
	result, err := s.used(t).Execute(deadline(t), lang.Request{Source: s.programs.AskSecret, Ask: ask}, sink)
	if err = errors.Join(err, failure(result)); err != nil {
		t.Fatal(err)
	}
	same(t, sink, fmt.Sprintf("stdout: %d\n", len(secret)))
}

// printsMeanwhile answers only once text arrives that was written after the question: two ticks, because the first may
// be older.
func (s suite) printsMeanwhile(t TB) {
	ticks := make(chan struct{}, 1)
	sink := &Recorder{OnStream: func(string, string) {
		select {
		case ticks <- struct{}{}:
		default:
		}
	}}
	ask := func(ctx context.Context, _ lang.Question) (string, error) {
		for range 2 {
			select {
			case <-ticks:
			case <-ctx.Done():
				return "", context.Cause(ctx)
			}
		}
		return "no", nil
	}
	result, err := s.used(t).Execute(deadline(t), lang.Request{Source: s.programs.AskTicks, Ask: ask}, sink)
	if err = errors.Join(err, failure(result)); err != nil {
		t.Fatal(err)
	}
	if rest := strings.ReplaceAll(sink.Text(lang.Stdout), "tick\n", ""); rest != "" {
		t.Errorf("got %q besides the ticks, want nothing", rest)
	}
}

// stopsAsking stops a run that asks, and checks that the question ends, the state is kept, and the next question is
// answered.
func (s suite) stopsAsking(stop func(engine lang.Engine, cancel func()) error) func(TB) {
	return func(t TB) {
		engine := s.prepare(t)
		for range 3 {
			ctx, cancel := context.WithCancel(deadline(t))
			defer cancel()
			nobody := silent()
			done := start(ctx, t, engine, lang.Request{Source: s.programs.Ask, Ask: nobody.ask})
			<-nobody.asked
			check(t, stop(engine, cancel))
			s.stoppedAsking(t, engine, nobody, <-done, lang.CauseInterrupted)
		}
	}
}

func (s suite) stopsAskingInTime(t TB) {
	engine := s.prepare(t)
	nobody := silent()
	done := start(deadline(t), t, engine, lang.Request{Source: s.programs.Ask, Ask: nobody.ask, Timeout: enough})
	s.stoppedAsking(t, engine, nobody, <-done, lang.CauseTimedOut)
}

func (s suite) stoppedAsking(t TB, engine lang.Engine, nobody *person, end outcome, cause lang.Cause) {
	t.Helper()
	if err := <-nobody.ended; err == nil {
		t.Error("the context of the question has no cause")
	}
	if end.err != nil || end.result.Err == nil || end.result.Err.Cause != cause {
		t.Fatalf("got %+v, %v, want an error that was %s", end.result, end.err, cause)
	}
	same(t, end.sink, "stdout: before\n")
	if s.programs.Get != "" && !engine.Info().LosesState {
		expect(t, engine, s.programs.Get, s.programs.Got)
	}
	answers := person{answer: "again"}
	sink := &Recorder{}
	if _, err := engine.Execute(deadline(t), lang.Request{Source: s.programs.Ask, Ask: answers.ask}, sink); err != nil {
		t.Fatal(err)
	}
	same(t, sink, "stdout: before\nagain\n")
}

func (s suite) closesUnderQuestion(t TB) {
	engine := s.load(t)
	nobody := silent()
	done := start(deadline(t), t, engine, lang.Request{Source: s.programs.Ask, Ask: nobody.ask})
	<-nobody.asked
	if err := engine.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if end := <-done; !errors.Is(end.err, lang.ErrClosed) {
		t.Errorf("got %+v, %v, want ErrClosed", end.result, end.err)
	}
	<-nobody.ended
}

func (s suite) asksNobody(t TB) {
	engine := s.used(t)
	sink, result := run(t, engine, s.programs.Ask)
	same(t, sink, "stdout: before\n")
	if result.Err == nil || result.Err.Name != s.programs.Nobody || result.Err.Message == "" {
		t.Errorf("got %v, want %s with a reason", result.Err, s.programs.Nobody)
	}
	expect(t, engine, s.programs.Hello, "stdout: hello\n")
}

func (s suite) getsNoAnswer(t TB) {
	engine := s.used(t)
	late := func(context.Context, lang.Question) (string, error) {
		return "", fmt.Errorf("%w within a minute", lang.ErrNoAnswer)
	}
	result, err := engine.Execute(deadline(t), lang.Request{Source: s.programs.Ask, Ask: late}, &Recorder{})
	if err != nil {
		t.Fatal(err)
	}
	if result.Err == nil || result.Err.Name != s.programs.NoAnswer || !strings.Contains(result.Err.Message, "within a minute") {
		t.Errorf("got %v, want %s that says why", result.Err, s.programs.NoAnswer)
	}
	expect(t, engine, s.programs.Hello, "stdout: hello\n")
}
