//go:build unix

package jupyter

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
)

// dialect has the sources of the tests of all kernels in one language. They cover the requirements
// of the project jupyter_kernel_test, through the engine.
type dialect struct {
	kernel, language, extension string
	stdout, stderr              string // print "hello, world\n" there
	begun, completed            string // a source to complete, and its completion
	complete, incomplete        string
	invalid                     string
	help                        string // shows help in a pager
	helpHas                     string
	fails                       string
	value, valueIs              string // an expression, and its plain text
	display, mime               string // shows a value of a MIME type
	known, knownHas             string // a name to inspect, and a part of its documentation
	clear                       string // clears and waits
}

func dialects() []dialect {
	return []dialect{
		{
			kernel: "python3", language: "python", extension: ".py",
			stdout: "print('hello, world')", stderr: "import sys; print('hello, world', file=sys.stderr)",
			begun: "zi", completed: "zip", complete: "1", incomplete: "for i in range(3):", invalid: "import = 7q",
			help: "zip?", helpHas: "iterables", fails: "1/0", value: "6*7", valueIs: "42",
			display: "from IPython.display import HTML, display; display(HTML('<b>it</b>'))", mime: "text/html",
			known: "zip", knownHas: "iterables", clear: "from IPython.display import clear_output; clear_output(wait=True)",
		},
		{
			kernel: "ir", language: "r", extension: ".r",
			stdout: `cat("hello, world\n")`, stderr: `message("hello, world", appendLF = FALSE); message("\n", appendLF = FALSE)`,
			begun: "zi", completed: "zip", complete: "1", incomplete: "f <- function(x) {", invalid: "x = = 2",
			help: "?cat", helpHas: "Concatenate", fails: "stop('no')", value: "6*7", valueIs: "[1] 42",
			display: "IRdisplay::display_html('<b>it</b>')", mime: "text/html",
			known: "cat", knownHas: "Concatenate", clear: "IRdisplay::clear_output(TRUE)",
		},
	}
}

func TestKernelsDoWhatKernelsMust(t *testing.T) {
	for _, d := range dialects() {
		t.Run(d.kernel, func(t *testing.T) {
			engine := load(t, d.kernel)
			for name, test := range map[string]func(*testing.T, *Engine){
				"they say what they are":        d.saysWhatItIs,
				"they print to both streams":    d.prints,
				"they complete":                 d.completes,
				"they know what is complete":    d.knowsWhatIsComplete,
				"they show help":                d.showsHelp,
				"they fail":                     d.fail,
				"they show a value":             d.showsAValue,
				"they show a display":           d.showsADisplay,
				"they remember":                 d.remembers,
				"they explain":                  d.explains,
				"they clear":                    d.clears,
				"they let others print as well": d.letsOthersPrint,
			} {
				t.Run(name, func(t *testing.T) { test(t, engine) })
			}
		})
	}
}

func (d dialect) saysWhatItIs(t *testing.T, engine *Engine) {
	got := engine.Info()
	if got.Language != d.language || got.Extension != d.extension || !strings.HasPrefix(got.MIME, "text/") || got.Version < "3" {
		t.Errorf("got %+v", got)
	}
}

func (d dialect) prints(t *testing.T, engine *Engine) {
	expect(t, engine, d.stdout, "stdout: hello, world\n")
	if sink, _ := execute(t, engine, d.stderr); strings.TrimSpace(sink.Text(lang.Stderr)) != "hello, world" || sink.Text(lang.Stdout) != "" {
		t.Errorf("got %q, want the text on stderr", sink.Lines())
	}
}

func (d dialect) completes(t *testing.T, engine *Engine) {
	got, err := engine.Complete(deadline(t), lang.Place{Source: d.begun, Cursor: len(d.begun)})
	if err != nil || !slices.ContainsFunc(got.Items, func(c lang.Candidate) bool { return c.Text == d.completed }) ||
		got.Start != 0 || got.End != len(d.begun) {
		t.Errorf("got %+v, %v, want %s", got, err, d.completed)
	}
}

func (d dialect) knowsWhatIsComplete(t *testing.T, engine *Engine) {
	for source, want := range map[string]Completeness{d.complete: Complete, d.incomplete: Incomplete, d.invalid: Invalid} {
		if got, _, err := engine.IsComplete(deadline(t), source); err != nil || got != want {
			t.Errorf("%q: got %s, %v, want %s", source, got, err, want)
		}
	}
}

func (d dialect) showsHelp(t *testing.T, engine *Engine) {
	sink, failed := execute(t, engine, d.help)
	if failed != nil || len(sink.Events) != 1 || sink.Events[0].Kind != "display" || !strings.Contains(plainOf(sink), d.helpHas) {
		t.Errorf("got %q, %v, want a display of help", sink.Lines(), failed)
	}
}

// plainOf returns the plain text of the first display.
func plainOf(sink *langtest.Recorder) string {
	var text string
	_ = json.Unmarshal(sink.Events[0].Bundle.Data["text/plain"], &text) // else it is empty
	return text
}

