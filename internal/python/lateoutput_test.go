//go:build unix

package python

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
)

// eventually waits until a sink has the expected events.
func eventually(t *testing.T, sink *langtest.Recorder, want ...string) {
	t.Helper()
	var got []string
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if got = sink.Lines(); fmt.Sprint(got) == fmt.Sprint(want) {
			return
		}
	}
	t.Errorf("got  %q\nwant %q", got, want)
}

// execute executes a source that must succeed, and returns its sink.
func execute(t *testing.T, engine lang.Engine, source string) *langtest.Recorder {
	t.Helper()
	sink := &langtest.Recorder{}
	result, err := engine.Execute(deadline(t), lang.Request{Source: source}, sink)
	if err != nil || result.Err != nil {
		t.Fatalf("%q: got %v and %v", source, err, result.Err)
	}
	return sink
}

// starts are programs that continue after the end of their cell, until a file exists, and then
// print the line late.
var starts = map[string]string{
	"thread":          "import threading\nthreading.Thread(target=say).start()",
	"low thread":      "import _thread\n_thread.start_new_thread(say, ())",
	"thread's thread": "import threading\nthreading.Thread(target=lambda: threading.Thread(target=say).start()).start()",
	"timer":           "import threading\nthreading.Timer(0.001, say).start()",
	"executor":        "from concurrent.futures import ThreadPoolExecutor\nThreadPoolExecutor().submit(say)",
	"subprocess":      "import subprocess\nsubprocess.Popen(['sh', '-c', script])",
	"posix_spawn":     "import os\nos.posix_spawn('/bin/sh', ['sh', '-c', script], os.environ)",
	"command":         "import os\nos.system('(' + script + ') &')",
	"fork":            "import os\nif os.fork() == 0:\n    say(); os._exit(0)",
	"process":         "import multiprocessing\nmultiprocessing.get_context('fork').Process(target=say).start()",
	"process of thread": "import subprocess, threading\n" +
		"threading.Thread(target=lambda: (wait('first'), subprocess.Popen(['sh', '-c', script]))).start()",
	"fork of thread": "import os, threading\ndef fork():\n    wait('first')\n    if os.fork() == 0:\n        say(); os._exit(0)\n" +
		"threading.Thread(target=fork).start()",
}

const starting = `
import os, time
def wait(name):
    while not os.path.exists(name): time.sleep(0.005)
def say():
    wait('now')
    print('late')
script = 'while [ ! -e now ]; do sleep 0.01; done; echo late'
`

func TestWhatARunHasStartedPrintsForThatRun(t *testing.T) {
	both(t, func(t *testing.T, engine *Engine) {
		for name, source := range starts {
			t.Run(name+" between runs", func(t *testing.T) {
				execute(t, engine, "import os\nfor name in ('now', 'first'):\n    if os.path.exists(name): os.remove(name)")
				sink := execute(t, engine, starting+source+"\nprint('in time')")
				other := execute(t, engine, "print('other')\nopen('first', 'w').close()")
				execute(t, engine, "open('now', 'w').close()")
				eventually(t, sink, "stdout: in time\nlate\n")
				eventually(t, other, "stdout: other\n")
			})
			t.Run(name+" beside a run", func(t *testing.T) {
				execute(t, engine, "import os\nfor name in ('now', 'first'):\n    if os.path.exists(name): os.remove(name)")
				sink := execute(t, engine, starting+source+"\nprint('in time')")
				other := execute(t, engine, "print('other')\nopen('first', 'w').close()\ntime.sleep(0.1)\nopen('now', 'w').close()\ntime.sleep(0.3)\nprint('more')")
				eventually(t, sink, "stdout: in time\nlate\n")
				eventually(t, other, "stdout: other\nmore\n")
			})
		}
	})
}

