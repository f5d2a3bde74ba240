//go:build unix

package jupyter

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
	"github.com/quirehq/quire/internal/ipython"
)

// told returns a short form of the events of a run. The error that ended it comes last, with a mark
// if it was shown before.
func told(t *testing.T, engine *Engine, source string) (events []string, result lang.Result) {
	t.Helper()
	r := &langtest.Recorder{}
	result, err := engine.Execute(deadline(t), lang.Request{Source: source}, r)
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	for _, e := range r.Events {
		text := e.Text
		if strings.Contains(text, "UserWarning") {
			text = "advice"
		}
		events = append(events, strings.TrimRight(e.Kind+" "+text, "\n "))
	}
	switch {
	case result.Err != nil && result.Shown:
		events = append(events, "failed")
	case result.Err != nil:
		events = append(events, "failed "+result.Err.Name)
	}
	return events, result
}

func TestWhatIPykernelPublishesAsAnErrorFailsTheRunOnceThoughItsReplyIsFine(t *testing.T) {
	engine := load(t, "python3")
	for _, c := range []struct {
		source string
		want   []string
	}{
		{"1/0", []string{"failed ZeroDivisionError"}},
		{"%time 1/0", []string{"failed ZeroDivisionError"}},
		{"%%capture\n1/0", []string{"failed ZeroDivisionError"}},
		{"open('bad.py', 'w').write('1/0');\n%run bad.py", []string{"failed ZeroDivisionError"}},
		{"%tb", []string{"failed ZeroDivisionError"}},
		{"class Odd:\n  def __repr__(self): raise ValueError('no repr')\nOdd()", []string{"failed ValueError"}},
		{
			"for kind in (ValueError, KeyError):\n  get_ipython().showtraceback((kind, kind('x'), None))\n  print('after', flush=True)",
			[]string{"error ValueError", "stdout after", "error KeyError", "stdout after", "failed"},
		},
		{
			"get_ipython().showtraceback((ValueError, ValueError('x'), None))\n1/0",
			[]string{"error ValueError", "failed ZeroDivisionError"},
		},
		{"%nosuchmagic", []string{"failed UsageError"}},
		{"import sys\nprint('a', file=sys.stderr)\n%nosuchmagic", []string{"stderr a", "failed UsageError"}},
		{"import sys\nprint('UsageError: mine', file=sys.stderr)", []string{"stderr UsageError: mine"}},
		{"import sys\nsys.exit(3)", []string{"error SystemExit", "stderr advice", "failed"}},
		{"sys.exit('no')", []string{"failed SystemExit"}},
		{
			"%config InteractiveShell.ast_node_interactivity = 'all'\n",
			nil,
		},
		{"1\n2", []string{"result", "result"}},
		{"%config InteractiveShell.ast_node_interactivity = 'last_expr'\n", nil},
		{"exit(5)", []string{"failed SystemExit"}},
		{"quit('no good')", []string{"failed SystemExit"}},
		{"print('fine')", []string{"stdout fine"}},
	} {
		got, result := told(t, engine, c.source)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.source, diff)
		}
		if result.Exit != lang.NoExit {
			t.Errorf("%s: got an exit", c.source)
		}
	}
}

func TestAProgramInIPykernelMayEndItself(t *testing.T) {
	engine := load(t, "python3")
	for _, source := range []string{"import sys\nsys.exit(0)", "sys.exit()", "raise SystemExit", "raise SystemExit(None)", "exit(True)"} {
		got, result := told(t, engine, source)
		got = slices.DeleteFunc(got, func(s string) bool { return s == "stderr advice" })
		if len(got) > 0 || result.Err != nil || result.Exit != lang.Exited {
			t.Errorf("%s: got %q and %+v, want nothing but an exit", source, got, result)
		}
	}
	for _, source := range []string{"exit()", "quit()", "quit", "exit(0)", "quit(False)"} {
		engine := load(t, "python3")
		if got, result := told(t, engine, source); len(got) > 0 || result.Exit != lang.ExitedGone {
			t.Errorf("%s: got %q and %+v, want the end of the kernel", source, got, result)
		}
		if _, err := engine.Execute(deadline(t), lang.Request{Source: "1"}, &langtest.Recorder{}); !errors.Is(err, lang.ErrDied) {
			t.Errorf("then: got %v, want that it has died", err)
		}
	}
}

