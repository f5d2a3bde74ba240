//go:build unix

package python

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
)

// started executes a source and returns once it has printed.
func started(ctx context.Context, t *testing.T, engine *Engine, source string) <-chan lang.Result {
	t.Helper()
	printed, done := make(chan struct{}), make(chan lang.Result, 1)
	var once sync.Once
	go func() {
		result, err := engine.Execute(ctx, lang.Request{Source: source}, sinkFunc(func(string) { once.Do(func() { close(printed) }) }))
		if err != nil {
			t.Errorf("execute %q: %v", source, err)
		}
		done <- result
	}()
	<-printed
	return done
}

// TestInterruptsAroundTheEndOfARunNeverReachTheNext sends each interrupt when the run ends: some
// find it, most come too late.
func TestInterruptsAroundTheEndOfARunNeverReachTheNext(t *testing.T) {
	engine := load(t)
	stopped := 0
	for range 1000 {
		done := started(deadline(t), t, engine, "print(1, flush=True)")
		if err := engine.Interrupt(); err != nil {
			t.Fatal(err)
		}
		if result := <-done; result.Err != nil {
			stopped++
			if result.Err.Name != interruptName {
				t.Fatalf("got %v", result.Err)
			}
		}
		sink, failed := run(t, engine, "sum(range(100))")
		if failed != nil || sink.PlainResult() != "4950" {
			t.Fatalf("got %v, %v: the interrupt reached the next run", sink.Lines(), failed)
		}
	}
	t.Logf("%d of 1000 runs were interrupted in time", stopped)
}

// storm interrupts without a pause until the returned function is called.
func storm(t *testing.T, engine *Engine) (end func()) {
	t.Helper()
	stop := make(chan struct{})
	var interrupts sync.WaitGroup
	interrupts.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				if err := engine.Interrupt(); err != nil {
					t.Error(err)
					return
				}
			}
		}
	})
	return func() {
		close(stop)
		interrupts.Wait()
	}
}

// TestAStormOfInterruptsIsSurvived sends interrupts without a pause, at runs that print, show, fail
// and end: in every state of the driver. The import comes before: an interrupt may break an import
// of the program.
func TestAStormOfInterruptsIsSurvived(t *testing.T) {
	engine := load(t)
	expect(t, engine, "import asyncio")
	end := sync.OnceFunc(storm(t, engine))
	defer end()
	for i := range 300 {
		source := []string{
			"for i in range(100): print(i)", "display(object())", "1 / 0", "[]", "x = = 1", "await asyncio.sleep(0.001)",
		}[i%6]
		_, failed := run(t, engine, source)
		if failed != nil && !strings.Contains("ZeroDivisionError SyntaxError "+interruptName, failed.Name) {
			t.Fatalf("%s: got %v\n%s", source, failed, strings.Join(failed.Trace, "\n"))
		}
	}
	end()
	expect(t, engine, "print('well')", "stdout: well\n")
}

// TestAnInterruptInAnImportDoesNotEndAwaiting interrupts the import of asyncio, by the program or
// the driver, between its parts.
func TestAnInterruptInAnImportDoesNotEndAwaiting(t *testing.T) {
	t.Parallel()
	const finder = `import _thread
class Interrupting:
  def find_spec(self, name, path=None, target=None):
    if name == "asyncio.tasks": _thread.interrupt_main()
`
	for name, source := range map[string]string{
		"of the program": "import asyncio",
		"of the driver":  "class Pause:\n  def __await__(self): yield\nawait Pause()",
		"of a handler":   "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\nawait None",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			engine := load(t)
			// A module, since a cell can be interrupted anywhere.
			if err := os.WriteFile(filepath.Join(engine.config.Dir, "finder.py"), []byte(finder), 0o600); err != nil {
				t.Fatal(err)
			}
			expect(t, engine, "import sys, finder\nassert 'asyncio' not in sys.modules\nsys.meta_path.insert(0, finder.Interrupting())")
			if _, failed := run(t, engine, source); failed == nil || failed.Name != interruptName {
				t.Fatalf("got %v, want %s", failed, interruptName)
			}
			expect(t, engine, "sys.meta_path.pop(0);")
			expect(t, engine, "import asyncio\nawait asyncio.sleep(0, 7)", "result: 7")
		})
	}
}

// The programs import before they print: CPython may turn an interrupt within an
// import into another error.
func TestAnInterruptEndsWhatIsGoingOn(t *testing.T) {
	t.Parallel()
	engine := load(t)
	for name, source := range map[string]string{
		"a loop that prints":      "while True: print(1)",
		"a loop that shows":       "print(1)\nwhile True: display(1)",
		"a subprocess":            "import subprocess\nprint(1)\nsubprocess.run(['sleep', '1000'])",
		"os.system":               "import os\nprint(1)\nos.system('exec sleep 1000')",
		"an await":                "import asyncio\nprint(1)\nawait asyncio.sleep(1000)",
		"a loop in a coroutine":   "import asyncio\nprint(1)\nasync def f():\n  while True: pass\nawait f()",
		"a lock":                  "import threading\nprint(1)\nl = threading.Lock()\nl.acquire()\nl.acquire()",
		"a join":                  "import threading, time\nprint(1)\nt = threading.Thread(target=time.sleep, args=(1000,), daemon=True)\nt.start()\nt.join()",
		"a representation":        "print(1, flush=True)\nclass C:\n  def __repr__(self):\n    while True: pass\nC()",
		"a message":               "print(1, flush=True)\nclass E(Exception):\n  def __str__(self):\n    while True: pass\nraise E",
		"a library in a callback": "import functools\nprint(1)\nfunctools.reduce(lambda a, b: a, iter(int, 1))",
	} {
		t.Run(name, func(t *testing.T) {
			done := started(deadline(t), t, engine, source)
			if err := engine.Interrupt(); err != nil {
				t.Fatal(err)
			}
			result := <-done
			if name == "a message" {
				// The run may have failed before the interrupt came.
				if result.Err == nil {
					t.Error("got no error")
				}
			} else if result.Err == nil || result.Err.Name != interruptName {
				t.Errorf("got %v, want %s", result.Err, interruptName)
			}
			expect(t, engine, "1", "result: 1")
		})
	}
}

