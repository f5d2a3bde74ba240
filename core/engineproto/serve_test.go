package engineproto_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/engineproto"
	"github.com/quirehq/quire/core/lang"
)

// words is an interpreter of a language whose programs are words.
type words struct {
	variables map[string]json.RawMessage
	loads     error
	raw       bool
	late      []func() // work between runs
	working   chan struct{}
}

func (w *words) Load(_ context.Context, progress func(lang.Progress)) (engineproto.Hello, error) {
	w.variables = map[string]json.RawMessage{}
	progress(lang.Progress{Text: "warming up", Done: 1, Total: 2})
	return engineproto.Hello{Language: "words", Version: "1.0", Extension: ".words", MIME: "text/x-words", Raw: w.raw}, w.loads
}

func (w *words) Run(ctx context.Context, run *engineproto.Run, out *engineproto.Output) engineproto.Outcome {
	var err error
	for _, word := range strings.Fields(run.Source) {
		switch word {
		case "show":
			err = out.Display(lang.Text("text/html", "<b>"), "d")
		case "change":
			err = out.Update(lang.Text("text/html", "<i>"), "d")
		case "clear":
			err = out.Clear(true)
		case "warn":
			err = out.Fail(&engineproto.Error{Name: "Warning"})
		case "value":
			err = out.Result(lang.Text("text/plain", "42"))
		case "bytes":
			_, err = out.Stream(lang.Stdout).Write([]byte{'a', 0xff})
		case "stderr":
			err = out.Text(lang.Stderr, "stderr")
		case "huge":
			err = out.Text(lang.Stdout, strings.Repeat("🐎", 1<<20))
		case "wait":
			<-ctx.Done()
			return engineproto.Outcome{Error: engineproto.Stopped()}
		case "ask", "secret":
			var answer string
			if answer, err = out.Ask(ctx, "name? ", word == "secret"); err == nil {
				err = out.Text(lang.Stdout, answer)
			}
		case "later":
			w.late = append(w.late, func() { _ = out.Text(lang.Stdout, "late") })
		case "exit":
			return engineproto.Outcome{Exit: engineproto.Gone}
		default:
			err = out.Text(lang.Stdout, word)
		}
		if ctx.Err() != nil {
			return engineproto.Outcome{Error: engineproto.Stopped()}
		}
		if err != nil {
			return engineproto.Outcome{Error: &engineproto.Error{Name: "Trouble", Message: err.Error(), Line: 1}}
		}
	}
	return engineproto.Outcome{}
}

// Idle works until the run that wants it comes, and while work is left.
func (w *words) Idle(ctx context.Context, wake <-chan struct{}) {
	for _, work := range w.late {
		work()
	}
	w.late = nil
	if w.working != nil {
		close(w.working)
		w.working = nil
		<-ctx.Done()
	}
}

func (w *words) Complete(_ context.Context, at lang.Place) (lang.Completion, error) {
	return lang.Completion{End: at.Cursor, Items: []lang.Candidate{{Text: at.Source + "!"}}}, nil
}

func (w *words) Reset(context.Context) error {
	w.variables = map[string]json.RawMessage{}
	return nil
}

func (w *words) Install(_ context.Context, packages []string, out *engineproto.Output) error {
	if err := out.Text(lang.Stdout, "looking for "+packages[0]); err != nil {
		return err
	}
	return &engineproto.Error{Name: "NotFound", Message: packages[0]}
}

func (w *words) Get(_ context.Context, name string) (json.RawMessage, error) {
	if value, ok := w.variables[name]; ok {
		return value, nil
	}
	return nil, fmt.Errorf("there is no %s", name)
}

func (w *words) Set(_ context.Context, name string, value json.RawMessage) error {
	w.variables[name] = value
	return nil
}

