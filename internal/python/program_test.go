//go:build unix

package python

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
)

func TestCellsBehaveAsPythonInANotebook(t *testing.T) {
	t.Parallel()
	engine := load(t)
	for name, c := range map[string]struct {
		source string
		want   []string
	}{
		"the last expression is the result":           {"x = 1\nx + 1", []string{"result: 2"}},
		"a semicolon mutes the result":                {"1 + 1;", nil},
		"so it does behind a comment and parentheses": {"(1 +\n 1) ; # two", nil},
		"a semicolon in a comment does not":           {"1 + 1 # ;", []string{"result: 2"}},
		"None is no result":                           {"None", nil},
		"the last value is _":                         {"6 * 7;\nprint(1)\n42\n", []string{"stdout: 1\n", "result: 42"}},
		"a cell is __main__":                          {"__name__", []string{"result: '__main__'"}},
		"a pickle of a cell's class works": {
			"import pickle\nclass C: pass\ntype(pickle.loads(pickle.dumps(C()))) is C", []string{"result: True"},
		},
		"top-level await works": {
			"import asyncio\nasync def f():\n  await asyncio.sleep(0)\n  return 7\nawait f()", []string{"result: 7"},
		},
		"async for works at the top": {
			"async def g():\n  yield 1\n  yield 2\nasync for i in g(): print(i)", []string{"stdout: 1\n2\n"},
		},
		"inspect finds the source of a cell": {
			"import inspect\ndef f(): return 1\nprint(inspect.getsource(f), end='')", []string{"stdout: def f(): return 1\n"},
		},
		"an empty cell does nothing":          {"", nil},
		"a comment does nothing":              {"# nothing", nil},
		"print without a newline is complete": {"print('a', end='')", []string{"stdout: a"}},
		"a lone surrogate is escaped":         {`print("\ud800 ok")`, []string{"stdout: \\ud800 ok\n"}},
		"bytes follow the text before them": {
			"import sys\nprint('a')\nsys.stdout.buffer.write(b'b\\n')\nprint('c')", []string{"stdout: a\nb\nc\n"},
		},
		"stdin is empty": {"import sys\nsys.stdin.read()", []string{"result: ''"}},
	} {
		t.Run(name, func(t *testing.T) {
			expect(t, engine, c.source, c.want...)
		})
	}
}

// exitOf is a program, and how it ends itself.
type exitOf struct {
	source string
	want   lang.Exit
}

var exitsOf = map[string]exitOf{
	"sys.exit(0)":                 {"import sys\nsys.exit(0)", lang.Exited},
	"sys.exit()":                  {"import sys\nsys.exit()", lang.Exited},
	"SystemExit":                  {"raise SystemExit", lang.Exited},
	"SystemExit of None":          {"raise SystemExit(None)", lang.Exited},
	"SystemExit of 0":             {"raise SystemExit(0)", lang.Exited},
	"SystemExit of False":         {"raise SystemExit(False)", lang.Exited},
	"SystemExit in a function":    {"def f():\n  raise SystemExit\nf()", lang.Exited},
	"SystemExit in a coroutine":   {"async def f():\n  raise SystemExit\nawait f()", lang.Exited},
	"exit()":                      {"exit()", lang.ExitedGone},
	"exit(0)":                     {"exit(0)", lang.ExitedGone},
	"quit()":                      {"print(1)\nquit()\nprint(2)", lang.ExitedGone},
	"exit without a call":         {"exit", lang.ExitedGone},
	"exit that keeps":             {"exit(True)", lang.Exited},
	"quit that keeps":             {"quit(keep_kernel=True)", lang.Exited},
	"an exit that is caught":      {"try:\n  exit()\nexcept SystemExit:\n  print(1)", lang.NoExit},
	"a name of the program's own": {"exit = lambda: print(1)\nexit()", lang.NoExit},
	"nothing of all that":         {"1", lang.NoExit},
	"an exit in %%time":           {"%%time\nimport sys\nsys.exit(0)", lang.Exited},
	"an exit in %time":            {"%time exit()", lang.ExitedGone},
	"an exit in a thread":         {"import threading\nt = threading.Thread(target=exit)\nt.start()\nt.join()", lang.NoExit},
}

func TestAProgramMayEndItself(t *testing.T) {
	for _, python := range []string{interpreter(t), need(t, "IPython")} {
		for name, c := range exitsOf {
			t.Run(filepath.Base(filepath.Dir(filepath.Dir(python)))+" "+name, func(t *testing.T) {
				engine := start(t, python)
				if python == debian {
					run(t, engine, "%pwd") // which needs IPython's shell
				}
				result, err := engine.Execute(deadline(t), lang.Request{Source: c.source}, &langtest.Recorder{})
				if err != nil || result.Err != nil || result.Exit != c.want {
					t.Fatalf("got %v, error %v, %v, want %v", result.Exit, result.Err, err, c.want)
				}
				_, err = engine.Execute(deadline(t), lang.Request{Source: "1"}, &langtest.Recorder{})
				if gone := c.want == lang.ExitedGone; errors.Is(err, lang.ErrDied) != gone {
					t.Errorf("then: got %v, want that it has died: %v", err, gone)
				}
			})
		}
	}
}