// TestAnInterruptThatPythonDoesNotNoticeIsRepeated blocks the signal, until another one comes.
func TestAnInterruptThatPythonDoesNotNoticeIsRepeated(t *testing.T) {
	t.Parallel()
	engine := load(t)
	done := started(deadline(t), t, engine, "import signal, time\ndef unblock(*args): signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])\n"+
		"signal.signal(signal.SIGWINCH, unblock)\nsignal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])\nprint(1)\ntime.sleep(1000)")
	if err := engine.Interrupt(); err != nil {
		t.Fatal(err)
	}
	if result := <-done; result.Err == nil || result.Err.Name != interruptName {
		t.Errorf("got %v, want %s", result.Err, interruptName)
	}
}

func TestAnInterruptedAwaitRunsItsFinallyClauses(t *testing.T) {
	t.Parallel()
	engine := load(t)
	done := started(deadline(t), t, engine,
		"import asyncio\nclean = 0\nprint(1)\ntry:\n  await asyncio.sleep(1000)\nfinally:\n  clean = 1")
	if err := engine.Interrupt(); err != nil {
		t.Fatal(err)
	}
	if result := <-done; result.Err == nil || result.Err.Name != interruptName || result.Err.Line != 5 {
		t.Errorf("got %+v, want an interrupt in line 5", result.Err)
	}
	expect(t, engine, "clean", "result: 1")
}

func TestAProgramMayCatchAnInterruptAndEndWell(t *testing.T) {
	t.Parallel()
	engine := load(t)
	sink := &langtest.Recorder{}
	printed := make(chan struct{}, 8)
	sink.OnStream = func(string, string) { printed <- struct{}{} }
	done := make(chan error, 1)
	go func() {
		result, err := engine.Execute(deadline(t), lang.Request{Source: "import time\nprint('a')\ntry: time.sleep(1000)\n" +
			"except KeyboardInterrupt: print('b')"}, sink)
		if result.Err != nil {
			err = result.Err
		}
		done <- err
	}()
	<-printed
	if err := errors.Join(engine.Interrupt(), <-done); err != nil {
		t.Fatal(err)
	}
	if got, want := sink.Text(lang.Stdout), "a\nb\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAProgramMayInterruptItself(t *testing.T) {
	t.Parallel()
	engine := load(t)
	for _, source := range []string{
		"import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nwhile True: pass",
		"import _thread\n_thread.interrupt_main()\nwhile True: pass",
	} {
		if _, failed := run(t, engine, source); failed == nil || failed.Name != interruptName {
			t.Errorf("%s: got %v", source, failed)
		}
		expect(t, engine, "1", "result: 1")
	}
}

func TestAHandlerOfTheProgramLastsForItsRun(t *testing.T) {
	t.Parallel()
	engine := load(t)
	done := started(deadline(t), t, engine, "import signal\ngot = []\nsignal.signal(signal.SIGINT, lambda *a: got.append(1))\n"+
		"print(1)\nwhile not got: pass")
	if err := engine.Interrupt(); err != nil {
		t.Fatal(err)
	}
	if result := <-done; result.Err != nil {
		t.Errorf("got %v, want the handler to take it", result.Err)
	}
	done = started(deadline(t), t, engine, "print(1)\nwhile True: pass")
	if err := engine.Interrupt(); err != nil {
		t.Fatal(err)
	}
	if result := <-done; result.Err == nil {
		t.Error("got no error, want our handler to be back")
	}
}

// TestTheEndOfTheContextIsFeltWhileTheSinkBlocks shows that stopping does not depend on the
// consumer of the output.
func TestTheEndOfTheContextIsFeltWhileTheSinkBlocks(t *testing.T) {
	t.Parallel()
	engine := loadWith(t, moment)
	ctx, cancel := context.WithCancel(deadline(t))
	_, err := engine.Execute(ctx, lang.Request{Source: "while True: print(1)"}, sinkFunc(func(string) {
		cancel()
		<-engine.process.Exited() // killed after the grace in any case
	}))
	if !errors.Is(err, lang.ErrDied) || !strings.Contains(err.Error(), "did not stop within 1s") {
		t.Errorf("got %v, want it to say that it was killed", err)
	}
}

func TestTwoRunsAtOnceAreRefused(t *testing.T) {
	t.Parallel()
	engine := load(t)
	done := started(deadline(t), t, engine, "import time\nprint(1)\ntime.sleep(1000)")
	if _, err := engine.Execute(deadline(t), lang.Request{Source: "1"}, &langtest.Recorder{}); !errors.Is(err, lang.ErrBusy) {
		t.Errorf("got %v, want lang.ErrBusy", err)
	}
	if err := engine.Interrupt(); err != nil {
		t.Error(err)
	}
	<-done
}

func TestLoadingEndsWithTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	<-ctx.Done()
	if err := open(t, Config{}).Load(ctx, nil); !errors.Is(err, lang.ErrDied) {
		t.Errorf("got %v, want ErrDied", err)
	}
}
