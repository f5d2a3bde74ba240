package langtest

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/quirehq/quire/core/lang"
)

// outcome is the result of one Execute.
type outcome struct {
	sink   *Recorder
	result lang.Result
	err    error
}

// start executes a program that prints "started" on stdout, and returns when it has: from then on it can be stopped.
// The channel gives the outcome once.
func start(ctx context.Context, t TB, engine lang.Engine, req lang.Request) <-chan outcome {
	t.Helper()
	started := make(chan struct{}, 1)
	done := make(chan outcome, 1)
	sink := &Recorder{OnStream: func(_, text string) {
		if strings.Contains(text, "\n") { // some languages write it after the word
			select {
			case started <- struct{}{}:
			default:
			}
		}
	}}
	go func() {
		result, err := engine.Execute(ctx, req, sink)
		done <- outcome{sink, result, err}
	}()
	select {
	case <-started:
	case end := <-done:
		t.Fatalf("the program ended at once: %+v, %v", end.result, end.err)
	}
	return done
}

// stopped fails unless the run was stopped with an error of that cause, which has a name, and kept all its output, and the engine works and
// has its state.
func (s suite) stopped(t TB, engine lang.Engine, end outcome, cause lang.Cause) {
	t.Helper()
	if end.err != nil {
		t.Fatalf("got %v, want the engine to live", end.err)
	}
	if failed := end.result.Err; failed == nil || failed.Cause != cause || failed.Name == "" {
		t.Errorf("got error %+v, want one that was %s", failed, cause)
	}
	same(t, end.sink, "stdout: started\n")
	if s.programs.Get != "" && !engine.Info().LosesState {
		expect(t, engine, s.programs.Get, s.programs.Got)
	}
}

// prepare returns an engine with the variable of Set.
func (s suite) prepare(t TB) lang.Engine {
	t.Helper()
	engine := s.used(t)
	if s.programs.Set != "" {
		run(t, engine, s.programs.Set)
	}
	return engine
}

func (s suite) interrupts(source string) func(TB) {
	return func(t TB) {
		engine := s.prepare(t)
		for range 3 {
			done := start(deadline(t), t, engine, lang.Request{Source: source})
			if err := engine.Interrupt(); err != nil {
				t.Fatalf("interrupt: %v", err)
			}
			s.stopped(t, engine, <-done, lang.CauseInterrupted)
		}
	}
}

func (s suite) ignoresIdleInterrupt(t TB) {
	engine := s.used(t)
	for range 20 {
		if err := engine.Interrupt(); err != nil {
			t.Fatalf("interrupt: %v", err)
		}
		expect(t, engine, s.programs.Hello, "stdout: hello\n")
	}
}

func (s suite) stopsWithContext(t TB) {
	engine := s.prepare(t)
	ctx, cancel := context.WithCancel(deadline(t))
	done := start(ctx, t, engine, lang.Request{Source: s.programs.Loop})
	cancel()
	s.stopped(t, engine, <-done, lang.CauseInterrupted)
}

// enough is a time-out within which a program begins on a busy machine. A rule waits for the time-out itself and for
// nothing else.
const enough = 3 * time.Second

func (s suite) stopsInTime(t TB) {
	engine := s.prepare(t)
	done := start(deadline(t), t, engine, lang.Request{Source: s.programs.Loop, Timeout: enough})
	s.stopped(t, engine, <-done, lang.CauseTimedOut)
}

func (s suite) refusesToStart(t TB) {
	engine := s.used(t)
	reason := errors.New("not wanted any more")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(reason)
	sink := &Recorder{}
	_, err := engine.Execute(ctx, lang.Request{Source: s.programs.Hello}, sink)
	if !errors.Is(err, reason) {
		t.Errorf("got %v, want the cause of the context", err)
	}
	if len(sink.Events) != 0 {
		t.Errorf("got %q, want nothing to have run", sink.Lines())
	}
	expect(t, engine, s.programs.Hello, "stdout: hello\n")
}

func (s suite) killsStubborn(t TB) {
	engine := s.load(t)
	ctx, cancel := context.WithCancel(deadline(t))
	done := start(ctx, t, engine, lang.Request{Source: s.programs.Stubborn})
	cancel()
	if end := <-done; !errors.Is(end.err, lang.ErrDied) || !errors.Is(end.err, lang.ErrKilled) {
		t.Errorf("got %+v, %v, want ErrDied and ErrKilled", end.result, end.err)
	}
	s.staysDead(t, engine)
}

func (s suite) dies(t TB) {
	engine := s.load(t)
	sink := &Recorder{}
	_, err := engine.Execute(deadline(t), lang.Request{Source: s.programs.Die}, sink)
	if !errors.Is(err, lang.ErrDied) {
		t.Errorf("got %v, want ErrDied", err)
	}
	same(t, sink, "stdout: last\n")
	s.staysDead(t, engine)
}

func (s suite) staysDead(t TB, engine lang.Engine) {
	t.Helper()
	_, err := engine.Execute(deadline(t), lang.Request{Source: s.programs.Hello}, &Recorder{})
	if !errors.Is(err, lang.ErrDied) {
		t.Errorf("execute after death: got %v, want ErrDied", err)
	}
}

func (s suite) closesUnderRun(t TB) {
	engine := s.load(t)
	done := start(deadline(t), t, engine, lang.Request{Source: s.programs.Loop})
	if err := engine.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if end := <-done; !errors.Is(end.err, lang.ErrClosed) {
		t.Errorf("got %+v, %v, want ErrClosed", end.result, end.err)
	}
}
