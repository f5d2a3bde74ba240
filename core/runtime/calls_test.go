package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
)

// helpful is an engine that completes, inspects and lists. It answers what fail says
// if that is set, and is busy while it executes.
type helpful struct {
	*langtest.Scripted
	fail      error
	executing *atomic.Bool
	hang      bool // until the context ends
}

func (e helpful) Abilities() lang.Abilities {
	all := e.Scripted.Abilities()
	all.Completer, all.Inspector, all.VariableLister = e, e, e
	return all
}

func (e helpful) Execute(ctx context.Context, req lang.Request, out lang.Sink) (lang.Result, error) {
	e.executing.Store(true)
	defer e.executing.Store(false)
	return e.Scripted.Execute(ctx, req, out)
}

func (e helpful) ready(ctx context.Context) error {
	if e.hang {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	if e.executing.Load() {
		return lang.ErrBusy
	}
	return e.fail
}

func (e helpful) Complete(ctx context.Context, at lang.Place) (lang.Completion, error) {
	found := lang.Completion{Start: at.Cursor - 1, End: at.Cursor}
	if at.Source == "beyond" {
		found.Start, found.End = 99, -1
	}
	for i := range 2000 {
		found.Items = append(found.Items, lang.Candidate{Text: fmt.Sprintf("%s%d", at.Source, i), Kind: "name"})
	}
	return found, e.ready(ctx)
}

func (e helpful) Inspect(ctx context.Context, at lang.Place) (lang.Inspection, error) {
	doc := lang.Text("text/plain", at.Source)
	doc.Data["text/html"] = json.RawMessage("null")
	return lang.Inspection{Signature: "f(x)", Data: doc.Data, Metadata: doc.Metadata, Found: at.Cursor > 0}, e.ready(ctx)
}

func (e helpful) Variables(ctx context.Context) ([]lang.Variable, error) {
	return []lang.Variable{{Name: "x", Type: "int", Preview: "1"}, {Name: "y", Type: "list", Shape: "3 items", Size: 80, Preview: "[1, 2, 3]"}}, e.ready(ctx)
}

// bare is an engine that can only execute.
type bare struct{ lang.Engine }

func (bare) Abilities() lang.Abilities { return lang.Abilities{} }

// addHelpful starts a runtime with engines that can help, and some that cannot.
func (w *world) addHelpful(fail error) (m *made, loaded *atomic.Int64) {
	loaded = &atomic.Int64{}
	executing := &atomic.Bool{}
	m = w.add("rt", func(c *Config) {
		c.Engines = lang.NewSet([]lang.Spec{
			{Language: "scripted", New: func() (lang.Engine, error) {
				loaded.Add(1)
				return helpful{Scripted: langtest.NewScripted(), fail: fail, executing: executing}, nil
			}},
			{Language: "plain", New: func() (lang.Engine, error) { return bare{langtest.NewScripted()}, nil }},
			{Language: "broken", New: func() (lang.Engine, error) { return nil, errBroken }},
			{Language: "loading", New: func() (lang.Engine, error) { return loading{langtest.NewScripted()}, nil }},
			{Language: "hanging", New: func() (lang.Engine, error) {
				return helpful{Scripted: langtest.NewScripted(), executing: executing, hang: true}, nil
			}},
		})
	})
	return m, loaded
}

// call asks the runtime, and returns the result as text.
func (w *world) call(method protocol.Method, params any) (string, error) {
	result, err := w.person.Call(w.ctx, method, params)
	return string(result), err
}

// isCode reports whether a call failed with a code.
func isCode(err error, want protocol.Code) bool {
	var failed *protocol.CallError
	return errors.As(err, &failed) && failed.Code == want
}

func TestAG50CallsAreAnsweredBetweenRunsAndWhileOneExecutes(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.addHelpful(nil)
		place := protocol.Place{Source: "é🌊", Cursor: 3}
		got, err := w.call(protocol.MethodInspect, place)
		if want := `{"found":true,"signature":"f(x)","data":{"text/plain":"é🌊"}}`; got != want || err != nil {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
		cell := w.cell("print a", "loop")
		id := w.request(cell)[0]
		w.printed(cell)
		_, err = w.call(protocol.MethodInspect, place)
		wantCode(t, err, protocol.CodeUnavailable)
		if err != nil && !strings.Contains(err.Error(), "executing") {
			t.Errorf("got %v, want that the runtime is executing", err)
		}
		w.do(&event.RunCancelled{Run: id})
		w.wantStatus(id, event.StatusCancelled)
		if _, err = w.call(protocol.MethodInspect, place); err != nil {
			t.Errorf("after the run: %v", err)
		}
	})
}

