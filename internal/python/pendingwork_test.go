//go:build unix

package python

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
	"github.com/quirehq/quire/internal/proc"
)

// patient is longer than any test.
var patient = lang.Patience{Silent: time.Minute, Whole: time.Minute}

func TestAnEngineDrainsWhatItsRunsHaveStarted(t *testing.T) {
	for name, source := range starts {
		if name == "low thread" {
			continue // programs do not wait for it
		}
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, engine *Engine) {
				execute(t, engine, "import os\nfor name in ('now', 'first'):\n    if os.path.exists(name): os.remove(name)")
				sink := execute(t, engine, starting+source+"\nprint('in time')")
				// A thread of the last run releases it.
				other := execute(t, engine, "import threading\nprint('other')\nopen('first', 'w').close()\n"+
					"threading.Thread(target=lambda: (time.sleep(0.2), open('now', 'w').close())).start()")
				if engine.Drain(deadline(t), patient) {
					t.Error("something is left")
				}
				if got := sink.Text("stdout"); got != "in time\nlate\n" {
					t.Errorf("got %q, want what came late", got)
				}
				if got := other.Text("stdout"); got != "other\n" {
					t.Errorf("got %q from the later run", got)
				}
				if _, err := engine.Execute(deadline(t), lang.Request{Source: "1"}, other); !errors.Is(err, lang.ErrClosed) {
					t.Errorf("then: got %v, want that it is closed", err)
				}
				if err := engine.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestAnEngineDrainsTheTasksOfItsLoop(t *testing.T) {
	const task = "import asyncio\nasync def late():\n    await asyncio.sleep(0.2)\n    print('late')\n"
	for name, source := range map[string]string{
		"a task":           task + "later = asyncio.create_task(late())",
		"one of a task":    task + "async def more():\n    await asyncio.sleep(0.01)\n    asyncio.create_task(late())\nawaited = asyncio.create_task(more())",
		"one beside":       task + "asyncio.create_task(late())\nawait asyncio.sleep(0)",
		"one of a failure": task + "async def fails():\n    later.append(asyncio.create_task(late()))\n    raise SystemExit(3)\nlater = []\nfailing = asyncio.create_task(fails())",
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, engine *Engine) {
				sink := execute(t, engine, source+"\nimport atexit\natexit.register(print, 'exit')\nprint('in time')")
				other := execute(t, engine, "print('other')")
				if engine.Drain(deadline(t), patient) {
					t.Error("something is left")
				}
				if err := engine.Close(); err != nil {
					t.Error(err)
				}
				if got := sink.Text("stdout"); got != "in time\nlate\nexit\n" {
					t.Errorf("got %q, want what came late", got)
				}
				if got := other.Text("stdout"); got != "other\n" {
					t.Errorf("got %q from the later run", got)
				}
			})
		})
	}
}

func TestAProgramEndsAsUsualWhenItsTasksWereWaitedForInVain(t *testing.T) {
	both(t, func(t *testing.T, engine *Engine) {
		sink := execute(t, engine, "import asyncio, atexit\nasync def endless():\n    await asyncio.sleep(1000)\n"+
			"waits = asyncio.create_task(endless())\natexit.register(print, 'exit')\nNone")
		if !engine.Drain(deadline(t), lang.Patience{Silent: 100 * time.Millisecond, Whole: time.Hour}) {
			t.Error("nothing is said to be left")
		}
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
		if got := sink.Text("stdout"); got != "exit\n" {
			t.Errorf("got %q, want what atexit has", got)
		}
	})
}

func TestAProgramThatHasEndedItselfIsDrained(t *testing.T) {
	both(t, func(t *testing.T, engine *Engine) {
		sink := &langtest.Recorder{}
		source := "import subprocess\nsubprocess.Popen(['sh', '-c', 'sleep 0.2; echo late'])\nexit()"
		result, err := engine.Execute(deadline(t), lang.Request{Source: source}, sink)
		if err != nil || result.Exit != lang.ExitedGone {
			t.Fatalf("got %+v, %v", result, err)
		}
		if engine.Drain(deadline(t), patient) {
			t.Error("something is left")
		}
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
		if got := sink.Text("stdout"); got != "late\n" {
			t.Errorf("got %q", got)
		}
	})
}

func TestAnEngineDrainsWhatIsPrintedByTheEnd(t *testing.T) {
	both(t, func(t *testing.T, engine *Engine) {
		sink := execute(t, engine, "import atexit, subprocess\nclass Last:\n    def __del__(self): print('last')\nlast = Last()\n"+
			"async def never(): pass\nwaits = never()\n"+
			"atexit.register(lambda: subprocess.Popen(['sh', '-c', 'sleep 0.2; echo process of the exit']))\natexit.register(print, 'exit')\n")
		if engine.Drain(deadline(t), patient) {
			t.Error("something is left")
		}
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
		if got := sink.Text("stdout"); got != "exit\nprocess of the exit\nlast\n" || sink.Text("stderr") != "" {
			t.Errorf("got %q and %q", got, sink.Text("stderr"))
		}
	})
}

