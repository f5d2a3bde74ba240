package langtest

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/quirehq/quire/core/lang"
)

// TB is the part of [testing.TB] that the rules use, so that programs can check engines too.
type TB interface {
	Helper()
	Context() context.Context
	Cleanup(f func())
	Failed() bool
	Error(args ...any)
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Skipf(format string, args ...any)
}

// Test is a TB that has tests of its own kind below it, as *testing.T has.
type Test[T any] interface {
	TB
	Run(name string, test func(t T)) bool
}

// suite is one engine under test with its programs.
type suite struct {
	open     func(t TB) lang.Engine
	programs Programs
	shared   *shared
}

// shared is an engine that several rules use in turn, and must leave usable.
type shared struct {
	t      TB          // of the whole suite
	opened lang.Engine // not loaded yet; nil once it is
	engine lang.Engine // nil while there is none that works
}

// limit ends a test whose engine hangs. No rule waits for it to pass.
const limit = 5 * time.Minute

// Suite checks an engine against the contract. Open returns a new engine that is not loaded; it closes the engine when
// the test ends, and gives it a grace of at most a few seconds for programs that refuse to stop; where there is no engine it
// skips the test. The rules of an ability apply to engines that have it. A T with a method Omit gets the names of the rules that lack a program.
func Suite[T Test[T]](t T, open func(t T) lang.Engine, programs Programs) {
	programs.Got = cmp.Or(programs.Got, "result: 42")
	programs.Nobody = cmp.Or(programs.Nobody, programs.NoAnswer)
	s := suite{open: func(t TB) lang.Engine { return open(t.(T)) }, programs: programs, shared: &shared{t: t}}
	s.shared.opened = s.open(t) // here, so that open can skip the test
	for _, rule := range slices.Concat(s.basics(), s.late(), s.asking(), s.abilities(), s.comms()) {
		if rule.source != "" {
			t.Run(rule.name, func(t T) { rule.test(t) })
		} else if o, ok := any(t).(interface{ Omit(rule string) }); ok {
			o.Omit(rule.name)
		}
	}
}

// rule is one requirement of an engine.
type rule struct {
	name   string
	source string // the program that it needs
	test   func(TB)
}

func (s suite) basics() []rule {
	programs := s.programs
	return []rule{
		{"says what it is", programs.Hello, s.describesItself},
		{"loads twice as once", programs.Hello, s.loadsTwice},
		{"delivers what is printed and counts runs", programs.Hello, s.prints},
		{"keeps the order of streams", programs.Streams, s.keepsOrder},
		{"keeps state and gives the last value", programs.Get, s.keepsState},
		{"keeps displays in order with text", programs.Displays, s.displays},
		{"updates what was displayed", programs.Updates, s.updates},
		{"clears in order", programs.Clears, s.clears},
		{"reports an error after the output before it", programs.Fail, s.fails},
		{"says where the syntax is wrong", programs.Syntax, s.rejectsSyntax},
		{"runs on after an error", programs.Fail, s.runsOn},
		{"keeps characters whole", programs.SplitUTF8, s.keepsCharacters},
		{"replaces what is not UTF-8", programs.BadUTF8, s.replacesBytes},
		{"holds a flood back for a slow sink", programs.Flood, s.holdsBack},
		{"interrupts a loop and keeps the state", programs.Loop, s.interrupts(programs.Loop)},
		{"interrupts a sleep and keeps the state", programs.Sleep, s.interrupts(programs.Sleep)},
		{"ignores an interrupt between runs", programs.Hello, s.ignoresIdleInterrupt},
		{"stops when the context ends", programs.Loop, s.stopsWithContext},
		{"stops when the time is over", programs.Loop, s.stopsInTime},
		{"does not start under a context that ended", programs.Hello, s.refusesToStart},
		{"ends itself when the code refuses to stop", programs.Stubborn, s.killsStubborn},
		{"reports its death after the last output", programs.Die, s.dies},
		{"closes twice and then refuses", programs.Hello, s.closes},
		{"closes under a run", programs.Loop, s.closesUnderRun},
	}
}

func (s suite) load(t TB) lang.Engine {
	t.Helper()
	engine := s.open(t)
	if err := engine.Load(deadline(t), nil); err != nil {
		t.Fatalf("load: %v", err)
	}
	return engine
}

// used returns an engine that earlier rules may have used.
func (s suite) used(t TB) lang.Engine {
	t.Helper()
	if s.shared.engine == nil {
		engine := s.shared.opened
		if s.shared.opened = nil; engine == nil {
			engine = s.open(s.shared.t)
		}
		if err := engine.Load(deadline(t), nil); err != nil {
			t.Fatalf("load: %v", err)
		}
		s.shared.engine = engine
	}
	t.Cleanup(func() {
		if t.Failed() {
			s.shared.engine = nil
		}
	})
	return s.shared.engine
}

func deadline(t TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	return ctx
}