func TestAG50CallsThatHangHoldUpNeitherRunsNorTheEnd(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		m, _ := w.addHelpful(nil)
		began := time.Now()
		answers := make(chan error, 40)
		for i := range 40 { // three people's, for 16 may wait of each
			caller := replica.NewSession(replica.SessionConfig{
				Dial: w.dial("person:bo", access.Runner), Replica: replica.New(event.ClientID(fmt.Sprint("bo", i))),
			})
			w.all.Go(func() { _ = caller.Run(w.ctx) })
			if err := caller.Wait(w.ctx, (*replica.Replica).Online); err != nil {
				t.Fatal(err)
			}
			w.all.Go(func() {
				_, err := caller.Call(w.ctx, protocol.MethodComplete, protocol.Place{Language: "hanging"})
				answers <- err
			})
		}
		synctest.Wait()
		same(t, w.run("print a"), []string{"stdout: a\n"})
		if took := time.Since(began); took > time.Second {
			t.Errorf("a run took %v, want it not to wait for calls", took)
		}
		for range 8 { // more than 32 at once are not begun
			if err := <-answers; !isCode(err, protocol.CodeUnavailable) || time.Since(began) > time.Second {
				t.Errorf("got %v after %v, want unavailable at once", err, time.Since(began))
			}
		}
		for range 16 {
			if err := <-answers; !isCode(err, protocol.CodeUnavailable) || !strings.Contains(err.Error(), "in time") {
				t.Errorf("got %v, want that the language did not answer in time", err)
			}
		}
		if took := time.Since(began); took >= 10*time.Second {
			t.Errorf("took %v, want to hear it from the runtime before the room gives up", took)
		}
		w.all.Go(func() { _, _ = w.call(protocol.MethodComplete, protocol.Place{Language: "hanging"}) })
		synctest.Wait()
		m.stop()
		if err := <-m.ended; err != nil {
			t.Errorf("got %v, want an orderly end", err)
		}
	})
}

func TestAG51CompletionLoadsTheEngineThatARunThenUses(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		_, loaded := w.addHelpful(nil)
		got, err := w.call(protocol.MethodComplete, protocol.Place{Source: "ab", Cursor: 2})
		if err != nil {
			t.Fatal(err)
		}
		var found lang.Completion
		if err := json.Unmarshal([]byte(got), &found); err != nil {
			t.Fatal(err)
		}
		first := lang.Candidate{Text: "ab0", Kind: "name"}
		if found.Start != 1 || found.End != 2 || len(found.Items) != 1000 || found.Items[0] != first {
			t.Errorf("got %d to %d and %d items, %+v first", found.Start, found.End, len(found.Items), found.Items[0])
		}
		same(t, w.run("print a"), []string{"stdout: a\n"})
		if got := loaded.Load(); got != 1 {
			t.Errorf("got %d engines, want one", got)
		}
	})
}

func TestAG51WhatACompletionReplacesIsInTheSource(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.addHelpful(nil)
		for _, c := range []struct {
			place      protocol.Place
			start, end int
		}{
			{protocol.Place{Source: "é🐎", Cursor: 3}, 2, 3},
			{protocol.Place{Source: "é🐎"}, 0, 0},
			{protocol.Place{Source: "beyond", Cursor: 1}, 6, 6},
		} {
			got, err := w.call(protocol.MethodComplete, c.place)
			if err != nil {
				t.Fatal(err)
			}
			var found lang.Completion
			if err := json.Unmarshal([]byte(got), &found); err != nil {
				t.Fatal(err)
			}
			if found.Start != c.start || found.End != c.end {
				t.Errorf("%q: got %d to %d, want %d to %d", c.place.Source, found.Start, found.End, c.start, c.end)
			}
		}
	})
}

func TestAG51ARunIsCancelledThoughACallLoadsItsEngine(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		m, _ := w.addHelpful(nil)
		w.all.Go(func() { _, _ = w.call(protocol.MethodComplete, protocol.Place{Language: "loading"}) })
		synctest.Wait()
		id := w.request(w.cellOf(event.KindCode, "loading", "print never"))[0]
		w.state(id, notebook.RunAssigned)
		began := time.Now()
		w.do(&event.RunCancelled{Run: id})
		w.wantStatus(id, event.StatusCancelled)
		if took := time.Since(began); took > time.Second {
			t.Errorf("took %v, want it to be at once", took)
		}
		m.stop()
		<-m.ended
	})
}