// endless are programs that never end.
var endless = map[string]string{
	"a silent task":         "import asyncio\nasync def wait():\n    await asyncio.sleep(1000)\nwaits = asyncio.create_task(wait())",
	"a task that prints":    "import asyncio\nasync def more():\n    while True: print('more'); await asyncio.sleep(0.05)\ngoes = asyncio.create_task(more())",
	"a silent process":      "import subprocess\nsubprocess.Popen(['sleep', '1000'])\nNone",
	"a silent thread":       "import threading\nthreading.Thread(target=threading.Event().wait).start()",
	"a process that prints": "import subprocess\nsubprocess.Popen(['sh', '-c', 'while :; do echo more; sleep 0.05; done'])\nNone",
	"a thread that prints":  "import threading, time\ndef more():\n    while True: print('more'); time.sleep(0.05)\nthreading.Thread(target=more).start()",
}

func TestThePatienceWithWhatGoesOnEnds(t *testing.T) {
	for name, source := range endless {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, engine *Engine) {
				execute(t, engine, source)
				p := lang.Patience{Silent: 100 * time.Millisecond, Whole: time.Hour}
				if strings.HasSuffix(name, "prints") {
					p = lang.Patience{Silent: time.Hour, Whole: 500 * time.Millisecond}
				}
				if !engine.Drain(deadline(t), p) {
					t.Error("nothing is said to be left")
				}
				if err := engine.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestOneWhoLeavesDoesNotWaitForWhatGoesOn(t *testing.T) {
	engine := start(t, "")
	execute(t, engine, endless["a silent process"])
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	if !engine.Drain(ctx, lang.Patience{Silent: time.Hour, Whole: time.Hour}) {
		t.Error("nothing is said to be left")
	}
}

func TestNobodyWaitsForWhatEndsWithPython(t *testing.T) {
	for name, source := range map[string]string{
		"nothing":                 "1",
		"a task that is done":     "import asyncio\nasync def work(): pass\nwork = asyncio.create_task(work())",
		"a loop":                  "import asyncio\nawait asyncio.sleep(0)",
		"a loop that was stopped": "import asyncio\nasync def stop(): asyncio.get_running_loop().stop()\nstops = asyncio.create_task(stop())",
		"a daemon":                "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()",
		"workers":                 "from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(); pool.submit(int).result()",
		"a pool":                  "import multiprocessing\npool = multiprocessing.get_context('fork').Pool(2); pool.map(int, '12')",
		"a tracker":               "from multiprocessing import resource_tracker\nresource_tracker.ensure_running()",
		"shared memory":           "from multiprocessing import shared_memory\nmemory = shared_memory.SharedMemory(create=True, size=10)\nmemory.unlink()",
		"a silent process":        "import subprocess\nchild = subprocess.Popen(['sleep', '1000'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)",
		"a process that was":      "import subprocess\nsubprocess.run(['true'])\nNone",
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, engine *Engine) {
				execute(t, engine, source)
				if engine.Drain(deadline(t), patient) {
					t.Error("something is left")
				}
			})
		})
	}
}

func TestWhatHasStartedPythonIsNotWaitedFor(t *testing.T) {
	config := Config{Python: interpreter(t), Dir: t.TempDir(), Start: func(cmd *exec.Cmd, _ ...string) (proc.Child, error) {
		// As in a sandbox: the starting process stays, with Python's output.
		shell := exec.Command("/bin/sh", append([]string{"-c", `"$@"; exit $?`, "sh", cmd.Path}, cmd.Args[1:]...)...)
		shell.Dir, shell.Env, shell.Stdout, shell.Stderr, shell.ExtraFiles = cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles
		return proc.StartOwn(shell)
	}}
	for _, source := range []string{"1", "import subprocess\nsubprocess.Popen(['sh', '-c', 'sleep 0.2; echo late'])\nNone"} {
		engine := open(t, config)
		if err := engine.Load(deadline(t), nil); err != nil {
			t.Fatal(err)
		}
		sink := execute(t, engine, "print('first')")
		last := execute(t, engine, source)
		if engine.Drain(deadline(t), patient) {
			t.Errorf("%s: something is left", source)
		}
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
		if got := sink.Text("stdout"); got != "first\n" {
			t.Errorf("got %q", got)
		}
		if got := last.Text("stdout"); strings.Contains(source, "late") && got != "late\n" {
			t.Errorf("got %q", got)
		}
	}
}
