//go:build unix

package python

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
)

func TestWhatAProgramBreaksIsItsOwn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		source string
		want   []string
	}{
		"closing descriptor 1":        {"import os\nprint('a')\nos.close(1)\nprint('b')", []string{"stdout: a\nb\n"}},
		"closing descriptors 1 and 2": {"import os\nos.close(1)\nos.close(2)\nprint('a')", []string{"stdout: a\n"}},
		"bytes that are no text":      {`import sys; sys.stdout.buffer.write(b"\xff\xfe\n");`, []string{"stdout: \uFFFD\uFFFD\n"}},
		"closing stdout":              {"import sys\nsys.stdout.close()\nprint('a')", []string{"stdout: a\n"}},
		"replacing stdout":            {"import sys, io\nsys.stdout = io.StringIO()\nprint('lost')\nsys.stdout = sys.__stdout__\nprint('a')", []string{"stdout: a\n"}},
		"redirecting stdout":          {"import io, contextlib\nwith contextlib.redirect_stdout(io.StringIO()) as f: print('a')\nf.getvalue()", []string{`result: 'a\n'`}},
		"silencing descriptor 1":      {"import os\nfd = os.open(os.devnull, os.O_WRONLY)\nos.dup2(fd, 1)\nos.write(1, b'lost')\nprint('a')", []string{"stdout: a\n"}},
		"a descriptor that blocks":    {"import os\nos.set_blocking(1, False)\nprint('x' * (1 << 20))\nos.set_blocking(1, True)", []string{"stdout: " + strings.Repeat("x", 1<<20) + "\n"}},
		"deleting print":              {"import builtins\ndel builtins.print", nil},
		"overwriting builtins":        {"import builtins\nfor n in ('len', 'min', 'max', 'range', 'compile', 'eval', 'getattr', 'repr'): setattr(builtins, n, None)", nil},
		"overwriting os.write":        {"import os\nos.write = os.read = None", nil},
		"clearing its namespace":      {"globals().clear()", nil},
		"an exit hook":                {"import atexit\natexit.register(print, 'bye')", []string{"result: <built-in function print>"}},
		"changing the directory":      {"import os\nos.chdir('/')", nil},
		"json.py in the directory":    {"open('json.py', 'w').write('1/0')\nopen('asyncio.py', 'w').write('1/0');", nil},
		"a hook for errors":           {"import sys\nsys.excepthook = sys.displayhook = None", nil},
		"a fork that goes on": {
			"import os\nif os.fork() == 0:\n  print('child')\nelse:\n  os.wait()\n  print('parent')", []string{"stdout: child\nparent\n"},
		},
		"a pool of processes": {
			"import multiprocessing\nwith multiprocessing.get_context('fork').Pool(2) as p: print(p.map(abs, [-1, 2]))", []string{"stdout: [1, 2]\n"},
		},
		"binary noise": {`import os; os.write(1, bytes(range(128, 256)) * 3 + b"\n");`, []string{"stdout: " + strings.Repeat("\uFFFD", 3*128) + "\n"}},
		"a finalizer that prints": {
			"import gc\nclass C:\n  def __del__(self): print('x' * 40000); display(1)\nfor i in range(20):\n  c = C()\n  c.c = c\n  print('y' * 40000)\nc = None\ngc.collect()\nclear_output()", nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			engine := load(t)
			sink, failed := run(t, engine, c.source)
			if failed != nil {
				t.Errorf("got %v\n%s", failed, strings.Join(failed.Trace, "\n"))
			}
			if got := strings.Join(sink.Lines(), "|"); c.want != nil && got != strings.Join(c.want, "|") {
				t.Errorf("got %.200q, want %.200q", got, c.want)
			}
			expect(t, engine, "import os, sys\nsys.stderr.write('still here\\n')\n6 * 7", "stderr: still here\n", "result: 42")
		})
	}
}

func TestADeathSaysHowItWas(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ source, want string }{
		"an exit":  {"print('last')\nimport os\nos._exit(7)", "exit status 7"},
		"a signal": {"print('last', flush=True)\nimport os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "signal SIGKILL: killed from outside, as when memory runs out"},
		"a crash":  {"print('last', flush=True)\nimport ctypes\nctypes.string_at(0)", "signal SIGSEGV: a segmentation fault"},
		"an abort": {"print('last')\nimport os\nos.abort()", "signal SIGABRT: it was aborted"},
		"lost descriptors": {
			"print('last', flush=True)\nimport os, time\nos.closerange(3, 4096)\ntime.sleep(1000)", "the program closed the descriptors that belong to the runtime",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			engine := load(t)
			sink := &langtest.Recorder{}
			_, err := engine.Execute(deadline(t), lang.Request{Source: c.source}, sink)
			if !errors.Is(err, lang.ErrDied) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want ErrDied with %q", err, c.want)
			}
			if got := sink.Text(lang.Stdout); got != "last\n" {
				t.Errorf("got %q before the end, want %q", got, "last\n")
			}
		})
	}
}

func TestACrashShowsWhereItWas(t *testing.T) {
	t.Parallel()
	engine := load(t)
	sink := &langtest.Recorder{}
	_, err := engine.Execute(deadline(t), lang.Request{Source: "import ctypes\nctypes.string_at(0)"}, sink)
	if got := sink.Text(lang.Stderr); !errors.Is(err, lang.ErrDied) || !strings.Contains(got, "Segmentation fault") ||
		!strings.Contains(got, `"<cell 1>", line 2`) {
		t.Errorf("got %v and %q, want the place of the crash", err, got)
	}
}