func TestAnExitWithAStatusOrATextIsAnError(t *testing.T) {
	for _, python := range []string{interpreter(t), need(t, "IPython")} {
		engine := start(t, python)
		for source, want := range map[string]string{
			"import sys; sys.exit(3)": "3", "import sys; sys.exit('no')": "no", "exit(3)": "3", "quit('no')": "no", "raise SystemExit(0.0)": "0.0",
		} {
			result, err := engine.Execute(deadline(t), lang.Request{Source: source}, &langtest.Recorder{})
			if err != nil || result.Exit != lang.NoExit || result.Err == nil || result.Err.Name != "SystemExit" || result.Err.Message != want {
				t.Errorf("%s: got %+v, %v, want a SystemExit %q", source, result, err, want)
			}
		}
	}
}

func TestStateOfTheCompilerLastsOverCells(t *testing.T) {
	t.Parallel()
	engine := load(t)
	expect(t, engine, "from __future__ import annotations")
	expect(t, engine, "def f(x: not_defined): pass")
	expect(t, engine, "40 + 2", "result: 42")
	expect(t, engine, "_ + 1", "result: 43")
}

func TestErrorsSayWhere(t *testing.T) {
	t.Parallel()
	engine := load(t)
	for name, c := range map[string]struct {
		source string
		want   lang.Error
	}{
		"a call in the cell": {
			"def f():\n  return 1 / 0\n\nf()", lang.Error{Name: "ZeroDivisionError", Message: "division by zero", Line: 2},
		},
		"a call into a library": {
			"import json\nx = 1\njson.loads('{')",
			lang.Error{Name: "JSONDecodeError", Message: "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)", Line: 3},
		},
		"no message":      {"raise ValueError", lang.Error{Name: "ValueError", Line: 1}},
		"several lines":   {"raise ValueError('a\\nb')", lang.Error{Name: "ValueError", Message: "a\nb", Line: 1}},
		"exit with 3":     {"import sys; sys.exit(3)", lang.Error{Name: "SystemExit", Message: "3"}},
		"input":           {"input('name? ')", lang.Error{Name: "EOFError", Message: errNoUser.Error(), Line: 1}},
		"return outside":  {"x = 1\nreturn x", lang.Error{Name: "SyntaxError", Message: "'return' outside function", Line: 2}},
		"a bad indent":    {"if 1:\nx", lang.Error{Name: "IndentationError", Message: "expected an indented block after 'if' statement on line 1", Line: 2}},
		"deep recursion":  {"def f(): f()\nf()", lang.Error{Name: "RecursionError", Message: "maximum recursion depth exceeded", Line: 1}},
		"a broken result": {"class C:\n  def __repr__(self): 1/0\nC()", lang.Error{Name: "ZeroDivisionError", Message: "division by zero", Line: 2}},
		"a broken message": {
			"class E(Exception):\n  def __str__(self): 1/0\nraise E",
			lang.Error{Name: "E", Message: "<no message: E.__str__ failed>", Line: 3},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, failed := run(t, engine, c.source)
			if failed == nil {
				t.Fatal("got no error")
			}
			got := lang.Error{Name: failed.Name, Message: failed.Message, Line: failed.Line}
			if diff := cmp.Diff(c.want, got); diff != "" && !worded(name, engine) {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if strings.Contains(strings.Join(failed.Trace, "\n"), "<quire") {
				t.Errorf("the trace shows the driver:\n%s", strings.Join(failed.Trace, "\n"))
			}
			expect(t, engine, "1", "result: 1")
		})
	}
}

// worded reports whether a version of Python words a message differently.
func worded(name string, engine *Engine) bool {
	version := engine.Info().Version
	return name == "a bad indent" && strings.HasPrefix(version, "3.9.") ||
		name == "a call into a library" && version >= "3.13"
}

func TestColumnsCountAsEditorsDo(t *testing.T) {
	t.Parallel()
	engine := load(t)
	_, failed := run(t, engine, "x = 1\ny = ('é🐎', 1 / 0)")
	want := 13
	if v := engine.Info().Version; strings.HasPrefix(v, "3.9.") || strings.HasPrefix(v, "3.10.") {
		want = 0 // these versions do not report the column
	}
	if failed == nil || failed.Column != want {
		t.Errorf("got %+v, want column %d", failed, want)
	}
	if _, failed = run(t, engine, "'🐎' )"); failed == nil || failed.Line != 1 || failed.Column != 6 {
		t.Errorf("got %+v, want line 1, column 6", failed)
	}
}

