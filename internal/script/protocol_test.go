//go:build unix

package script

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
)

// loadFake returns a fake engine that is ready.
func loadFake(t *testing.T, name string, pipes Pipes) *Engine {
	t.Helper()
	engine := fakeEngine(t, name, pipes, time.Minute)
	if err := engine.Load(deadline(t), nil); err != nil {
		t.Fatal(err)
	}
	return engine
}

func lines(t *testing.T, sink *langtest.Recorder, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, sink.Lines()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEP1AndEP6NewsAreIgnoredAndEarlyOutputIsKept(t *testing.T) {
	t.Parallel()
	engine := fakeEngine(t, "news", Stdio, time.Minute)
	var steps []string
	if err := engine.Load(deadline(t), func(p lang.Progress) { steps = append(steps, fmt.Sprint(p.Text, p.Done, p.Total)) }); err != nil {
		t.Fatal(err)
	}
	if len(steps) != 2 || steps[1] != "half1 2" {
		t.Errorf("got the steps %q", steps)
	}
	sink, _ := run(t, engine, "x")
	lines(t, sink, "stdout: early ")
}

func TestEP3AndEP7WhatBreaksTheProtocolEndsTheEngine(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"no message":   `the engine broke the protocol in its line 2: not a message, which is a JSON object: invalid character 'S' looking for beginning of value: "Segmentation fault: not JSON"`,
		"wrong field":  `the engine broke the protocol in its line 2: malformed message: `,
		"no hello":     "exit status 4",
		"version 2":    "it speaks version 2 of the engine protocol, and this Quire speaks version 1",
		"no interrupt": `its hello has the interrupt "maybe": it must be signal, message or none`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			engine := fakeEngine(t, name, Stdio, time.Minute)
			err := engine.Load(deadline(t), nil)
			if err == nil {
				_, err = engine.Execute(deadline(t), lang.Request{Source: "x"}, &langtest.Recorder{})
			}
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %q", err, want)
			}
			if name == "no hello" && !strings.Contains(err.Error(), "a library is missing") {
				t.Errorf("got %v, want what the program has said", err)
			}
		})
	}
}

func TestEP8CharactersAreJoinedAndBytesReplaced(t *testing.T) {
	t.Parallel()
	sink, _ := run(t, loadFake(t, "split", Stdio), "x")
	lines(t, sink, "stdout: 🐎a\uFFFDé\uFFFD")
}

func TestEP2AndEP11RawTextIsDeliveredBeforeTheEnd(t *testing.T) {
	t.Parallel()
	engine := loadFake(t, "marked", Descriptors)
	for i := 1; i <= 20; i++ {
		sink, _ := run(t, engine, "x")
		for _, stream := range []string{lang.Stdout, lang.Stderr} {
			if got, want := sink.Text(stream), fmt.Sprintf("raw %d\n", i); got != want {
				t.Errorf("got %q on %s, want %q", got, stream, want)
			}
		}
	}
}

func TestEP28AndEP29OutputIsInTheOrderOfItsMarks(t *testing.T) {
	t.Parallel()
	sink, _ := run(t, loadFake(t, "marks", Descriptors), "x")
	lines(t, sink, "stdout: first\n", "stderr: second\n", "display: text/plain third", "stdout: fourth\n", "stderr: fifth\n")
}

func TestEP12OutputGoesToItsRun(t *testing.T) {
	t.Parallel()
	engine := loadFake(t, "late", Stdio)
	first, _ := run(t, engine, "x")
	second, _ := run(t, engine, "y")
	lines(t, first, "stdout: of 1")
	lines(t, second, "stdout: of 2")
}

func TestEP15AndEP17TheEndOfAProcess(t *testing.T) {
	t.Parallel()
	engine := loadFake(t, "gone", Stdio)
	result, err := engine.Execute(deadline(t), lang.Request{}, &langtest.Recorder{})
	if err != nil || result.Exit != lang.ExitedGone {
		t.Errorf("got %+v, %v, want that the program has ended itself", result, err)
	}
	sink := &langtest.Recorder{}
	_, err = loadFake(t, "dies", Stdio).Execute(deadline(t), lang.Request{}, sink)
	if !errors.Is(err, lang.ErrDied) || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("got %v, want that it died with its status", err)
	}
	if sink.Text(lang.Stdout) != "last" || sink.Text(lang.Stderr) != "words" {
		t.Errorf("got %q, want the last words", sink.Lines())
	}
}

