//go:build unix

package python

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
	"github.com/quirehq/quire/internal/ipython"
)

// TestTheShellIsMadeAtItsFirstNeed shows inputs that need the shell, and inputs that do not.
func TestTheShellIsMadeAtItsFirstNeed(t *testing.T) {
	t.Parallel()
	python := need(t, "IPython")
	engine := start(t, python)
	well(t, engine, "import sys, json\ndef f(): return [1, 'a', {'b': None}]\nf()")
	well(t, engine, "print(In[1][:6], _, Out)\ndisplay(1, 'a')\nx = f\nx()")
	run(t, engine, "1 / 0")
	run(t, engine, "x = = 1")
	for _, text := range []string{`f'{1}'`, `r"a"`, `rb'a' + b'b'`, `F"""a"""`} {
		well(t, engine, text) // a prefix of a string is no command
	}
	expect(t, engine, "'IPython' in sys.modules", "result: False")
	well(t, engine, "ls") // an undefined name may be a command
	expect(t, engine, "'IPython' in sys.modules", "result: True")
	for name, source := range map[string]string{
		"a value with more than text": "class C:\n  def _repr_html_(self): return 'c'\nC()",
		"a function of it":            "get_ipython()",
		"its import":                  "import IPython",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			engine := start(t, python)
			well(t, engine, source)
			expect(t, engine, "import sys\n'IPython' in sys.modules", "result: True")
		})
	}
}

// ofIPython is one session of features that only IPython has.
var ofIPython = []shown{
	{name: "before the shell", source: "6 * 7", want: "result: 42"},
	{name: "history over the start of the shell", source: "%time 1;\n_ + Out[1], In[1]", part: "result: (84, '6 * 7')"},
	{name: "underscores", source: "_, _1, __ == _1", want: "result: ((84, '6 * 7'), 42, True)"},
	{name: "a name that the program took", source: "_ = 5", want: ""},
	{name: "it stays the program's", source: "7;\n_", want: "result: 5"},
	{name: "history", source: "del _\n%history -n 1", part: "1: 6 * 7"},
	{name: "all values", source: "get_ipython().ast_node_interactivity = 'all'", want: ""},
	{name: "each is shown", source: "1\nx = 2\nx\n3;", want: "result: 1result: 2"},
	{name: "assignments too", source: "get_ipython().ast_node_interactivity = 'last_expr_or_assign'", want: ""},
	{name: "one is shown", source: "x = 8", want: "result: 8"},
	{name: "as it was", source: "get_ipython().ast_node_interactivity = 'last_expr'", want: ""},
	{name: "an event", source: "get_ipython().events.register('pre_run_cell', lambda info: print('before', info.raw_cell))", want: ""},
	{name: "comes", source: "9", want: "before 9\nresult: 9"},
	{name: "no more", source: "get_ipython().events.callbacks['pre_run_cell'].clear()", part: "before get"},
	{name: "a formatter", source: "class C: pass\nget_ipython().display_formatter.formatters['text/plain'].for_type(C, lambda c, p, cycle: p.text('mine'))\ndisplay(C())\nC()", want: "display: text/plain mineresult: mine"},
	{name: "%precision", source: "%precision 2\n1 / 3", want: "result: 0.33"},
	{name: "%load_ext", source: "%load_ext autoreload\n%autoreload 1", want: ""},
	{name: "a magic of the program", source: "from IPython.core.magic import register_line_magic\n@register_line_magic\ndef shout(line): return line.upper()\n%shout hello", want: "result: 'HELLO'"},
	{name: "a word that is a magic", source: "pwd", part: "result: '/"},
	{name: "a command in a capture", source: "%%capture c\n!echo in\nprint('out')", want: ""},
	{name: "what was captured", source: "c.stdout", want: `result: 'in\nout\n'`},
	{name: "nested magics", source: "%%capture c\n%%time\nprint('deep')", want: ""},
	{name: "what they printed", source: "print(c.stdout.split()[0])", want: "deep\n"},
	{name: "%config", source: "%config InlineBackend.close_figures", want: "result: True"},
	{name: "run_cell", source: "get_ipython().run_cell('1 + 1').result", want: "result: 2result: 2"},
	{name: "ipython_display", source: "class D:\n  def _ipython_display_(self): print('itself')\nD()", want: "itself\n"},
	{name: "no handle of libraries that count on widgets", source: "'IPKernelApp' in get_ipython().config", want: "result: False"},
	{name: "the name that libraries look for", source: "get_ipython().__class__.__name__", want: "result: 'ZMQInteractiveShell'"},
	{name: "%reset", source: "keep = 1\n%reset -f\n'keep' in globals()", part: "False"},
	{name: "after %reset", source: "4 + 4", want: "result: 8"},
}

func TestTheShellOfIPythonWorks(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	engine := start(t, need(t, "IPython"), "HOME="+home)
	for _, c := range ofIPython {
		t.Run(c.name, func(t *testing.T) { c.check(t, engine) })
	}
	t.Run("a handler of the program words errors", func(t *testing.T) { checkHandler(t, engine) })
	if _, err := os.Stat(filepath.Join(home, ".ipython")); err == nil {
		t.Error("a directory of IPython was made in the home directory")
	}
}

