//go:build unix

package script

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
)

// program is a source with what its run gives.
type program struct {
	source string
	want   []string // the lines of a Recorder
	failed string   // the error as "Name: message", the beginning of it
	line   int
	column int
}

func runPrograms(t *testing.T, language string, programs []program) {
	t.Helper()
	engine := load(t, language)
	for i, p := range programs {
		sink, failed := run(t, engine, p.source)
		numbered := strings.NewReplacer("In[N]", fmt.Sprintf("In[%d]", i+1))
		p.failed = numbered.Replace(p.failed)
		if got := strings.Join(sink.Lines(), "|"); got != numbered.Replace(strings.Join(p.want, "|")) {
			t.Errorf("%s\ngot  %q\nwant %q", p.source, sink.Lines(), p.want)
		}
		switch {
		case (failed != nil) != (p.failed != ""):
			t.Errorf("%s\ngot the error %v, want %q", p.source, failed, p.failed)
		case failed != nil && (!strings.HasPrefix(failed.Error(), p.failed) || failed.Line != p.line || failed.Column != p.column):
			t.Errorf("%s\ngot %q at %d:%d, want %q at %d:%d", p.source, failed.Error(), failed.Line, failed.Column, p.failed, p.line, p.column)
		case failed != nil && strings.Contains(strings.Join(failed.Trace, "\n"), "node:internal"), failed != nil && strings.Contains(strings.Join(failed.Trace, "\n"), "-e:"):
			t.Errorf("%s\nthe trace has frames of the driver: %q", p.source, failed.Trace)
		}
	}
}

func TestNodeExecutesTheLanguageOfNotebooks(t *testing.T) {
	t.Parallel()
	runPrograms(t, "javascript", []program{
		// What a cell declares can be declared again by another, in any way.
		{source: "const a = 1; a", want: []string{"result: 1"}},
		{source: "const a = 2; a", want: []string{"result: 2"}},
		{source: "let a = 3; a", want: []string{"result: 3"}},
		{source: "var a = 4; a", want: []string{"result: 4"}},
		{source: "function a() {}; a", want: []string{"result: [Function: a]"}},
		{source: "class a {}; typeof a", want: []string{"result: 'function'"}},
		{source: "function f() { return 1 }"},
		{source: "const f = () => 2; f()", want: []string{"result: 2"}},
		{source: "let w = (() => { throw new Error('no') })()", failed: "Error: no", line: 1, column: 24},
		{source: "let w = 1; w", want: []string{"result: 1"}},
		// Modules.
		{source: "import fs, {readFileSync as read} from 'fs'\nimport * as path from 'node:path'\nimport 'os'\ntypeof read + typeof fs + path.sep", want: []string{"result: 'functionobject/'"}},
		{source: "const u = await import('url'); typeof u.URL", want: []string{"result: 'function'"}},
		{source: "export const ex = 1; export default ex + 1", want: []string{"result: 2"}},
		{source: "require('nothere')", failed: "Error: Cannot find module 'nothere'\ninstall the package nothere to use it", line: 1, column: 1},
		{source: "1\nimport x from '@a/b/c'", failed: "Error: Cannot find package '@a/b' imported from ", line: 2},
		// Values.
		{source: "await new Promise((r) => setTimeout(() => r('later'), 1))", want: []string{"result: 'later'"}},
		{source: "new Promise(() => {})", want: []string{"result: Promise { <pending> }"}},
		{source: "undefined"},
		{source: "null", want: []string{"result: null"}},
		{source: "-0", want: []string{"result: -0"}},
		{source: "10n ** 20n", want: []string{"result: 100000000000000000000n"}},
		{source: "Symbol('s')", want: []string{"result: Symbol(s)"}},
		{source: "({a: '🐎'})", want: []string{"result: { a: '🐎' }"}},
		{source: ""},
		{source: "// nothing"},
		// Output.
		{source: "process.stdout.write(Buffer.from([0xc3])); process.stdout.write(Buffer.from([0xa9, 10])); 0", want: []string{"stdout: é\n", "result: 0"}},
		{source: "console.log('a'); require('child_process').execSync('echo b', {stdio: 'inherit'}); 0", want: []string{"stdout: a\nb\n", "result: 0"}},
		{source: "display({'text/html': '<i>x</i>'}); display.png(Buffer.from('abc')); display.json({a: 1}); undefined", want: []string{"display: text/html <i>x</i>", "display: image/png YWJj", `display: application/json {"a":1}`}},
		{source: "({[Symbol.for('Jupyter.display')]: () => ({'text/plain': 'own'})})", want: []string{"result: own"}},
		// Errors.
		{source: "function g() {\n  nope()\n}\ng()", failed: "ReferenceError: nope is not defined", line: 2, column: 3},
		{source: "'🐎'; nope", failed: "ReferenceError: nope is not defined", line: 1, column: 7},
		{source: "throw 'text'", failed: "Uncaught: text"},
		{source: "x +", failed: "SyntaxError: Unexpected end of input", line: 1, column: 4},
		{source: "const r = (n) => r(n + 1)\nr(0)", failed: "RangeError: Maximum call stack size exceeded", line: 1, column: 18},
		{source: "await Promise.reject(new TypeError('x'))", failed: "TypeError: x", line: 1, column: 22},
		{source: "({get [Symbol.toStringTag]() { throw new Error('own') }})", failed: "Error: own", line: 1, column: 38},
	})
}