func (d dialect) fail(t *testing.T, engine *Engine) {
	if sink, failed := execute(t, engine, d.fails); failed == nil || failed.Name == "" || len(failed.Trace) == 0 || len(sink.Events) > 0 {
		t.Errorf("got %+v and %q, want an error alone", failed, sink.Lines())
	}
}

func (d dialect) showsAValue(t *testing.T, engine *Engine) {
	sink, failed := execute(t, engine, d.value)
	if failed != nil || len(sink.Events) != 1 || plainOf(sink) != d.valueIs {
		t.Errorf("got %q, %v, want %s", sink.Lines(), failed, d.valueIs)
	}
}

func (d dialect) showsADisplay(t *testing.T, engine *Engine) {
	expect(t, engine, d.display, "display: "+d.mime+" <b>it</b>")
}

func (d dialect) remembers(t *testing.T, engine *Engine) {
	execute(t, engine, d.value)
	got, err := engine.History(deadline(t), 5)
	if d.kernel == "ir" {
		return // it answers with an empty list: R has a history only in a terminal
	}
	if err != nil || len(got) == 0 || !slices.Contains(got, d.value) {
		t.Errorf("got %q, %v, want %s among them", got, err, d.value)
	}
}

func (d dialect) explains(t *testing.T, engine *Engine) {
	got, err := engine.Inspect(deadline(t), lang.Place{Source: d.known, Cursor: len(d.known)})
	var text string
	if err == nil {
		err = json.Unmarshal(got.Data["text/plain"], &text)
	}
	if err != nil || !got.Found || !strings.Contains(text, d.knownHas) || strings.Contains(text, "\x1b") {
		t.Errorf("got %q, %v, want what %s is, without colours", text, err, d.known)
	}
}

func (d dialect) clears(t *testing.T, engine *Engine) {
	expect(t, engine, d.clear, "clear: wait")
}

// letsOthersPrint has a program write past the kernel's streams: the text is shown once. Python's
// kernel reads it asynchronously, so it may come with a later run.
func (d dialect) letsOthersPrint(t *testing.T, engine *Engine) {
	source, wait := `system("echo one; echo two >&2")`, "1"
	if d.kernel == "python3" {
		source, wait = `import subprocess, time; _ = subprocess.run("echo one; echo two >&2", shell=True)`, "time.sleep(0.05)"
	}
	for range 5 {
		var out, err string
		ctx, next := deadline(t), source
		for ; ctx.Err() == nil && (out == "" || err == ""); next = wait {
			sink, _ := execute(t, engine, next)
			out, err = out+sink.Text(lang.Stdout), err+sink.Text(lang.Stderr)
		}
		if out != "one\n" || err != "two\n" {
			t.Errorf("got %q and %q", out, err)
		}
	}
}

func TestAKernelLeavesNothingBehind(t *testing.T) {
	engine := load(t, "python3")
	dir := engine.link.place.dir
	for path, want := range map[string]os.FileMode{dir: 0o700, engine.link.place.file(): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: got %v, %v, want the mode %o", path, info, err, want)
		}
	}
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder of the connection is still there: %v", err)
	}
}

func TestAKernelThatEndsBetweenRunsSaysHow(t *testing.T) {
	engine := load(t, "python3")
	leaves := "import os, threading\n_ = threading.Timer(0.2, lambda: os._exit(7)).start()"
	_, _ = engine.Execute(deadline(t), lang.Request{Source: leaves}, &langtest.Recorder{}) // it may end within the run already
	<-engine.gone
	_, err := engine.Execute(t.Context(), lang.Request{Source: "1"}, &langtest.Recorder{})
	if err == nil || !strings.Contains(err.Error(), "the kernel python3 ended: exit status 7") {
		t.Errorf("got %v, want how it ended", err)
	}
	if _, err := engine.Complete(t.Context(), lang.Place{Source: "a", Cursor: 1}); err == nil {
		t.Error("a completion: got no error")
	}
}

var errNotWanted = errors.New("not wanted any more")

func TestAKernelThatDoesNotStartSaysWhy(t *testing.T) {
	for name, c := range map[string]struct {
		argv []string
		want string
	}{
		"no program":     {[]string{"no-such-program", connectionMark}, "there is no no-such-program in PATH"},
		"no file":        {[]string{"/nowhere/kernel", connectionMark}, "no such file"},
		"it fails":       {[]string{"sh", "-c", "echo wrong version >&2; exit 4", connectionMark}, "exit status 4: wrong version"},
		"it only sleeps": {[]string{"sh", "-c", "sleep 1000", connectionMark}, "not wanted any more"},
	} {
		t.Run(name, func(t *testing.T) {
			engine := open(t, Kernel{Name: "bad", Language: "x", Argv: c.argv})
			ctx, cancel := context.WithCancelCause(deadline(t))
			if name == "it only sleeps" {
				cancel(errNotWanted)
			}
			defer cancel(nil)
			if err := engine.Load(ctx, nil); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