func TestAProgramInIRkernelMayEndItself(t *testing.T) {
	for _, source := range []string{"quit()", "q('no', 0)", "quit(status = 0L)"} {
		engine := load(t, "ir")
		if got, result := told(t, engine, source); len(got) > 0 || result.Exit != lang.ExitedGone {
			t.Errorf("%s: got %q and %+v, want the end of the kernel", source, got, result)
		}
	}
}

func TestAStatusThatIsNotZeroFailsTheRun(t *testing.T) {
	for _, c := range []struct{ kernel, keep, source, message, kept string }{
		{"python3", "kept = 42", "exit(5)", "5", "print(kept)"},
		{"python3", "kept = 42", "exit('no good')", "no good", "print(kept)"},
		{"ir", "kept <- 42", "quit(status = 3)", "Error in quit(status = 3): the program ended with status 3", "cat(kept)"},
		{"ir", "kept <- 42", "q('no', 3)", "Error in q(\"no\", 3): the program ended with status 3", "cat(kept)"},
	} {
		engine := load(t, c.kernel)
		told(t, engine, c.keep)
		_, result := told(t, engine, c.source)
		if result.Err == nil || result.Err.Message != c.message || result.Exit != lang.NoExit {
			t.Errorf("%s: got %+v, want the error %q", c.source, result, c.message)
		}
		if got, _ := told(t, engine, c.kept); !slices.Equal(got, []string{"stdout 42"}) {
			t.Errorf("after %s: got %q, want what was kept", c.source, got)
		}
	}
}

func TestAMagicInIPykernelThatInstallsNothingFailsTheRun(t *testing.T) {
	engine := load(t, "python3")
	// As IPython's own does. None of these needs a network.
	for _, source := range []string{"%pip install --no-such-option", "pip install ./nothing-here"} {
		_, result := told(t, engine, source)
		if result.Err == nil || result.Err.Name != ipython.InstallError || !strings.HasPrefix(result.Err.Message, "%pip ended with status ") {
			t.Errorf("%s: got %v, want that it failed", source, result.Err)
		}
	}
}

func TestWhatIPykernelHasForACellIsOffered(t *testing.T) {
	langtest.Offers(t, load(t, "python3"))
}

func TestTheFileThatIPykernelWouldEditIsNamed(t *testing.T) {
	engine := load(t, "python3")
	if got, _ := told(t, engine, "%edit l.py"); len(got) != 1 || !strings.Contains(got[0], "/l.py") {
		t.Errorf("%%edit: got %q", got)
	}
}

func TestTheHistoryOfAPersonsOwnIPythonIsNotWritten(t *testing.T) {
	engine := load(t, "python3")
	if got, _ := told(t, engine, "%history"); len(got) != 1 {
		t.Errorf("got %q, want what ran", got)
	}
	var home string
	for _, v := range engine.config.Env {
		if dir, ok := strings.CutPrefix(v, "IPYTHONDIR="); ok {
			home = dir
		}
	}
	_ = filepath.WalkDir(home, func(path string, _ fs.DirEntry, _ error) error {
		if strings.HasSuffix(path, ".sqlite") {
			t.Errorf("there is %s", path)
		}
		return nil
	})
}

func TestADebuggerInIPykernelThatIsInterruptedEndsAndKeepsTheVariables(t *testing.T) {
	engine := load(t, "python3")
	ctx, cancel := context.WithCancel(deadline(t))
	ask := func(ctx context.Context, _ lang.Question) (string, error) {
		cancel()
		<-ctx.Done()
		return "", context.Cause(ctx)
	}
	// IPython continues after the user quits the debugger.
	if _, err := engine.Execute(ctx, lang.Request{Source: "kept = 42\nbreakpoint()", Ask: ask}, &langtest.Recorder{}); err != nil {
		t.Fatal(err)
	}
	if got, _ := told(t, engine, "print(kept)"); !slices.Equal(got, []string{"stdout 42"}) {
		t.Errorf("got %q, want that the variable is kept", got)
	}
}

