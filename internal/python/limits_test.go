//go:build linux

package python

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
)

// limited returns an engine with limits, ready.
func limited(t *testing.T, limits Limits) *Engine {
	t.Helper()
	engine := open(t, Config{Python: interpreter(t), Dir: t.TempDir(), Grace: grace, Limits: limits})
	if err := engine.Load(deadline(t), nil); err != nil {
		t.Fatal(err)
	}
	return engine
}

func TestALimitFailsTheRunAndTheEngineGoesOn(t *testing.T) {
	t.Parallel()
	const wait = "import threading\nstop = threading.Event()\nthreads = []\n"
	for name, c := range map[string]struct {
		limits Limits
		source string
		want   string // name of the error
		lack   lang.Lack
	}{
		"memory at once":       {Limits{Memory: 512 << 20}, "x = bytearray(2 << 30)", "MemoryError", lang.LackMemory},
		"memory bit by bit":    {Limits{Memory: 256 << 20}, "x = []\nwhile True: x.append(bytearray(1 << 20))", "MemoryError", lang.LackMemory},
		"memory of small ones": {Limits{Memory: 128 << 20}, "x = []\nwhile True: x.append(object())", "MemoryError", lang.LackMemory},
		"processor time":       {Limits{CPU: time.Second}, "while True: pass", "CPULimitExceeded", lang.LackCPU},
		"processor time that the program would not notice": {
			Limits{CPU: time.Second}, "while True:\n  try:\n    while True: pass\n  except Exception: pass", "CPULimitExceeded", lang.LackCPU,
		},
		"processor time of a coroutine": {
			Limits{CPU: time.Second}, "async def f():\n  while True: pass\nawait f()", "CPULimitExceeded", lang.LackCPU,
		},
		"open files":    {Limits{Files: 64}, "x = [open('/dev/null') for i in range(100)]", "OSError", lang.LackFiles},
		"size of files": {Limits{FileSize: 1 << 20}, "with open('x', 'wb') as f: f.write(bytes(2 << 20))", "OSError", lang.LackFileSize},
		"threads": {
			Limits{Memory: 512 << 20}, wait + "try:\n  while True:\n    threads.append(threading.Thread(target=stop.wait))\n" +
				"    threads[-1].start()\nfinally: stop.set()", "RuntimeError", lang.LackProcesses,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			engine := limited(t, c.limits)
			_, failed := run(t, engine, c.source)
			if failed == nil || failed.Name != c.want || failed.Lack != c.lack {
				t.Errorf("got %v, want %s for lack of %s", failed, c.want, c.lack)
			}
			expect(t, engine, "x = None\nprint('well')\n6 * 7", "stdout: well\n", "result: 42")
		})
	}
}

func TestProcessorTimeThatIsUsedUpKills(t *testing.T) {
	t.Parallel()
	engine := limited(t, Limits{CPU: time.Second})
	source := "sum(range(10 ** 12))" // it never returns to the interpreter loop
	_, err := engine.Execute(deadline(t), lang.Request{Source: source}, &langtest.Recorder{})
	if !errors.As(err, new(*lang.SpentError)) {
		t.Errorf("got %v, want that its time is spent", err)
	}
	if want := "killed: it has used its 1s of processor time"; !errors.Is(err, lang.ErrDied) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}

func TestImpossibleLimitsAreRefused(t *testing.T) {
	t.Parallel()
	for want, limits := range map[string]Limits{
		"negative":           {Memory: -1},
		"with 3 open files":  {Files: 3},
		"a limit of python":  {CPU: -time.Second},
		"is negative":        {Processes: -1},
		"python is negative": {FileSize: -1},
	} {
		if _, err := New(Config{Limits: limits}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: got %v, want %q", limits, err, want)
		}
	}
}