func TestAProgramThatIgnoresInterruptsIsKilledAndANewOneWorks(t *testing.T) {
	t.Parallel()
	engine := loadWith(t, moment)
	ctx, cancel := context.WithCancel(deadline(t))
	_, err := engine.Execute(ctx, lang.Request{
		Source: "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nprint(1, flush=True)\nwhile True: pass",
	}, sinkFunc(func(string) { cancel() }))
	if want := "python was killed: it did not stop within 1s"; !errors.Is(err, lang.ErrDied) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
	expect(t, load(t), "6 * 7", "result: 42")
}

func TestADeathBetweenRunsIsReportedByTheNext(t *testing.T) {
	t.Parallel()
	engine := load(t)
	path, _ := reader(t)
	expect(t, engine, "import threading, os\nthreading.Thread(target=lambda: (open('"+path+"').read(), os._exit(5))).start()")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	<-engine.process.Exited()
	_, err := engine.Execute(deadline(t), lang.Request{Source: "1"}, &langtest.Recorder{})
	if !errors.Is(err, lang.ErrDied) || !strings.Contains(err.Error(), "exit status 5") {
		t.Errorf("got %v, want exit status 5", err)
	}
}

func TestOutputBetweenRunsIsThatOfTheRunThatStartedIt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		late string
		want []string
	}{
		"text and a display": {
			"print('late'); display(1); os.write(2, b'too\\n')",
			[]string{"stdout: late\n", "display: text/plain 1", "stderr: too\n"},
		},
		"both streams": {
			"print('late'); print('too', file=sys.stderr)", []string{"stdout: late\n", "stderr: too\n"},
		},
		"what Python does not see": {"os.write(2, b'late\\n')", []string{"stderr: late\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			engine := load(t)
			start, _ := reader(t)
			written, ended := reader(t)
			sink := execute(t, engine, "import threading, os, sys\ndef late():\n  open('"+start+"').read()\n  "+c.late+
				"\n  open('"+written+"', 'w').close()\nthreading.Thread(target=late).start()")
			if err := os.WriteFile(start, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			ended()
			expect(t, engine, "print('on time')", "stdout: on time\n")
			eventually(t, sink, c.want...)
		})
	}
}

// reader returns the reading end of a named pipe, which ends when all processes have ended that
// have it open for writing.
func reader(t *testing.T) (path string, ended func() string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path, func() string {
		file, err := os.OpenFile(path, os.O_RDONLY, 0)
		if err != nil {
			t.Error(err)
			return ""
		}
		defer file.Close()
		all, err := io.ReadAll(file)
		if err != nil {
			t.Error(err)
		}
		return string(all)
	}
}

func TestCloseEndsWhatTheProgramStarted(t *testing.T) {
	t.Parallel()
	engine := load(t)
	path, ended := reader(t)
	done := make(chan string, 1)
	go func() { done <- ended() }()
	expect(t, engine, "import subprocess\np = subprocess.Popen(['sh', '-c', 'exec > "+path+"; echo up; sleep 1000'])\nopen('"+path+"', 'w').close()")
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
	<-done // it ends only when the process has ended
}

func TestCloseLetsTheProgramEndItself(t *testing.T) {
	t.Parallel()
	engine := load(t)
	expect(t, engine, "import atexit\natexit.register(lambda: open('bye', 'w').close());")
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(engine.config.Dir, "bye")); err != nil {
		t.Errorf("atexit did not run: %v", err)
	}
}

func TestCloseDoesNotWaitForWhatLeftTheGroup(t *testing.T) {
	t.Parallel()
	engine := load(t)
	expect(t, engine, "import subprocess\np = subprocess.Popen(['sleep', '1000'], start_new_session=True)\nprint(1)", "stdout: 1\n")
	sink, _ := run(t, engine, "p.pid")
	t.Cleanup(func() { _ = exec.Command("kill", sink.PlainResult()).Run() })
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestNothingIsLeftBehind(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	for _, source := range []string{"print(1)", "import os; os._exit(1)"} {
		engine, err := New(Config{Grace: grace})
		if err != nil {
			t.Skip(err)
		}
		if err := engine.Load(deadline(t), nil); err != nil {
			t.Fatal(err)
		}
		_, _ = engine.Execute(deadline(t), lang.Request{Source: source}, &langtest.Recorder{})
		if err := engine.Close(); err != nil {
			t.Fatal(err)
		}
		if !hasExited(engine) {
			t.Error("the process is still there")
		}
	}
}

// TestAnEngineDiesWithItsParent starts this test as a process, which loads an engine and is then
// killed.
func TestAnEngineDiesWithItsParent(t *testing.T) {
	if path := os.Getenv("TEST_ENGINE_FIFO"); path != "" {
		engine := load(t)
		_, _ = run(t, engine, "import time\nf = open('"+path+"', 'w')\nf.write('up')\nf.flush()\ntime.sleep(1000)")
		return
	}
	path, _ := reader(t)
	parent := exec.Command(os.Args[0], "-test.run=^TestAnEngineDiesWithItsParent$")
	parent.Env = append(os.Environ(), "TEST_ENGINE_FIFO="+path)
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	up := make([]byte, 2)
	if _, err := io.ReadFull(file, up); err != nil {
		t.Fatal(err)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait()
	if _, err := io.ReadAll(file); err != nil { // returns when Python has ended
		t.Fatal(err)
	}
}