func TestRubyExecutesTheLanguageOfNotebooks(t *testing.T) {
	t.Parallel()
	runPrograms(t, "ruby", []program{
		{source: "x = {a: 'é🐎'}; x[:a]", want: []string{`result: "é🐎"`}},
		{source: "def f = x", want: []string{"result: :f"}},
		{source: "nil"},
		{source: ""},
		{source: "puts 1; STDOUT.print 2; $stdout << 3; putc '4'; nil", want: []string{"stdout: 1\n234"}},
		{source: "warn 'w'", want: []string{"stderr: w\n"}},
		{source: "puts 'a'; system('echo b')", want: []string{"stdout: a\nb\n", "result: true"}},
		{source: `print "\xc3"; print "\xa9\n"`, want: []string{"stdout: é\n"}},
		{source: "exit"},
		{source: "exit 3", failed: "SystemExit: exit 3"},
		{source: "abort 'bye'", want: []string{"stderr: bye\n"}, failed: "SystemExit: bye"},
		{source: "xx = 1\n  nil.upcase", failed: "NoMethodError: undefined method ", line: 2, column: 6},
		{source: "def horse; end\nhrose", failed: "NameError: undefined local variable or method ", line: 2, column: 1},
		{source: "raise ArgumentError, 'é🐎'", failed: "ArgumentError: é🐎", line: 1},
		{source: "def g\n  1 / 0\nend\ng", failed: "ZeroDivisionError: divided by 0", line: 2, column: 5},
		{source: "def r(n) = r(n + 1)\nr(0)", failed: "SystemStackError: stack level too deep", line: 1, column: 12},
		{source: "require 'nothere/x'", failed: "LoadError: cannot load such file -- nothere/x\ninstall the gem nothere to use it", line: 1},
		{source: "class Bare < BasicObject; end; Bare.new", want: []string{"result: #<BasicObject>"}},
		{source: "while (line = gets) do end", want: []string{"stderr: no input: no user can be asked here: set the value in the source, or pass it as a parameter\n"}},
	})
}

func TestRubyKeepsItsSuggestions(t *testing.T) {
	t.Parallel()
	engine := load(t, "ruby")
	_, failed := run(t, engine, "def horse; end\nhrose")
	if failed == nil || !strings.Contains(failed.Message, "Did you mean?  horse") || strings.Contains(failed.Message, "^") {
		t.Errorf("got %v, want a suggestion and no snippet", failed)
	}
	if _, failed = run(t, engine, "x = = 1"); failed == nil || failed.Line != 1 || failed.Column != 5 {
		t.Errorf("got %+v, want line 1 and column 5", failed)
	}
}

func TestAnArrayOfFlatObjectsIsATable(t *testing.T) {
	t.Parallel()
	for language, source := range map[string]string{
		"javascript": "[{name: '<b>', n: 1}, {name: 'x'}]",
		"ruby":       "[{name: '<b>', n: 1}, {name: 'x'}]",
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			sink, _ := run(t, load(t, language), source)
			if len(sink.Events) != 1 {
				t.Fatalf("got %q", sink.Lines())
			}
			html := string(sink.Events[0].Bundle.Data["text/html"])
			if !strings.Contains(html, "name") || !strings.Contains(html, `\u0026lt;b`) && !strings.Contains(html, "&lt;b") {
				t.Errorf("got %s, want a table", html)
			}
		})
	}
}

// startedSink is a sink that says when the first text has come.
func startedSink(started chan<- struct{}) *langtest.Recorder {
	return &langtest.Recorder{OnStream: func(string, string) {
		select {
		case started <- struct{}{}:
		default:
		}
	}}
}

// TestCodeThatWaitsEndsWithItsRun has a run that is interrupted while it waits: it must not go on later.
func TestCodeThatWaitsEndsWithItsRun(t *testing.T) {
	t.Parallel()
	engine := load(t, "javascript")
	started := make(chan struct{}, 1)
	sink := startedSink(started)
	done := make(chan lang.Result, 1)
	go func() {
		result, _ := engine.Execute(deadline(t), lang.Request{Source: "let n = 0\nfor (;;) { console.log(n++); await new Promise((r) => setTimeout(r, 5)) }"}, sink)
		done <- result
	}()
	<-started
	if err := engine.Interrupt(); err != nil {
		t.Fatal(err)
	}
	if result := <-done; result.Err == nil || result.Err.Cause != lang.CauseInterrupted {
		t.Fatalf("got %+v, want it interrupted", result)
	}
	before := sink.Text(lang.Stdout)
	expect(t, engine, "await new Promise((r) => setTimeout(r, 100))")
	if after := sink.Text(lang.Stdout); after != before {
		t.Errorf("it went on: %q", after[len(before):])
	}
}