func checkHandler(t *testing.T, engine *Engine) {
	well(t, engine, "def handler(shell, kind, value, tb, tb_offset=None):\n  print('handled', value)\n  return ['mine']\n"+
		"get_ipython().set_custom_exc((ValueError,), handler)")
	sink, failed := run(t, engine, "x = 1\nraise ValueError('no')")
	want := &lang.Error{Name: "ValueError", Message: "no", Line: 2, Column: 1, Trace: []string{"mine"}}
	if diff := cmp.Diff(want, failed); diff != "" || sink.Text(lang.Stdout) != "handled no\n" {
		t.Errorf("got %v (-want +got):\n%s", sink.Lines(), diff)
	}
}

func checkErrorsOfMagics(t *testing.T, engine *Engine) {
	well(t, engine, "def f():\n  return 1 / 0")
	for name, c := range map[string]struct {
		source string
		want   lang.Error
	}{
		"%time":               {"x = 1\n%time f()", lang.Error{Name: "ZeroDivisionError", Line: 2}},
		"%%time":              {"%%time\nx = 1\n\nf()", lang.Error{Name: "ZeroDivisionError", Line: 4}},
		"%%capture":           {"\n%%capture c\nx = 1\nf()", lang.Error{Name: "ZeroDivisionError", Line: 4}},
		"%%timeit":            {"%%timeit -n 1 -r 1\nf()", lang.Error{Name: "ZeroDivisionError", Line: 1}},
		"%run":                {"x = 1\n!echo '1 / 0' > bad.py\n%run bad.py", lang.Error{Name: "ZeroDivisionError", Line: 3}},
		"no such magic":       {"x = 1\n%nothing here", lang.Error{Name: "UsageError", Line: 2}},
		"below a command":     {"!true\n\nf()", lang.Error{Name: "ZeroDivisionError", Line: 3}},
		"below a long one":    {"x = !echo \\\n  a\nf()", lang.Error{Name: "ZeroDivisionError", Line: 3}},
		"no syntax":           {"!true\nx = = 1", lang.Error{Name: "SyntaxError", Line: 2}},
		"no syntax in a part": {"%%capture\nx = 1\nx = = 1", lang.Error{Name: "SyntaxError", Line: 3}},
	} {
		t.Run(name, func(t *testing.T) {
			_, failed := run(t, engine, c.source)
			if failed == nil {
				t.Fatal("got no error")
			}
			if diff := cmp.Diff(c.want, lang.Error{Name: failed.Name, Line: failed.Line}); diff != "" {
				t.Errorf("(-want +got):\n%s\n%s", diff, strings.Join(failed.Trace, "\n"))
			}
			if trace := strings.Join(failed.Trace, "\n"); strings.Contains(trace, "<quire") || strings.Contains(trace, "/IPython/") {
				t.Errorf("the trace shows what is not the program's:\n%s", trace)
			}
		})
	}
}

func TestAMissingMagicSaysWhatGivesIt(t *testing.T) {
	t.Parallel()
	_, failed := run(t, load(t), "x = 1\n%load_ext sql")
	want := "line 2: there is no %load_ext here; `%pip install ipython` gives all magics of IPython"
	if failed == nil || failed.Name != "UsageError" || failed.Message != want {
		t.Errorf("got %v, want %q", failed, want)
	}
}

func TestPipRunsForTheInterpreter(t *testing.T) {
	t.Parallel()
	engine := start(t, need(t, "pip"))
	sink, failed := run(t, engine, "%pip install ./nothing")
	if failed == nil || failed.Name != ipython.InstallError || failed.Message != "pip ended with status 1" || !strings.Contains(strings.ToLower(sink.Text(lang.Stderr)), "error") {
		t.Errorf("got %v and %v, want what pip says", failed, sink.Lines())
	}
}

// The commands replace the shell by exec: an interrupt between a fork and an exec would be lost.
func checkInterruptsOfMagics(t *testing.T, engine *Engine) {
	for name, source := range map[string]string{
		"a command":            "!echo 1; exec sleep 1000",
		"the lines of one":     "print(1, flush=True)\nx = !exec sleep 1000",
		"%time":                "%time print(1) or __import__('time').sleep(1000)",
		"%%bash":               "%%bash\necho 1\nexec sleep 1000",
		"an import of IPython": "print(1, flush=True)\nimport time, IPython\nwhile True: time.sleep(1)",
	} {
		t.Run(name, func(t *testing.T) {
			done := started(deadline(t), t, engine, source)
			if err := engine.Interrupt(); err != nil {
				t.Fatal(err)
			}
			if result := <-done; result.Err == nil || result.Err.Name != interruptName {
				t.Errorf("got %v, want %s", result.Err, interruptName)
			}
			expect(t, engine, "1", "result: 1")
		})
	}
}

func TestAnErrorThatAMagicShowsStaysInItsPlaceAndFailsTheCell(t *testing.T) {
	t.Parallel()
	engine := start(t, need(t, "IPython"))
	recorder := &langtest.Recorder{}
	result, err := engine.Execute(deadline(t), lang.Request{
		Source: "for kind in (ValueError, KeyError):\n  get_ipython().showtraceback((kind, kind('x'), None))\n  print('after')",
	}, recorder)
	if err != nil || result.Err == nil || result.Err.Name != "KeyError" || !result.Shown {
		t.Fatalf("got %+v, %v, want a KeyError that was shown", result, err)
	}
	var got []string
	for _, e := range recorder.Events {
		got = append(got, e.Kind+" "+e.Text)
	}
	if diff := cmp.Diff([]string{"error ValueError", "stdout after\n", "error KeyError", "stdout after\n"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWhatIPythonHasForACellIsOffered(t *testing.T) {
	t.Parallel()
	langtest.Offers(t, start(t, need(t, "IPython")))
}
