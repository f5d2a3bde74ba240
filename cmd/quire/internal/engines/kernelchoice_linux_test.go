package engines

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
)

// said executes a source that must end well, and returns its outputs.
func said(t *testing.T, engine lang.Engine, source string) string {
	t.Helper()
	sink := &langtest.Recorder{}
	result, err := engine.Execute(t.Context(), lang.Request{Source: source}, sink)
	if err != nil || result.Err != nil {
		t.Fatalf("execute %q: got %v, %v", source, result.Err, err)
	}
	return strings.Join(sink.Lines(), "|")
}

func TestAKernelInASandboxIsShutIn(t *testing.T) {
	secret := t.TempDir() + "/secret"
	if err := os.WriteFile(secret, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	engine := boxedKernel(t, limits{}, "python3", PythonLanguage)
	if got := said(t, engine, "6 * 7"); got != "result: 42" {
		t.Errorf("got %q", got)
	}
	if got := said(t, engine, "import os, socket; print(os.path.exists('"+secret+"'), len(socket.if_nameindex()), os.getppid())"); got != "stdout: False 1 1\n" {
		t.Errorf("got %q, want no file of ours, no network but its own, and no process but its own", got)
	}
	if got := said(t, engine, "open('kept', 'w').write('x')"); got != "result: 1" {
		t.Errorf("got %q, want that it can write its files", got)
	}
	if _, err := os.Stat("kept"); err != nil {
		t.Errorf("the file is not with the notebook's: %v", err)
	}
}

func TestAKernelInASandboxIsInterruptedAndKeepsItsState(t *testing.T) {
	for name, c := range map[string]struct{ language, loop, sleep, value, want string }{
		"python3": {"python", "x = 42\nprint('on', flush=True)\nwhile True: pass", "import subprocess\nsubprocess.run('echo on; sleep 1000', shell=True)", "x", "result: 42"},
		"ir":      {"r", "x <- 42; cat('on\\n'); while (TRUE) {}", "cat('on\\n'); Sys.sleep(1000)", "cat(x)", "stdout: 42"},
	} {
		t.Run(name, func(t *testing.T) {
			engine := boxedKernel(t, limits{}, name, c.language)
			for _, source := range []string{c.loop, c.sleep} {
				ctx, cancel := context.WithCancel(t.Context())
				sink := &langtest.Recorder{OnStream: func(string, string) { cancel() }}
				result, err := engine.Execute(ctx, lang.Request{Source: source}, sink)
				if err != nil || result.Err == nil || result.Err.Cause != lang.CauseInterrupted {
					t.Fatalf("execute %q: got %v, %v, want it interrupted", source, result.Err, err)
				}
			}
			if got := said(t, engine, c.value); got != c.want {
				t.Errorf("got %q, want the value from before", got)
			}
		})
	}
}

func TestAKernelInASandboxEndsByItsLimits(t *testing.T) {
	for name, c := range map[string]struct {
		limits       limits
		source, want string
	}{
		"time":  {limits{RunTime: 5 * time.Second}, "import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: time.sleep(60)", "(--run-time)"},
		"death": {limits{}, "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "signal SIGSEGV"},
	} {
		t.Run(name, func(t *testing.T) {
			engine := boxedKernel(t, c.limits, "python3", PythonLanguage)
			_, err := engine.Execute(t.Context(), lang.Request{Source: c.source, Timeout: c.limits.RunTime}, &langtest.Recorder{})
			if !errors.Is(err, lang.ErrDied) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestAKernelNamesTheLimitThatARunHasHit(t *testing.T) {
	engine := boxedKernel(t, limits{Memory: 512 << 20}, "python3", PythonLanguage)
	result, err := engine.Execute(t.Context(), lang.Request{Source: "x = bytearray(2 << 30)"}, &langtest.Recorder{})
	told := err
	if result.Err != nil {
		told = result.Err
	}
	if told == nil || !strings.Contains(told.Error(), "the limit of memory is 512 MiB (--memory)") {
		t.Errorf("got %v, want the limit named", told)
	}
}