func TestEP18AndEP19ARunIsInterruptedOnce(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"begins": "prepares\n", "deaf at first": "started\n", "by message": "started\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			engine := loadFake(t, name, Stdio)
			started := make(chan struct{}, 1)
			sink := startedSink(started)
			go func() {
				<-started
				_ = engine.Interrupt()
			}()
			result, err := engine.Execute(deadline(t), lang.Request{}, sink)
			if err != nil || result.Err == nil || result.Err.Cause != lang.CauseInterrupted || result.Err.Name != "Stop" {
				t.Errorf("got %+v, %v, want it interrupted", result, err)
			}
			if got := sink.Text(lang.Stdout); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestEP20WhatCannotBeStoppedIsKilled(t *testing.T) {
	t.Parallel()
	engine := fakeEngine(t, "unstoppable", Stdio, 10*time.Millisecond)
	if err := engine.Load(deadline(t), nil); err != nil {
		t.Fatal(err)
	}
	if !engine.Info().LosesState {
		t.Error("it does not say that it loses its state")
	}
	started := make(chan struct{}, 1)
	go func() {
		<-started
		_ = engine.Interrupt()
	}()
	_, err := engine.Execute(deadline(t), lang.Request{}, startedSink(started))
	if !errors.Is(err, lang.ErrKilled) || !strings.Contains(err.Error(), "it cannot be interrupted") {
		t.Errorf("got %v, want it killed", err)
	}
}

func TestEP21AndEP22QuestionsEnd(t *testing.T) {
	t.Parallel()
	engine := loadFake(t, "asks", Stdio)
	asked := make(chan struct{}, 1)
	for name, c := range map[string]struct {
		ask  lang.Ask
		want string
	}{
		"answered": {func(_ context.Context, q lang.Question) (string, error) {
			if want := (lang.Question{Prompt: "name? ", Secret: true}); q != want {
				t.Errorf("got %+v, want %+v", q, want)
			}
			return "Ada", nil
		}, "Ada  false false"},
		"nobody": {nil, " no user can be asked here: set the value in the source, or pass it as a parameter true false"},
	} {
		sink := &langtest.Recorder{}
		if _, err := engine.Execute(deadline(t), lang.Request{Ask: c.ask}, sink); err != nil {
			t.Fatal(err)
		}
		if got := sink.Text(lang.Stdout); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	go func() {
		<-asked
		_ = engine.Interrupt()
	}()
	sink := &langtest.Recorder{}
	result, err := engine.Execute(deadline(t), lang.Request{Ask: func(ctx context.Context, _ lang.Question) (string, error) {
		asked <- struct{}{}
		<-ctx.Done()
		return "", context.Cause(ctx)
	}}, sink)
	if err != nil || result.Err == nil || result.Err.Cause != lang.CauseInterrupted || sink.Text(lang.Stdout) != "  true true" {
		t.Errorf("got %+v, %v and %q, want the question interrupted", result, err, sink.Lines())
	}
}

func TestEP23AndEP24CallsAreAnswered(t *testing.T) {
	t.Parallel()
	engine := loadFake(t, "calls", Stdio)
	run(t, engine, "x")
	a := engine.Abilities()
	if a.Completer == nil || a.Drainer == nil || a.Inspector != nil || a.Resetter != nil {
		t.Fatalf("got the abilities %+v, want those of can", a)
	}
	got, err := a.Completer.Complete(deadline(t), lang.Place{Source: "x", Cursor: 1})
	if want := (lang.Completion{End: 1, Items: []lang.Candidate{{Text: "xy", Kind: "name"}}}); err != nil || !cmp.Equal(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	if _, err := engine.Get(deadline(t), "y"); err == nil || err.Error() != "NameError: there is no y" {
		t.Errorf("got %v, want the error of the engine", err)
	}
	if err := engine.Reset(deadline(t)); !errors.Is(err, ErrCannot) {
		t.Errorf("got %v, want that it cannot", err)
	}
}

func TestEP26ASlowCallIsInterrupted(t *testing.T) {
	t.Parallel()
	engine := loadFake(t, "calls", Stdio)
	engine.patience = 10 * time.Millisecond
	if _, err := engine.Get(deadline(t), "slow"); err == nil {
		t.Error("got no error of a call that does not end")
	}
	engine.patience = time.Minute
	run(t, engine, "x")
	if _, err := engine.Complete(deadline(t), lang.Place{}); err != nil {
		t.Errorf("the next call: %v", err)
	}
}

func TestEP25ADrainDeliversWhatIsLeft(t *testing.T) {
	t.Parallel()
	engine := loadFake(t, "calls", Stdio)
	sink, _ := run(t, engine, "x")
	if left := engine.Drain(deadline(t), lang.Patience{Silent: time.Minute, Whole: time.Minute}); left {
		t.Error("got that work is left")
	}
	lines(t, sink, "stdout: drained")
}

func TestEP5AProcessThatStaysIsKilled(t *testing.T) {
	t.Parallel()
	engine := fakeEngine(t, "stays", Stdio, 10*time.Millisecond)
	if err := engine.Load(deadline(t), nil); err != nil {
		t.Fatal(err)
	}
	run(t, engine, "x")
	for range 2 {
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := engine.Execute(deadline(t), lang.Request{}, &langtest.Recorder{}); !errors.Is(err, lang.ErrClosed) {
		t.Errorf("got %v, want that it is closed", err)
	}
}
