package langtest

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/quirehq/quire/core/lang"
)

func (s suite) abilities() []rule {
	p := s.programs
	return []rule{
		{"completes a name at a cursor in UTF-16 units", p.Name, s.completes},
		{"inspects what is defined", p.Define, s.inspects},
		{"finds nothing where there is nothing", p.Hello, s.inspectsNothing},
		{"lists variables", p.Name, s.listsVariables},
		{"gives a variable as JSON", p.Name, s.getsVariable},
		{"takes a variable as JSON", p.Shared, s.setsVariable},
		{"is busy for questions while it executes", p.Loop, s.isBusy},
		{"does not count what it is asked", p.Name, s.doesNotCount},
		{"forgets its state and the count", p.Get, s.resets},
		{"installs packages", p.Installed, s.installs},
		{"says why a package cannot be installed", p.Missing, s.failsToInstall},
	}
}

// need returns an ability, or skips the test of an engine that lacks it.
func need[Ability comparable](t TB, ability Ability) Ability {
	t.Helper()
	var none Ability
	if ability == none {
		t.Skipf("the engine is no %s", strings.TrimPrefix(reflect.TypeFor[Ability]().String(), "lang."))
	}
	return ability
}

func units(text string) int {
	return len(utf16.Encode([]rune(text)))
}

// after is the position at the end of a text, with more text behind it.
func after(text, more string) lang.Place {
	return lang.Place{Source: text + more, Cursor: units(text)}
}

func (s suite) completes(t TB) {
	engine := s.prepare(t)
	completer := need(t, engine.Abilities().Completer)
	begun := s.programs.Name[:2]
	for _, more := range []string{"", "\n"} {
		got, err := completer.Complete(deadline(t), after(s.programs.Lead+begun, more))
		if err != nil {
			t.Fatal(err)
		}
		if start, end := units(s.programs.Lead), units(s.programs.Lead+begun); got.Start != start || got.End != end {
			t.Errorf("got the place %d to %d, want %d to %d", got.Start, got.End, start, end)
		}
		if !slices.ContainsFunc(got.Items, func(c lang.Candidate) bool { return c.Text == s.programs.Name }) {
			t.Errorf("got %+v, want %s among them", got.Items, s.programs.Name)
		}
	}
}

func (s suite) inspects(t TB) {
	engine := s.used(t)
	inspector := need(t, engine.Abilities().Inspector)
	run(t, engine, s.programs.Define)
	name := s.programs.Defined
	places := []lang.Place{
		after(s.programs.Lead, name), after(s.programs.Lead+name[:1], name[1:]), after(s.programs.Lead+name, ""),
	}
	if s.programs.Calling != "" {
		places = append(places, after(s.programs.Lead+s.programs.Calling, ""))
	}
	for _, at := range places {
		got, err := inspector.Inspect(deadline(t), at)
		if err != nil {
			t.Fatal(err)
		}
		if !got.Found || !strings.Contains(got.Signature, name) || !strings.Contains(plain(lang.Bundle{Data: got.Data}, "text/plain"), "says what it does") {
			t.Errorf("at %+v: got %+v, want the signature and the doc of %s", at, got, name)
		}
	}
}

func (s suite) inspectsNothing(t TB) {
	inspector := need(t, s.used(t).Abilities().Inspector)
	for _, at := range []lang.Place{{}, {Cursor: 7}, {Source: " ", Cursor: 1}, {Source: "no_such_name"}, {Source: "🐎", Cursor: 1}, {Source: "x", Cursor: -1}} {
		if got, err := inspector.Inspect(deadline(t), at); err != nil || got.Found {
			t.Errorf("at %+v: got %+v, %v, want nothing to be found", at, got, err)
		}
	}
}

func (s suite) listsVariables(t TB) {
	need(t, s.used(t).Abilities().VariableLister)
	engine := s.load(t)
	lister := need(t, engine.Abilities().VariableLister)
	if got, err := lister.Variables(deadline(t)); err != nil || len(got) != 0 {
		t.Errorf("got %+v, %v of a fresh engine, want none", got, err)
	}
	run(t, engine, s.programs.Set)
	got, err := lister.Variables(deadline(t))
	if err != nil || len(got) != 1 {
		t.Fatalf("got %+v, %v, want one variable", got, err)
	}
	if v := got[0]; v.Name != s.programs.Name || v.Type == "" || v.Preview != "42" {
		t.Errorf("got %+v, want %s with a type and the preview 42", v, s.programs.Name)
	}
}

func (s suite) getsVariable(t TB) {
	engine := s.prepare(t)
	accessor := need(t, engine.Abilities().Accessor)
	if got, err := accessor.Get(deadline(t), s.programs.Name); err != nil || string(got) != "42" {
		t.Errorf("got %s, %v, want 42", got, err)
	}
	for _, name := range []string{"no_such_name", "", "a b", "é🐎", "1"} {
		if got, err := accessor.Get(deadline(t), name); err == nil {
			t.Errorf("got %s of the variable %q, want an error", got, name)
		}
	}
}