// TestAHotContinuationIsInterrupted has a loop behind an await, which no handler of a signal could stop.
func TestAHotContinuationIsInterrupted(t *testing.T) {
	t.Parallel()
	engine := load(t, "javascript")
	for _, source := range []string{
		"globalThis.kept = 42; await null; console.log('started'); for (;;) {}",
		"console.log('started'); for (;;) await null",
		"console.log('started'); require('child_process').execSync('sleep 1000')",
	} {
		started := make(chan struct{}, 1)
		sink := startedSink(started)
		done := make(chan error, 1)
		go func() {
			result, err := engine.Execute(deadline(t), lang.Request{Source: source}, sink)
			if err == nil && (result.Err == nil || result.Err.Cause != lang.CauseInterrupted) {
				t.Errorf("%s: got %+v, want it interrupted", source, result)
			}
			done <- err
		}()
		<-started
		if err := engine.Interrupt(); err != nil {
			t.Fatal(err)
		}
		if err := <-done; err != nil {
			t.Fatalf("%s: %v\n%s", source, err, sink.Text(lang.Stderr))
		}
		expect(t, engine, "kept", "result: 42")
	}
}

func TestWhatRunsLaterIsDrained(t *testing.T) {
	t.Parallel()
	for language, source := range map[string]string{
		"javascript": "setTimeout(() => console.log('late'), 50); Promise.reject(new Error('unhandled')); undefined",
		"ruby":       "Thread.new { sleep 0.05; puts 'late' }; nil",
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			engine := load(t, language)
			sink, _ := run(t, engine, source)
			if left := engine.Drain(deadline(t), lang.Patience{Silent: time.Minute, Whole: time.Minute}); left {
				t.Error("got that work is left, want none")
			}
			if got := sink.Text(lang.Stdout); got != "late\n" {
				t.Errorf("got %q, want what is late", got)
			}
			if got := sink.Text(lang.Stderr); language == "javascript" && !strings.HasPrefix(got, "Uncaught (in promise) Error: unhandled") {
				t.Errorf("got %q on stderr, want the rejection", got)
			}
		})
	}
}

func TestVariablesAreExchangedAsJSON(t *testing.T) {
	t.Parallel()
	for language, c := range map[string]struct{ define, use string }{
		"javascript": {"const given = {a: [1, '🐎', null]}", "given.a.length"},
		"ruby":       {"given = {a: [1, '🐎', nil]}; nil", "given['a'].size"},
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			engine := load(t, language)
			run(t, engine, c.define)
			value, err := engine.Get(deadline(t), "given")
			if err != nil || string(value) != `{"a":[1,"🐎",null]}` {
				t.Errorf("got %s, %v", value, err)
			}
			for range 2 {
				if err := engine.Set(deadline(t), "given", []byte(`{"a":[1,2]}`)); err != nil {
					t.Fatal(err)
				}
				expect(t, engine, c.use, "result: 2")
			}
			if err := engine.Set(deadline(t), "no name", []byte("1")); err == nil {
				t.Error("got no error for what is no name")
			}
			if _, err := engine.Get(deadline(t), "missing"); err == nil {
				t.Error("got no error for what is missing")
			}
		})
	}
}

// TestPackagesAreInstalledIntoTheFolder installs from the disk, since a test has no network.
func TestPackagesAreInstalledIntoTheFolder(t *testing.T) {
	t.Parallel()
	engine := load(t, "javascript")
	own := filepath.Join(t.TempDir(), "own")
	if err := os.MkdirAll(own, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"package.json": `{"name":"own","version":"1.0.0"}`, "index.js": "module.exports = 7"} {
		if err := os.WriteFile(filepath.Join(own, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sink := &langtest.Recorder{}
	err := engine.Install(deadline(t), []string{own}, sink)
	if err != nil && strings.Contains(err.Error(), "npm was not found") {
		t.Skip(err)
	}
	if err != nil || len(sink.Events) == 0 {
		t.Fatalf("got %v, and the output %q", err, sink.Lines())
	}
	expect(t, engine, "require('own')", "result: 7")
	if err := engine.Install(deadline(t), []string{"./no-such-folder"}, sink); err == nil || !strings.Contains(err.Error(), "no-such-folder") {
		t.Errorf("got %v, want an error that names what is missing", err)
	}
}