func TestAnEngineSaysWhatItsInterpreterCan(t *testing.T) {
	h := start(t.Context(), t, &words{})
	want := []engineproto.FromEngine{
		&engineproto.Progress{Text: "warming up", Done: 1, Total: 2},
		&engineproto.Hello{
			Protocol: 1, Language: "words", Version: "1.0", Interrupt: engineproto.ByMessage, Extension: ".words", MIME: "text/x-words",
			Can: []engineproto.Method{engineproto.Complete, engineproto.Install, engineproto.Reset, engineproto.Get, engineproto.Set, engineproto.Drain},
		},
	}
	if diff := cmp.Diff(want, []engineproto.FromEngine{h.next(), h.next()}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := h.end(); err != nil {
		t.Errorf("got %v when the host goes, want no error", err)
	}
}

// ready serves words, whose first message is progress.
func ready(t *testing.T, in engineproto.Interpreter) *host {
	t.Helper()
	h := start(t.Context(), t, in)
	h.next()
	if _, ok := h.next().(*engineproto.Hello); !ok {
		t.Fatal("the second message is no hello")
	}
	return h
}

func TestOutputKeepsItsOrder(t *testing.T) {
	got := ready(t, &words{}).execute(1, "a b stderr show c change warn clear value d")
	bundle := func(mime, text string) map[string]json.RawMessage { return lang.Text(mime, text).Data }
	want := []engineproto.FromEngine{
		&engineproto.Text{Stream: "stdout", Text: "ab"},
		&engineproto.Text{Stream: "stderr", Text: "stderr"},
		&engineproto.Display{Data: bundle("text/html", "<b>"), ID: "d"},
		&engineproto.Text{Stream: "stdout", Text: "c"},
		&engineproto.Update{Data: bundle("text/html", "<i>"), ID: "d"},
		&engineproto.Failure{Error: &engineproto.Error{Name: "Warning"}},
		&engineproto.Clear{Wait: true},
		&engineproto.Result{Data: bundle("text/plain", "42")},
		&engineproto.Text{Stream: "stdout", Text: "d"},
		&engineproto.Done{Run: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBytesThatAreNoTextComeAsTheyAre(t *testing.T) {
	got := ready(t, &words{}).execute(1, "bytes")
	if diff := cmp.Diff(&engineproto.Text{Stream: "stdout", Base64: []byte{'a', 0xff}}, got[0]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestALongTextIsSentInPartsOfWholeCharacters(t *testing.T) {
	h := ready(t, &words{})
	h.send(&engineproto.Run{Run: 1, Source: "huge"})
	var all strings.Builder
	for {
		text, ok := h.next().(*engineproto.Text)
		if !ok {
			break
		}
		if len(text.Text) > 1<<20 || text.Base64 != nil {
			t.Errorf("got a part of %d bytes and %d bytes", len(text.Text), len(text.Base64))
		}
		all.WriteString(text.Text)
	}
	if all.String() != strings.Repeat("🐎", 1<<20) {
		t.Errorf("got %d bytes, want the text", all.Len())
	}
}

func TestTextIsNotHeldBackByAProgramThatWaits(t *testing.T) {
	h := ready(t, &words{})
	h.send(&engineproto.Run{Run: 1, Source: "before wait after"})
	if text, ok := h.next().(*engineproto.Text); !ok || text.Text != "before" {
		t.Fatalf("got %+v, want the text", text)
	}
	h.send(&engineproto.Interrupt{Run: 2}, &engineproto.Interrupt{Run: 1})
	want := []engineproto.FromEngine{&engineproto.Done{Run: 1, Error: engineproto.Stopped()}}
	if diff := cmp.Diff(want, h.until(1)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	h.send(&engineproto.Interrupt{Run: 1}, &engineproto.Interrupt{Run: 2})
	want = []engineproto.FromEngine{&engineproto.Text{Stream: "stdout", Text: "on"}, &engineproto.Done{Run: 2}}
	if diff := cmp.Diff(want, h.execute(2, "on")); diff != "" {
		t.Errorf("after interrupts of no run (-want +got):\n%s", diff)
	}
}

func TestAQuestionEndsWithAnAnswerOrAReasonOrTheRun(t *testing.T) {
	h := ready(t, &words{})
	for i, c := range []struct {
		source string
		then   engineproto.FromHost
		want   []engineproto.FromEngine
	}{
		{"ask", &engineproto.Answer{ID: 1, Text: "Ada"}, []engineproto.FromEngine{
			&engineproto.Text{Stream: "stdout", Text: "Ada"}, &engineproto.Done{Run: 1},
		}},
		{"secret", &engineproto.Answer{ID: 2, End: true, Why: "no answer within a minute"}, []engineproto.FromEngine{
			&engineproto.Done{Run: 2, Error: &engineproto.Error{Name: "Trouble", Message: "no answer within a minute", Line: 1}},
		}},
		{"ask", &engineproto.Answer{ID: 3, End: true}, []engineproto.FromEngine{
			&engineproto.Done{Run: 3, Error: &engineproto.Error{Name: "Trouble", Message: lang.ErrEnd.Error(), Line: 1}},
		}},
		{"ask", &engineproto.Interrupt{Run: 4}, []engineproto.FromEngine{&engineproto.Done{Run: 4, Error: engineproto.Stopped()}}},
	} {
		h.send(&engineproto.Run{Run: i + 1, Source: c.source})
		asked := &engineproto.Ask{ID: i + 1, Prompt: "name? ", Secret: c.source == "secret"}
		if diff := cmp.Diff(engineproto.FromEngine(asked), h.next()); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		h.send(&engineproto.Answer{ID: 99, Text: "to another question"}, c.then)
		if diff := cmp.Diff(c.want, h.until(i+1)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.source, diff)
		}
	}
}

func TestCallsAreAnsweredBetweenRuns(t *testing.T) {
	h := ready(t, &words{})
	for i, c := range []struct {
		call engineproto.Call
		want engineproto.Reply
	}{
		{engineproto.Call{Method: engineproto.Complete, Source: "ab", Cursor: 2}, engineproto.Reply{Value: json.RawMessage(`{"start":0,"end":2,"items":[{"text":"ab!"}]}`)}},
		{engineproto.Call{Method: engineproto.Set, Name: "x", Value: json.RawMessage(`[1]`)}, engineproto.Reply{Value: json.RawMessage(`null`)}},
		{engineproto.Call{Method: engineproto.Get, Name: "x"}, engineproto.Reply{Value: json.RawMessage(`[1]`)}},
		{engineproto.Call{Method: engineproto.Reset}, engineproto.Reply{Value: json.RawMessage(`null`)}},
		{engineproto.Call{Method: engineproto.Get, Name: "x"}, engineproto.Reply{Error: &engineproto.Error{Name: "Error", Message: "there is no x"}}},
		{engineproto.Call{Method: engineproto.Inspect}, engineproto.Reply{Error: &engineproto.Error{Name: "NotSupported", Message: `this engine does not answer "inspect"`}}},
	} {
		c.call.ID, c.want.ID = i+1, i+1
		h.send(&c.call)
		if diff := cmp.Diff(engineproto.FromEngine(&c.want), h.next()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.call.Method, diff)
		}
	}
	h.send(&engineproto.Call{ID: 9, Method: engineproto.Install, Packages: []string{"rocks"}})
	want := []engineproto.FromEngine{
		&engineproto.Text{Stream: "stdout", Text: "looking for rocks"},
		&engineproto.Reply{ID: 9, Error: &engineproto.Error{Name: "NotFound", Message: "rocks"}},
	}
	if diff := cmp.Diff(want, []engineproto.FromEngine{h.next(), h.next()}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	h.send(&engineproto.Run{Run: 1, Source: "wait"}, &engineproto.Call{ID: 10, Method: engineproto.Reset})
	if reply, ok := h.next().(*engineproto.Reply); !ok || reply.ID != 10 || reply.Error == nil || reply.Error.Name != "Busy" {
		t.Errorf("got %+v, want an engine that is busy", reply)
	}
}

func TestOutputAfterARunNamesTheRun(t *testing.T) {
	h := ready(t, &words{})
	h.execute(1, "later now")
	if diff := cmp.Diff(engineproto.FromEngine(&engineproto.Text{Stream: "stdout", Text: "late", Run: 1}), h.next()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAnInterruptOfARunEndsTheWorkThatItWaitsFor(t *testing.T) {
	w := &words{working: make(chan struct{})}
	working := w.working
	h := ready(t, w)
	<-working
	h.send(&engineproto.Run{Run: 1, Source: "a"}, &engineproto.Interrupt{Run: 1})
	want := []engineproto.FromEngine{&engineproto.Done{Run: 1, Error: engineproto.Stopped()}}
	if diff := cmp.Diff(want, h.until(1)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTheMarkIsWrittenBehindRawOutput(t *testing.T) {
	for _, raw := range []bool{false, true} {
		h := ready(t, &words{raw: raw})
		h.send(&engineproto.Run{Run: 1, Source: "a", Mark: "<mark>"})
		h.until(1)
		if got := h.raw.String() == "<mark>"; got != raw {
			t.Errorf("raw %v: got %q", raw, h.raw.String())
		}
	}
}

func TestAnEngineEndsWithItsProgram(t *testing.T) {
	h := ready(t, &words{})
	got := h.execute(1, "a exit")
	if diff := cmp.Diff(engineproto.FromEngine(&engineproto.Done{Run: 1, Exit: engineproto.Gone}), got[len(got)-1]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := <-h.served; err != nil {
		t.Error(err)
	}
}

func TestAnEngineEndsWithItsHost(t *testing.T) {
	h := ready(t, &words{})
	h.send(&engineproto.Run{Run: 1, Source: "wait"})
	if err := h.end(); err != nil {
		t.Errorf("got %v, want no error", err)
	}
}

func TestAnEngineEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	h := start(ctx, t, &words{})
	h.next()
	h.next()
	h.send(&engineproto.Run{Run: 1, Source: "wait"})
	cancel()
	for h.next() != nil {
	}
	if err := <-h.served; err != nil {
		t.Errorf("got %v, want no error", err)
	}
}

func TestAHostThatBreaksTheProtocolIsToldWhere(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"no JSON":            {"print(1)\n", "line 2: not a message"},
		"a field":            {`{"type":"run","run":"1"}` + "\n", "line 2: malformed message"},
		"a line that is cut": {`{"type":"run"`, "line 2: unexpected EOF"},
		"a run beside a run": {`{"type":"run","run":2}` + "\n", "line 2: run 2 came before run 1 was done"},
	} {
		t.Run(name, func(t *testing.T) {
			h := ready(t, &words{})
			h.send(&engineproto.Run{Run: 1, Source: "wait"})
			h.write(c.text)
			if err := h.end(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestRequestsThatWaitAreBounded(t *testing.T) {
	w := &words{working: make(chan struct{})}
	working := w.working
	h := ready(t, w)
	<-working
	_, _ = io.WriteString(h.requests, strings.Repeat(`{"type":"call","id":1,"method":"reset"}`+"\n", 100)) // it stops reading
	if err := h.end(); err == nil || !strings.Contains(err.Error(), "more than 64 requests wait") {
		t.Errorf("got %v, want too many requests", err)
	}
}

func TestAnInterpreterThatCannotBeLoadedIsNoEngine(t *testing.T) {
	broken := errors.New("no module")
	h := start(t.Context(), t, &words{loads: broken})
	h.next()
	if m := h.next(); m != nil {
		t.Errorf("got %+v, want no hello", m)
	}
	if err := <-h.served; !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
}

func TestAnErrorFitsAMessage(t *testing.T) {
	h, _ := serve(t, failing{})
	done, ok := h.execute(1, "")[0].(*engineproto.Done)
	if !ok || done.Error == nil {
		t.Fatal("got no error")
	}
	e := done.Error
	if len(e.Message) > 1<<20+100 || !strings.HasSuffix(e.Message, "… (cut)") || len(e.Trace) > 1001 || e.Trace[0] != "first" || e.Trace[len(e.Trace)-1] != "last" || e.Name == "" {
		t.Errorf("got %q and %d bytes, %d lines of trace", e.Name, len(e.Message), len(e.Trace))
	}
}

// failing is an interpreter whose runs fail at length.
type failing struct{}

func (failing) Load(context.Context, func(lang.Progress)) (engineproto.Hello, error) {
	return engineproto.Hello{Language: "failing"}, nil
}

func (failing) Run(context.Context, *engineproto.Run, *engineproto.Output) engineproto.Outcome {
	trace := strings.Split("first\n"+strings.Repeat(strings.Repeat("x", 4000)+"\n", 2_000)+"last", "\n")
	return engineproto.Outcome{Error: &engineproto.Error{Message: strings.Repeat("m", 2<<20), Trace: trace}}
}

func TestBackgroundWorkIsDrainedUntilTheCallIsInterrupted(t *testing.T) {
	h := ready(t, &words{})
	h.execute(1, "later")
	h.send(&engineproto.Call{ID: 1, Method: engineproto.Drain})
	want := []engineproto.FromEngine{
		&engineproto.Text{Stream: "stdout", Text: "late", Run: 1}, &engineproto.Reply{ID: 1, Value: json.RawMessage("null")},
	}
	if diff := cmp.Diff(want, []engineproto.FromEngine{h.next(), h.next()}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	stuck := ready(t, stubborn{})
	stuck.send(&engineproto.Call{ID: 7, Method: engineproto.Drain}, &engineproto.Interrupt{ID: 6}, &engineproto.Interrupt{ID: 7})
	if diff := cmp.Diff(engineproto.FromEngine(&engineproto.Reply{ID: 7, Error: engineproto.Stopped()}), stuck.next()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// stubborn is an interpreter with endless work between runs.
type stubborn struct{ failing }

func (stubborn) Load(_ context.Context, progress func(lang.Progress)) (engineproto.Hello, error) {
	progress(lang.Progress{Text: "warming up"})
	return engineproto.Hello{Language: "stubborn"}, nil
}

func (stubborn) Idle(ctx context.Context, wake <-chan struct{}) {
	select {
	case <-ctx.Done():
	case <-wake:
	}
}