func TestEveryLineOfManyThreadsIsUnderItsOwnRunOnce(t *testing.T) {
	both(t, func(t *testing.T, engine *Engine) {
		const runs, lines = 8, 30_000
		sinks := make([]*langtest.Recorder, runs)
		for run := range runs {
			sinks[run] = execute(t, engine, fmt.Sprintf(`
import threading, sys, time
def work(run):
    for i in range(%d):
        print('run', run, 'line', i)
        if i %% 5000 == 0: time.sleep(0.02)
print('run %d begins')
threading.Thread(target=work, args=(%d,)).start()`, lines, run, run))
		}
		execute(t, engine, "import threading\nfor t in threading.enumerate():\n    if t is not threading.current_thread() and not t.daemon: t.join()")
		for run, sink := range sinks {
			var want strings.Builder
			for i := range lines {
				fmt.Fprintf(&want, "run %d line %d\n", run, i)
			}
			got := strings.Replace(sink.Text("stdout"), fmt.Sprintf("run %d begins\n", run), "", 1)
			for end := time.Now().Add(time.Minute); got != want.String() && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
				got = strings.Replace(sink.Text("stdout"), fmt.Sprintf("run %d begins\n", run), "", 1)
			}
			if got != want.String() {
				t.Errorf("run %d: got %d bytes, want %d", run, len(got), want.Len())
			}
		}
	})
}

// calls are programs that register a callback which prints the line late, with the source of a
// later run that triggers it.
var calls = map[string]struct{ source, later string }{
	"a signal handler": {
		"import os, signal\nbefore = signal.signal(signal.SIGUSR1, lambda number, frame: print('late'))",
		"os.kill(os.getpid(), signal.SIGUSR1)",
	},
	"an asynchronous handler": {
		"import asyncio, os, signal\nawait asyncio.sleep(0)\n" +
			"asyncio.get_running_loop().add_signal_handler(signal.SIGUSR2, lambda: print('late'))",
		"os.kill(os.getpid(), signal.SIGUSR2)\nawait asyncio.sleep(0.1)",
	},
	"a finalizer": {
		"import weakref\nclass Thing: pass\nthing = Thing()\nfinal = weakref.finalize(thing, lambda: print('late'))",
		"del thing",
	},
	"a finalizer that is called": {
		"import weakref\nclass Thing: pass\nthing = Thing()\nfinal = weakref.finalize(thing, print, 'late')",
		"final()",
	},
	"a call of the loop": {
		"import asyncio\nawait asyncio.sleep(0)\nasyncio.get_running_loop().call_later(0.01, lambda: print('late'))",
		"await asyncio.sleep(0.1)",
	},
	"a call when a task is done": {"import asyncio\ngo = asyncio.Event()\ntask = asyncio.ensure_future(go.wait())\n" +
		"task.add_done_callback(lambda task: print('late'))", "go.set()\nawait asyncio.sleep(0.1)"},
}

func TestWhatARunHasCalledBackPrintsForThatRun(t *testing.T) {
	both(t, func(t *testing.T, engine *Engine) {
		for name, c := range calls {
			t.Run(name, func(t *testing.T) {
				sink := execute(t, engine, c.source+"\nprint('in time')")
				other := execute(t, engine, "print('other')\n"+c.later+"\nprint('more')")
				eventually(t, sink, "stdout: in time\nlate\n")
				eventually(t, other, "stdout: other\nmore\n")
			})
		}
	})
}

func TestWhatIsAskedForAFunctionThatIsCalledBackIsThatFunction(t *testing.T) {
	both(t, func(t *testing.T, engine *Engine) {
		execute(t, engine, `
import atexit, signal, weakref
def f(*args, **options): return 'called'
class Thing: pass
thing = Thing()
signal.signal(signal.SIGUSR1, f)
assert signal.getsignal(signal.SIGUSR1) is f
assert signal.signal(signal.SIGUSR1, signal.SIG_DFL) is f
assert signal.getsignal(signal.SIGUSR1) is signal.SIG_DFL
assert signal.getsignal(signal.SIGINT) is not None
assert atexit.register(f, 1) is f
atexit.unregister(f)
final = weakref.finalize(thing, f, 1, a=2)
final.atexit = False
assert final.peek() == (thing, f, (1,), {'a': 2}), final.peek()
assert final.alive and final() == 'called' and not final.alive and final() is None
assert weakref.finalize(thing, f).detach()[:2] == (thing, f)`)
	})
}