// run executes a source that must not break the engine.
func run(t TB, engine lang.Engine, source string) (*Recorder, lang.Result) {
	t.Helper()
	sink := &Recorder{}
	result, err := engine.Execute(deadline(t), lang.Request{Source: source}, sink)
	if err != nil {
		t.Fatalf("execute %q: %v", source, err)
	}
	return sink, result
}

// expect compares the lines of a run that must succeed.
func expect(t TB, engine lang.Engine, source string, want ...string) {
	t.Helper()
	sink, result := run(t, engine, source)
	if result.Err != nil {
		t.Errorf("execute %q: got error %v, want none", source, result.Err)
	}
	same(t, sink, want...)
}

// same compares the events that a sink received, a line each. It uses only the standard library, like all of core.
func same(t TB, sink *Recorder, want ...string) {
	t.Helper()
	if got := sink.Lines(); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func (s suite) describesItself(t TB) {
	engine := s.used(t)
	info := engine.Info()
	if info.Language == "" || info.Version == "" || info.MIME == "" || !strings.HasPrefix(info.Extension, ".") {
		t.Errorf("got %+v, want every field", info)
	}
}

func (s suite) loadsTwice(t TB) {
	engine := s.used(t)
	_, first := run(t, engine, s.programs.Hello)
	if err := engine.Load(deadline(t), func(lang.Progress) {}); err != nil {
		t.Fatalf("second load: %v", err)
	}
	if _, second := run(t, engine, s.programs.Hello); second.Count != first.Count+1 {
		t.Errorf("got count %d after %d, want the same engine to go on", second.Count, first.Count)
	}
}

func (s suite) prints(t TB) {
	engine := s.load(t)
	for want := 1; want <= 3; want++ {
		sink, result := run(t, engine, s.programs.Hello)
		same(t, sink, "stdout: hello\n")
		if result.Count != want || result.Err != nil {
			t.Errorf("got %+v, want count %d and no error", result, want)
		}
	}
}

func (s suite) keepsOrder(t TB) {
	engine := s.used(t)
	for range 20 {
		expect(t, engine, s.programs.Streams, "stdout: a\n", "stderr: b\n", "stdout: c\n")
	}
}

func (s suite) keepsState(t TB) {
	engine := s.used(t)
	expect(t, engine, s.programs.Set)
	expect(t, engine, s.programs.Get, s.programs.Got)
}

func (s suite) displays(t TB) {
	engine := s.used(t)
	for range 20 {
		expect(t, engine, s.programs.Displays, "stdout: a\n", "display: text/html <b>b</b>", "stdout: c\n")
	}
}

func (s suite) updates(t TB) {
	sink, result := run(t, s.used(t), s.programs.Updates)
	same(t, sink, "display: text/html 1", "update: text/html 2")
	if result.Err != nil || t.Failed() {
		t.Fatalf("error %v", result.Err)
	}
	if shown, updated := sink.Events[0].ID, sink.Events[1].ID; shown == "" || shown != updated {
		t.Errorf("got display id %q and update id %q, want one that is not empty", shown, updated)
	}
}

func (s suite) clears(t TB) {
	expect(t, s.used(t), s.programs.Clears, "stdout: a\n", "clear: wait", "stdout: b\n")
}

func (s suite) fails(t TB) {
	sink, result := run(t, s.used(t), s.programs.Fail)
	same(t, sink, "stdout: before\n")
	if result.Err == nil {
		t.Fatal("got no error, want one")
	}
	want := lang.Error{Name: s.programs.FailName, Message: s.programs.FailMessage, Line: s.programs.FailLine}
	got := lang.Error{Name: result.Err.Name, Message: result.Err.Message, Line: result.Err.Line}
	if got.Error() != want.Error() || got.Line != want.Line {
		t.Errorf("got %v in line %d, want %v in line %d", &got, got.Line, &want, want.Line)
	}
	if len(result.Err.Trace) == 0 || strings.Contains(strings.Join(result.Err.Trace, ""), "\n") {
		t.Errorf("got trace %q, want lines without ends", result.Err.Trace)
	}
}

func (s suite) rejectsSyntax(t TB) {
	sink, result := run(t, s.used(t), s.programs.Syntax)
	if len(sink.Events) != 0 {
		t.Errorf("got %q, want nothing to have run", sink.Lines())
	}
	if result.Err == nil || result.Err.Line != s.programs.SyntaxLine {
		t.Errorf("got error %#v, want one in line %d", result.Err, s.programs.SyntaxLine)
	}
}

func (s suite) runsOn(t TB) {
	engine := s.used(t)
	run(t, engine, s.programs.Fail)
	expect(t, engine, s.programs.Hello, "stdout: hello\n")
}

func (s suite) closes(t TB) {
	engine := s.load(t)
	run(t, engine, s.programs.Hello)
	for range 2 {
		if err := engine.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
	_, err := engine.Execute(deadline(t), lang.Request{Source: s.programs.Hello}, &Recorder{})
	if !errors.Is(err, lang.ErrClosed) {
		t.Errorf("execute after close: got %v, want ErrClosed", err)
	}
	if err := engine.Interrupt(); err != nil {
		t.Errorf("interrupt after close: %v", err)
	}
}