func TestAG52WhatCannotBeAnsweredSaysWhy(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.addHelpful(errors.New("the engine is confused"))
		if status, _ := w.ended(w.request(w.cellOf(event.KindCode, "plain", "print a"))[0]); status != event.StatusOK {
			t.Fatalf("got %s", status)
		}
		if got := w.run("print a"); len(got) != 1 {
			t.Fatalf("got %q", got)
		}
		const complete, inspect, variables = protocol.MethodComplete, protocol.MethodInspect, protocol.MethodVariables
		for what, test := range map[string]struct {
			method protocol.Method
			params any
			want   protocol.Code
			says   string
		}{
			"an unknown method":     {"paint", nil, protocol.CodeNotFound, "paint"},
			"no such language":      {complete, protocol.Place{Language: "cobol"}, protocol.CodeNotFound, "cobol cannot run here: this runtime has scripted, plain"},
			"no such language's":    {variables, protocol.VariablesOf{Language: "cobol"}, protocol.CodeNotFound, "cobol"},
			"cannot complete":       {complete, protocol.Place{Language: "plain"}, protocol.CodeNotFound, "cannot complete plain"},
			"cannot inspect":        {inspect, protocol.Place{Language: "plain"}, protocol.CodeNotFound, "cannot inspect plain"},
			"cannot list":           {variables, protocol.VariablesOf{Language: "plain"}, protocol.CodeNotFound, "plain"},
			"cannot be loaded":      {inspect, protocol.Place{Language: "broken"}, protocol.CodeUnavailable, "python3 is not installed"},
			"other params":          {complete, []string{"a"}, protocol.CodeInvalid, "complete"},
			"other params still":    {variables, 7, protocol.CodeInvalid, "variables"},
			"other params of more":  {inspect, "a", protocol.CodeInvalid, "inspect"},
			"before the source":     {complete, protocol.Place{Source: "a", Cursor: -1}, protocol.CodeInvalid, "-1"},
			"behind the source":     {inspect, protocol.Place{Source: "🌊", Cursor: 3}, protocol.CodeInvalid, "3"},
			"completing goes wrong": {complete, protocol.Place{}, protocol.CodeUnavailable, "confused"},
			"inspecting goes wrong": {inspect, protocol.Place{}, protocol.CodeUnavailable, "confused"},
			"listing goes wrong":    {variables, nil, protocol.CodeUnavailable, "confused"},
		} {
			_, err := w.call(test.method, test.params)
			if !isCode(err, test.want) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%s: got %v, want %s that says %q", what, err, test.want, test.says)
			}
		}
	})
}

func TestAG53ALanguageOfWhichNothingHasRunHasNoVariables(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		_, loaded := w.addHelpful(nil)
		for _, params := range []any{nil, protocol.VariablesOf{}, protocol.VariablesOf{Language: "scripted"}} {
			got, err := w.call(protocol.MethodVariables, params)
			if want := `{"language":"scripted","variables":[]}`; got != want || err != nil {
				t.Errorf("got %s, %v, want %s", got, err, want)
			}
		}
		if got := loaded.Load(); got != 0 {
			t.Errorf("got %d engines, want none to be loaded", got)
		}
		w.run("print a")
		got, err := w.call(protocol.MethodVariables, nil)
		want := `{"language":"scripted","variables":[{"name":"x","type":"int","preview":"1"},` +
			`{"name":"y","type":"list","shape":"3 items","size":80,"preview":"[1, 2, 3]"}]}`
		if got != want || err != nil {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
	})
}

func TestAG54APlaceIsInItsLanguageOrItsCellsOrTheRuntimes(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.addHelpful(nil)
		other, own := w.cellOf(event.KindCode, "cobol", "a"), w.cellOf(event.KindCode, "", "a")
		sql := w.cellOf(event.KindSQL, "", "a")
		for what, test := range map[string]struct {
			place protocol.Place
			says  string // of the language that there is no engine for, empty if there is one
		}{
			"no cell":                      {protocol.Place{}, ""},
			"a cell that is not there":     {protocol.Place{Cell: "none"}, ""},
			"a cell of no language":        {protocol.Place{Cell: own}, ""},
			"a cell of a language":         {protocol.Place{Cell: other}, "cobol cannot run here"},
			"an sql cell":                  {protocol.Place{Cell: sql}, "SQL cells cannot run here"},
			"a language beside a cell":     {protocol.Place{Cell: other, Language: "scripted"}, ""},
			"a language that is not there": {protocol.Place{Cell: own, Language: "ada"}, "ada cannot run here"},
		} {
			_, err := w.call(protocol.MethodComplete, test.place)
			if test.says == "" && err != nil || test.says != "" && (err == nil || !strings.Contains(err.Error(), test.says)) {
				t.Errorf("%s: got %v, want to hear of %q", what, err, test.says)
			}
		}
	})
}

func TestAG55AnEngineThatACallFindsDeadIsReplaced(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		_, loaded := w.addHelpful(fmt.Errorf("%w: it was told to", lang.ErrDied))
		w.run("print a")
		_, err := w.call(protocol.MethodComplete, protocol.Place{})
		wantCode(t, err, protocol.CodeUnavailable)
		same(t, w.run("print b"), []string{"stdout: b\n"})
		if got := loaded.Load(); got != 2 {
			t.Errorf("got %d engines, want a new one", got)
		}
	})
}
