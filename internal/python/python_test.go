//go:build unix

package python

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
)

// grace is long enough for programs that stop, on a busy machine. Programs that never stop are
// killed after a moment.
const grace, moment = time.Minute, time.Second

// open returns a new engine on the machine's python3, not loaded. Its bound for queries is that for
// programs.
func open(t testing.TB, config Config) *Engine {
	t.Helper()
	if config.Python == "" {
		config.Python = interpreter(t)
	}
	engine, err := New(config)
	if err != nil {
		t.Skipf("these tests need Python: %v", err)
	}
	engine.patience = grace
	t.Cleanup(func() {
		if err := engine.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return engine
}

// load returns an engine that is ready, in an empty directory.
func load(t testing.TB) *Engine { return loadWith(t, grace) }

// loadWith is load with a grace of the test's own.
func loadWith(t testing.TB, grace time.Duration) *Engine {
	t.Helper()
	engine := open(t, Config{Dir: t.TempDir(), Grace: grace})
	if err := engine.Load(deadline(t), nil); err != nil {
		t.Fatal(err)
	}
	return engine
}

// deadline ends a test that hangs.
func deadline(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// run executes a source that must not break the engine.
func run(t testing.TB, engine *Engine, source string) (*langtest.Recorder, *lang.Error) {
	t.Helper()
	sink := &langtest.Recorder{}
	result, err := engine.Execute(deadline(t), lang.Request{Source: source}, sink)
	if err != nil {
		t.Fatalf("execute %q: %v\n%s", source, err, sink.Text(lang.Stderr))
	}
	return sink, result.Err
}

// expect executes a source that must succeed, and compares the events.
func expect(t testing.TB, engine *Engine, source string, want ...string) {
	t.Helper()
	sink, failed := run(t, engine, source)
	if failed != nil {
		t.Errorf("execute %q: got error %v\n%s", source, failed, strings.Join(failed.Trace, "\n"))
	}
	if diff := cmp.Diff(want, sink.Lines()); diff != "" {
		t.Errorf("execute %q (-want +got):\n%s", source, diff)
	}
}

// TestPythonKeepsTheContractOfEngines measures the heap, so it is not parallel.
func TestPythonKeepsTheContractOfEngines(t *testing.T) {
	langtest.Suite(t, func(t *testing.T) lang.Engine {
		return open(t, Config{Dir: t.TempDir(), Grace: 10 * time.Second, Env: append(os.Environ(), standIn(t))})
	}, langtest.Programs{
		Hello:    `print("hello")`,
		Streams:  "import sys\nprint('a')\nprint('b', file=sys.stderr)\nprint('c')",
		Set:      "kept = 42",
		Get:      "kept",
		Displays: "class B:\n  def _repr_html_(self): return '<b>b</b>'\nprint('a'); display(B()); print('c')",
		Updates: "h = display({'text/html': '1'}, raw=True, display_id=True)\n" +
			"h.update({'text/html': '2'}, raw=True)",
		Clears:   "print('a'); clear_output(wait=True); print('b')",
		Fail:     "print('before')\nraise ValueError('bad value')",
		FailName: "ValueError", FailMessage: "bad value", FailLine: 2,
		Syntax: "print('not run')\nx = = 1", SyntaxLine: 2,
		Loop:  "print('started')\nwhile True: pass",
		Sleep: "import time\nprint('started')\ntime.sleep(1000)",
		Stubborn: "import time\nsaid = False\nwhile True:\n  try:\n    if not said: said = True; print('started')\n" +
			"    time.sleep(1000)\n  except KeyboardInterrupt: pass",
		Ask:       "print('before')\nprint(input('name? '))",
		AskSecret: "import getpass\nprint(len(getpass.getpass('word? ')))",
		AskTicks: "import threading, time\nanswered = threading.Event()\ndef tick():\n" +
			"  while not answered.wait(0.001): print('tick')\n" +
			"t = threading.Thread(target=tick)\nt.start()\ninput('more? ')\nanswered.set()\nt.join()",
		NoAnswer: "EOFError",
		Late: "import threading\nsay, said = threading.Event(), threading.Event()\ndef late():\n" +
			"  say.wait(0.1); print('late'); said.set()\nthreading.Thread(target=late).start()\nprint('in time')",
		LateBeside: "print('waits')\nsay.set()\nsaid.wait()\nprint('went on')",
		AtClose:    "import atexit\natexit.register(print, 'late')\nprint('in time')",
		Comms: "import comm\nprint('a')\nc = comm.create_comm(target_name='test', data={'x': 1})\nprint('b')\n" +
			"c.send({'y': [2]}, buffers=[bytes([0, 255])])\nc.close()\nprint('c')",
		CommLater: "import comm, threading, time\nc = comm.create_comm(target_name='test')\nt = threading.Thread(target=lambda: " +
			"(threading.main_thread() and time.sleep(0.3), c.send({'late': True})))\nt.start()",
		CommAnswers: "import comm\nc = comm.create_comm(target_name='test')\n" +
			"c.on_msg(lambda m: c.send({'got': m['content']['data']}, buffers=m['buffers']))",
		CommWidget: "import comm\nc = comm.create_comm(target_name='jupyter.widget', data={'state': {'value': 1}}, metadata={'version': '2.1.0'})\n" +
			"c.on_msg(lambda m: None)",
		Name:      "kept",
		Lead:      "'🐎'; ",
		Shared:    "print(shared['b'][1])",
		Define:    "def horse(legs=4):\n  'says what it does'",
		Defined:   "horse",
		Calling:   "horse(legs=3, ",
		Die:       "import os\nprint('last')\nos._exit(3)",
		SplitUTF8: "import os\nfor b in 'é🐎'.encode(): os.write(1, bytes([b]))",
		BadUTF8:   `import os; os.write(1, b"a\xffb"); None`,
		Flood:     "line = 'x' * 1023\nfor i in range(40 * 1024): print(line)",
		FloodSize: 40 << 20,
	})
}