func (s suite) setsVariable(t TB) {
	engine := s.used(t)
	accessor := need(t, engine.Abilities().Accessor)
	const value = `{"a":1.5,"b":[true,"ü🐎\"\\\n"],"c":{"d":[]}}`
	if err := accessor.Set(deadline(t), "shared", []byte(value)); err != nil {
		t.Fatal(err)
	}
	expect(t, engine, s.programs.Shared, "stdout: ü🐎\"\\\n\n")
	got, err := accessor.Get(deadline(t), "shared")
	if err != nil || !equalJSON(got, []byte(value)) {
		t.Errorf("got %s, %v, want %s", got, err, value)
	}
	for _, value := range []string{"false", "0.30000000000000004", `[1,"b"]`} { // in place of the last
		if err := accessor.Set(deadline(t), "shared", []byte(value)); err != nil {
			t.Fatal(err)
		}
		if got, err := accessor.Get(deadline(t), "shared"); err != nil || !equalJSON(got, []byte(value)) {
			t.Errorf("got %s, %v, want %s", got, err, value)
		}
	}
	for _, name := range []string{"", "a b", "é🐎", "1", "x;y"} {
		if err := accessor.Set(deadline(t), name, []byte("1")); err == nil {
			t.Errorf("the variable %q was set, want an error", name)
		}
	}
}

// equalJSON reports whether two texts hold the same value.
func equalJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

func (s suite) isBusy(t TB) {
	engine := s.used(t)
	done := start(deadline(t), t, engine, lang.Request{Source: s.programs.Loop})
	if completer := engine.Abilities().Completer; completer != nil {
		_, err := completer.Complete(deadline(t), lang.Place{})
		busy(t, "complete", err)
	}
	if inspector := engine.Abilities().Inspector; inspector != nil {
		_, err := inspector.Inspect(deadline(t), lang.Place{})
		busy(t, "inspect", err)
	}
	if lister := engine.Abilities().VariableLister; lister != nil {
		_, err := lister.Variables(deadline(t))
		busy(t, "variables", err)
	}
	if err := engine.Interrupt(); err != nil {
		t.Fatal(err)
	}
	<-done
}

func busy(t TB, what string, err error) {
	t.Helper()
	if !errors.Is(err, lang.ErrBusy) {
		t.Errorf("%s: got %v, want ErrBusy", what, err)
	}
}

func (s suite) doesNotCount(t TB) {
	engine := s.used(t)
	_, before := run(t, engine, s.programs.Set)
	if completer := engine.Abilities().Completer; completer != nil {
		_, err := completer.Complete(deadline(t), after(s.programs.Name, ""))
		check(t, err)
	}
	if inspector := engine.Abilities().Inspector; inspector != nil {
		_, err := inspector.Inspect(deadline(t), after(s.programs.Name, ""))
		check(t, err)
	}
	if lister := engine.Abilities().VariableLister; lister != nil {
		_, err := lister.Variables(deadline(t))
		check(t, err)
	}
	sink, result := run(t, engine, s.programs.Get)
	same(t, sink, s.programs.Got)
	if result.Count != before.Count+1 {
		t.Errorf("got count %d after %d, want the next", result.Count, before.Count)
	}
}

func check(t TB, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

func (s suite) resets(t TB) {
	engine := s.prepare(t)
	resetter := need(t, engine.Abilities().Resetter)
	if err := resetter.Reset(deadline(t)); err != nil {
		t.Fatal(err)
	}
	sink, result := run(t, engine, s.programs.Get)
	if sink.PlainResult() == "42" || result.Count != 1 {
		t.Errorf("got %q and count %d, want the value forgotten and count 1", sink.Lines(), result.Count)
	}
	run(t, engine, s.programs.Set)
	expect(t, engine, s.programs.Get, s.programs.Got)
}

func (s suite) installs(t TB) {
	engine := s.load(t)
	installer := need(t, engine.Abilities().Installer)
	if _, result := run(t, engine, s.programs.Installed); result.Err == nil {
		t.Fatalf("%q are installed already", s.programs.Packages)
	}
	sink := &Recorder{}
	if err := installer.Install(deadline(t), s.programs.Packages, sink); err != nil {
		t.Fatal(err)
	}
	if len(sink.Events) == 0 {
		t.Error("got no output, want what the package manager prints")
	}
	_, result := run(t, engine, s.programs.Installed)
	if result.Count != 2 || result.Err != nil {
		t.Errorf("got %+v, want them installed, as run 2", result)
	}
}

func (s suite) failsToInstall(t TB) {
	engine := s.load(t)
	installer := need(t, engine.Abilities().Installer)
	err := installer.Install(deadline(t), []string{s.programs.Missing}, &Recorder{})
	if err == nil || !strings.Contains(err.Error(), s.programs.Missing) {
		t.Errorf("got %v, want an error that names %s", err, s.programs.Missing)
	}
	expect(t, engine, s.programs.Hello, "stdout: hello\n")
}