func TestAnErrorThatNobodyHasAskedForIsOfTheRunOfItsTask(t *testing.T) {
	both(t, func(t *testing.T, engine *Engine) {
		sink := execute(t, engine, "import asyncio\nasync def fail(): raise ValueError('of the task')\ntask = asyncio.ensure_future(fail())")
		other := execute(t, engine, "import gc\nawait asyncio.sleep(0.05)\ndel task\ngc.collect()\nprint('other')")
		for end := time.Now().Add(time.Minute); !strings.Contains(sink.Text("stderr"), "of the task"); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("got %q and %q for the later run, want the error of the task", sink.Lines(), other.Lines())
			}
		}
		if text := sink.Text("stderr"); !strings.Contains(text, "Task exception was never retrieved") {
			t.Errorf("got %q, want that nobody has asked for it", text)
		}
		eventually(t, other, "stdout: other\n")
	})
}

func TestWhatAProgramSaysAtItsExitIsOfTheRunThatAskedForIt(t *testing.T) {
	both(t, func(t *testing.T, engine *Engine) {
		first := execute(t, engine, "import atexit\natexit.register(print, 'late')\nprint('in time')")
		second := execute(t, engine, "@atexit.register\ndef last(): print('last')\n"+
			"atexit.register(len)\natexit.unregister(len)")
		other := execute(t, engine, "print('other')")
		if err := engine.Close(); err != nil {
			t.Fatal(err)
		}
		for sink, want := range map[*langtest.Recorder]string{first: "in time\nlate\n", second: "last\n", other: "other\n"} {
			if got := sink.Text("stdout"); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	})
}

// slowSink consumes its first text for longer than the output of an ended process is read.
type slowSink struct {
	langtest.Recorder
	first sync.Once
}

func (s *slowSink) Stream(name, text string) {
	s.first.Do(func() { time.Sleep(400 * time.Millisecond) })
	s.Recorder.Stream(name, text)
}

func TestWhatIsPrintedUpToTheEndOfAnEngineIsDeliveredBeforeItIsClosed(t *testing.T) {
	for name, source := range map[string]string{
		"atexit":   "import atexit\natexit.register(lambda: print('x' * %d))",
		"thread":   "import threading, time\nthreading.Thread(target=lambda: (time.sleep(0.1), print('x' * %d))).start()",
		"executor": "from concurrent.futures import ThreadPoolExecutor as T\nimport time\nT().submit(lambda: (time.sleep(0.1), print('x' * %d)))\nNone",
		"C":        "import atexit, os\natexit.register(lambda: (os.write(1, b'x' * %d), os.write(1, b'\\n')))",
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, engine *Engine) {
				const size = 3_000_000
				sink := execute(t, engine, fmt.Sprintf(source, size))
				if err := engine.Close(); err != nil {
					t.Fatal(err)
				}
				if got := sink.Text("stdout"); got != strings.Repeat("x", size)+"\n" {
					t.Errorf("got %d bytes, want %d", len(got), size+1)
				}
			})
		})
	}
}

func TestWhatAnEngineHasPrintedWaitsForASlowReader(t *testing.T) {
	both(t, func(t *testing.T, engine *Engine) {
		sink := &slowSink{}
		source := "import atexit, os\natexit.register(lambda: [print('x' * 20_000, flush=True) for _ in range(3)])"
		if _, err := engine.Execute(deadline(t), lang.Request{Source: source}, sink); err != nil {
			t.Fatal(err)
		}
		if err := engine.Close(); err != nil {
			t.Fatal(err)
		}
		if got := len(sink.Text("stdout")); got != 60_003 {
			t.Errorf("got %d bytes, want 60003", got)
		}
	})
}