func TestATraceShowsTheSourceOfEveryCell(t *testing.T) {
	t.Parallel()
	engine := load(t)
	expect(t, engine, "def half(x):\n    return x / 0")
	_, failed := run(t, engine, "try:\n    half(1)\nexcept ZeroDivisionError as e:\n    raise KeyError('k') from e")
	if failed == nil {
		t.Fatal("got no error")
	}
	trace := strings.Join(failed.Trace, "\n")
	for _, want := range []string{
		"Cell In[2], line 2", "Cell In[1], line 2", "return x / 0",
		"ZeroDivisionError: division by zero", "The above exception was the direct cause", "KeyError: 'k'",
	} {
		if !strings.Contains(trace, want) {
			t.Errorf("the trace lacks %q:\n%s", want, trace)
		}
	}
}

func TestAFailedAwaitShowsOnlyTheCell(t *testing.T) {
	t.Parallel()
	_, failed := run(t, load(t), "import asyncio\nawait asyncio.sleep(0)\n1 / 0")
	if failed == nil || failed.Line != 3 {
		t.Fatalf("got %+v, want an error in line 3", failed)
	}
	if got := failed.Trace[1]; !strings.Contains(got, "Cell In[1]") {
		t.Errorf("got %q first, want the cell", got)
	}
}

func TestOutputKeepsItsOrder(t *testing.T) {
	t.Parallel()
	engine := load(t)
	const shown = "class B:\n  def _repr_html_(self): return 'b'\n"
	expect(t, engine, shown+"import subprocess, os, sys, ctypes")
	for range 10 {
		expect(t, engine, "print(1)\nsubprocess.run(['echo', '2'])\nprint(3)\nos.system('echo 4')\nprint(5)",
			"stdout: 1\n2\n3\n4\n5\n")
		expect(t, engine, "os.write(1, b'1\\n')\ndisplay(B())\nos.write(1, b'2\\n')\ndisplay(B());os.write(2, b'3\\n');",
			"stdout: 1\n", "display: text/html b", "stdout: 2\n", "display: text/html b", "stderr: 3\n")
		expect(t, engine, "for i in range(3):\n  print(i)\n  print(i, file=sys.stderr)",
			"stdout: 0\n", "stderr: 0\n", "stdout: 1\n", "stderr: 1\n", "stdout: 2\n", "stderr: 2\n")
		expect(t, engine, "os.write(2, b'1\\n')\nprint(2)", "stderr: 1\n", "stdout: 2\n")
		expect(t, engine, "display(B())\nos.write(2, b'1\\n')\nprint(2)",
			"display: text/html b", "stderr: 1\n", "stdout: 2\n")
		expect(t, engine, "print(1)\nsubprocess.run(['sh', '-c', 'echo 2 >&2'])\nprint(3)\nos.system('echo 4 >&2')\nprint(5)",
			"stdout: 1\n", "stderr: 2\n", "stdout: 3\n", "stderr: 4\n", "stdout: 5\n")
	}
}

func TestALargePrintArrivesWhole(t *testing.T) {
	t.Parallel()
	sink, failed := run(t, load(t), "print('é' * (4 << 20))")
	if got, want := sink.Text(lang.Stdout), strings.Repeat("é", 4<<20)+"\n"; failed != nil || got != want {
		t.Errorf("got %d bytes and %v, want %d", len(got), failed, len(want))
	}
}

func TestManyLinesArriveInOrder(t *testing.T) {
	t.Parallel()
	sink, _ := run(t, load(t), "import sys\nfor i in range(20000): print(i, file=sys.stderr if i % 7 == 0 else sys.stdout)")
	var want strings.Builder
	for i := range 20000 {
		fmt.Fprintln(&want, i)
	}
	var got strings.Builder
	for _, event := range sink.Events {
		got.WriteString(event.Text)
	}
	if got.String() != want.String() {
		t.Error("lines of the two streams are not in the order in which they were printed")
	}
}

func TestALonePrintDoesNotWaitForTheEnd(t *testing.T) {
	t.Parallel()
	engine := load(t)
	arrived := make(chan struct{}, 1)
	ended := make(chan error, 1)
	go func() {
		_, err := engine.Execute(deadline(t), lang.Request{Source: "import time\nprint('now')\ntime.sleep(1000)"},
			sinkFunc(func(string) { arrived <- struct{}{} }))
		ended <- err
	}()
	<-arrived
	if err := engine.Interrupt(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// sinkFunc is a sink for text alone.
type sinkFunc func(text string)

func (f sinkFunc) Stream(_, text string)       { f(text) }
func (f sinkFunc) Fail(*lang.Error)            {}
func (f sinkFunc) Display(lang.Bundle, string) {}
func (f sinkFunc) Update(string, lang.Bundle)  {}
func (f sinkFunc) Result(lang.Bundle, string)  {}
func (f sinkFunc) Clear(bool)                  {}
