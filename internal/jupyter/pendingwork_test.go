//go:build unix

package jupyter

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
)

// patient is longer than any test.
var patient = lang.Patience{Silent: time.Minute, Whole: time.Minute}

// begin executes a source that leaves work behind.
func begin(t *testing.T, engine *Engine, source string) *langtest.Recorder {
	t.Helper()
	sink := &langtest.Recorder{}
	result, err := engine.Execute(deadline(t), lang.Request{Source: source}, sink)
	if err != nil || result.Err != nil {
		t.Fatalf("%s: got %v and %v", source, err, result.Err)
	}
	return sink
}

func TestIPykernelDrainsWhatItsRunsHaveStarted(t *testing.T) {
	for name, source := range map[string]string{
		"a thread":   "import threading, time\nthreading.Thread(target=lambda: (time.sleep(0.5), print('late'))).start()",
		"a worker":   "import concurrent.futures, time\nconcurrent.futures.ThreadPoolExecutor().submit(lambda: (time.sleep(0.5), print('late')))\nNone",
		"a task":     "import asyncio\nasync def late():\n    await asyncio.sleep(0.5)\n    print('late')\nlater = asyncio.create_task(late())",
		"its task":   "import asyncio\nasync def late():\n    await asyncio.sleep(0.3)\n    print('late')\nasync def more():\n    await asyncio.sleep(0.2)\n    asyncio.create_task(late())\nlater = asyncio.create_task(more())",
		"a process":  "import subprocess\nsubprocess.Popen(['sh', '-c', 'sleep 0.5; echo late'])\nNone",
		"a fork":     "import os, time\nif os.fork() == 0: time.sleep(0.5); os.write(1, b'late\\n'); os._exit(0)",
		"an orphan":  "import os\nos.system('(sleep 0.5; echo late) &');",
		"one of its": "import multiprocessing as m, os, time\nm.get_context('fork').Process(target=lambda: (time.sleep(0.5), os.write(1, b'late\\n'))).start()",
	} {
		t.Run(name, func(t *testing.T) {
			engine := load(t, "python3")
			sink := begin(t, engine, source)
			if engine.Drain(deadline(t), patient) {
				t.Error("something is left")
			}
			if err := engine.Close(); err != nil {
				t.Error(err)
			}
			if got := strings.TrimSpace(sink.Text(lang.Stdout)); got != "late" {
				t.Errorf("got %q", sink.Lines())
			}
		})
	}
}

func TestNobodyWaitsForWhatEndsWithIPykernel(t *testing.T) {
	engine := load(t, "python3")
	for _, source := range []string{
		"1",
		"import asyncio\nawait asyncio.sleep(0)",
		"async def work(): pass\nworks = asyncio.create_task(work())",
		"import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()",
		"from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(); pool.submit(int).result()",
		"import multiprocessing\nworkers = multiprocessing.get_context('fork').Pool(2); workers.map(int, '12')",
		"from concurrent.futures import ProcessPoolExecutor\nothers = ProcessPoolExecutor(2, multiprocessing.get_context('fork')); others.submit(int).result()",
		"from multiprocessing import resource_tracker\nresource_tracker.ensure_running()",
		"import subprocess\nchild = subprocess.Popen(['sleep', '1000'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)",
	} {
		begin(t, engine, source)
		if engine.Drain(deadline(t), patient) {
			t.Errorf("%s: something is left", source)
		}
	}
}

func TestAnyKernelDrainsTheProcessesThatHaveItsOutput(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("this system does not say which processes have a pipe")
	}
	engine := load(t, "ir")
	sink := begin(t, engine, "system('(sleep 0.5; echo late) &')")
	if engine.Drain(deadline(t), patient) {
		t.Error("something is left")
	}
	if got := strings.TrimSpace(sink.Text(lang.Stdout)); got != "late" {
		t.Errorf("got %q", sink.Lines())
	}
	begin(t, engine, "system('sleep 1000 > /dev/null 2>&1 &')")
	if engine.Drain(deadline(t), patient) {
		t.Error("a process without the output is waited for")
	}
	begin(t, engine, "system('sleep 1000 &')")
	if !engine.Drain(deadline(t), lang.Patience{Silent: 300 * time.Millisecond, Whole: time.Hour}) {
		t.Error("a silent process: nothing is said to be left")
	}
}

func TestThePatienceWithIPykernelEnds(t *testing.T) {
	engine := load(t, "python3")
	begin(t, engine, "import subprocess\nsubprocess.Popen(['sleep', '1000'])\nNone")
	if !engine.Drain(deadline(t), lang.Patience{Silent: 300 * time.Millisecond, Whole: time.Hour}) {
		t.Error("a silent process: nothing is said to be left")
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(300*time.Millisecond, cancel)
	if !engine.Drain(ctx, patient) {
		t.Error("one who leaves: nothing is said to be left")
	}
	begin(t, engine, "import asyncio\nwaits = asyncio.create_task(asyncio.sleep(1000))")
	if !engine.Drain(deadline(t), lang.Patience{Silent: 300 * time.Millisecond, Whole: time.Hour}) {
		t.Error("a silent task: nothing is said to be left")
	}
	begin(t, engine, "subprocess.Popen(['sh', '-c', 'while :; do echo more; sleep 0.1; done'])\nNone")
	if !engine.Drain(deadline(t), lang.Patience{Silent: time.Hour, Whole: 2 * time.Second}) {
		t.Error("a process that prints: nothing is said to be left")
	}
}

func TestWhatIsPrintedAtTheEndOfIPykernelIsShown(t *testing.T) {
	for range 3 {
		engine := load(t, "python3")
		sink := begin(t, engine, "import atexit\natexit.register(print, 'late')\nNone")
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
		if got := sink.Text(lang.Stdout); got != "late\n" {
			t.Errorf("got %q", got)
		}
	}
}

func TestIPykernelSaysNothingOfItsOwnEnd(t *testing.T) {
	for range 3 {
		engine := load(t, "python3")
		sink := begin(t, engine, "import warnings\nwarnings.simplefilter('error')")
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
		if got := sink.Lines(); len(got) > 0 {
			t.Errorf("got %q", got)
		}
	}
}

func TestToDrainIPykernelExecutesNothing(t *testing.T) {
	engine := load(t, "python3")
	sink := begin(t, engine, "for name in ('pre_execute', 'pre_run_cell', 'post_execute', 'post_run_cell'):\n"+
		"    get_ipython().events.register(name, lambda *given, name=name: print(name))")
	before := len(sink.Text(lang.Stdout))
	if !engine.link.reportsLeft.Load() {
		t.Error("the kernel does not tell what goes on")
	}
	begin(t, engine, "import threading, time\nthreading.Thread(target=time.sleep, args=[0.3]).start()")
	if engine.Drain(deadline(t), patient) {
		t.Error("something is left")
	}
	if err := engine.Close(); err != nil {
		t.Error(err)
	}
	if got := sink.Text(lang.Stdout)[before:]; got != "" {
		t.Errorf("got %q", got)
	}
}