func TestADebuggerInIPykernelAsksThePerson(t *testing.T) {
	engine := load(t, "python3")
	var asked []string
	ask := func(_ context.Context, q lang.Question) (string, error) {
		asked = append(asked, strings.TrimSpace(q.Prompt))
		return []string{"x = 8", "c"}[len(asked)-1], nil
	}
	r := &langtest.Recorder{}
	source := "def f():\n  x = 7\n  breakpoint()\n  return x\nprint('value', f())"
	result, err := engine.Execute(deadline(t), lang.Request{Source: source, Ask: ask}, r)
	if err != nil || result.Err != nil || len(asked) != 2 || !strings.Contains(r.Text(lang.Stdout), "value 8") {
		t.Errorf("got %v, %v, the questions %q and\n%s", err, result.Err, asked, r.Text(lang.Stdout))
	}
}

func TestADebuggerInIPykernelThatNobodyAnswersFailsTheRun(t *testing.T) {
	engine := load(t, "python3")
	ask := func(context.Context, lang.Question) (string, error) { return "", errors.New("nobody is there") }
	for _, source := range []string{"breakpoint()", "import pdb\npdb.set_trace()", "def f():\n  breakpoint()\n  return 1\nf()"} {
		for _, may := range []lang.Ask{ask, nil} {
			result, err := engine.Execute(deadline(t), lang.Request{Source: "kept = 42\n" + source + "\nprint('never')", Ask: may}, &langtest.Recorder{})
			if err != nil || result.Err == nil || result.Err.Message == "" {
				t.Errorf("%s: got %v and the error %v, want one that says why", source, err, result.Err)
			}
			if got, _ := told(t, engine, "print(kept)"); !slices.Equal(got, []string{"stdout 42"}) {
				t.Errorf("got %q, want that the variable is kept", got)
			}
		}
	}
}

func TestAMagicInIPykernelThatDoesNotDoItsWorkFailsTheRun(t *testing.T) {
	engine := load(t, "python3")
	for _, c := range []struct{ source, name string }{
		{"%cd /nowhere/at/all", "FileNotFoundError"},
		{"%pushd /nowhere/at/all", "FileNotFoundError"},
		{"%%script no-such-program-here\nx", "FileNotFoundError"},
		{"%load_ext no_such_extension", "ModuleNotFoundError"},
	} {
		if _, result := told(t, engine, c.source); result.Err == nil || result.Err.Name != c.name {
			t.Errorf("%s: got the error %v, want a %s", c.source, result.Err, c.name)
		}
	}
	if got, result := told(t, engine, "%cd -q .\nprint('still there')"); result.Err != nil || !slices.Equal(got, []string{"stdout still there"}) {
		t.Errorf("got %v and the error %v after a magic that does its work", got, result.Err)
	}
	if got, _ := told(t, engine, "print([name for name in globals() if name in ('space', 'source', 'call', 'install')])"); !slices.Equal(got, []string{"stdout []"}) {
		t.Errorf("got %v, want no names of ours among the program's", got)
	}
}

func TestAScriptInIPykernelShowsLinesOfAnyLength(t *testing.T) {
	engine := load(t, "python3")
	for _, size := range []int{70_000, 1_000_000} {
		source := fmt.Sprintf("%%%%bash\nprintf '%%0%dd\\n' 7\necho end", size)
		r := &langtest.Recorder{}
		result, err := engine.Execute(deadline(t), lang.Request{Source: source}, r)
		if err != nil || result.Err != nil {
			t.Fatalf("%d: %v, %v", size, err, result.Err)
		}
		if got, want := r.Text(lang.Stdout), strings.Repeat("0", size-1)+"7\nend\n"; got != want {
			t.Errorf("%d: got %d bytes, want %d", size, len(got), len(want))
		}
	}
}
