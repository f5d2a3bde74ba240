package engines

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
	"github.com/quirehq/quire/host/server"
	"github.com/quirehq/quire/internal/env"
)

// boxed returns Python in a sandbox, ready, in a folder of its own.
func boxed(t *testing.T, l limits) lang.Engine {
	t.Helper()
	engine, err := boxedSet(t, l, "").Get(t.Context(), PythonLanguage, nil)
	if err != nil {
		t.Skipf("this test needs Python: %v", err)
	}
	return engine
}

// boxedKernel returns a kernel that is installed in a sandbox, ready.
func boxedKernel(t *testing.T, l limits, name, language string) lang.Engine {
	t.Helper()
	engine, err := boxedSet(t, l, name).Get(t.Context(), language, nil)
	if err != nil {
		t.Fatal(err)
	}
	return engine
}

// boxedSet returns the engines of a sandbox, in a folder of its own, with a kernel
// before the others of its language if one is named.
func boxedSet(t *testing.T, l limits, kernel string) *lang.Set {
	t.Helper()
	if err := env.CheckSandbox(t.Context()); err != nil {
		t.Skipf("this test needs a sandbox: %v", err)
	}
	t.Chdir(t.TempDir())
	h := &Factory{Environ: os.Environ(), Config: &settings.Config{Notebook: "nb", Sandbox: settings.SandboxConfig{On: true, AsRoot: true}}}
	leave, err := h.Open(t.Context(), settings.Bounds(l), slog.New(slog.DiscardHandler), func(server.LimitHit) {})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(leave)
	c := Choice{installed: h.Offers()}
	if kernel != "" {
		k, ok := h.Offers().Named(kernel)
		if !ok || k.Fault != nil {
			t.Skipf("this test needs the kernel %s", kernel)
		}
		c.first = []Offer{k}
	}
	set := h.Engines("", settings.Bounds(l), c)
	t.Cleanup(func() {
		if err := set.Close(); err != nil {
			t.Error(err)
		}
	})
	return set
}

func TestARunInASandboxIsInterruptedAndKeepsItsState(t *testing.T) {
	engine := boxed(t, limits{})
	ctx, cancel := context.WithCancel(t.Context())
	sink := &langtest.Recorder{OnStream: func(string, string) { cancel() }}
	result, err := engine.Execute(ctx, lang.Request{Source: "x = 42\nprint('looping', flush=True)\nwhile True: pass"}, sink)
	if err != nil || result.Err == nil || result.Err.Cause != lang.CauseInterrupted {
		t.Fatalf("got %v, %v, want it interrupted", result.Err, err)
	}
	sink = &langtest.Recorder{}
	if result, err = engine.Execute(t.Context(), lang.Request{Source: "x"}, sink); err != nil || result.Err != nil {
		t.Fatalf("got %v, %v", result.Err, err)
	}
	if got := strings.Join(sink.Lines(), "|"); got != "result: 42" {
		t.Errorf("got %q, want the value from before", got)
	}
}

func TestADeathInASandboxSaysHowItWas(t *testing.T) {
	for source, want := range map[string]string{
		"import os; os._exit(3)":                                                  "exit status 3",
		"import ctypes; ctypes.string_at(0)":                                      "signal SIGSEGV",
		"import os, signal; os.kill(os.getpid(), signal.SIGKILL)":                 "signal SIGKILL",
		"import os, signal; os.kill(os.getpid(), signal.SIGABRT)":                 "signal SIGABRT",
		"import subprocess, os; subprocess.Popen(['sleep', '1000']); os._exit(0)": "exit status 0",
	} {
		t.Run(source, func(t *testing.T) {
			engine := boxed(t, limits{})
			_, err := engine.Execute(t.Context(), lang.Request{Source: source}, &langtest.Recorder{})
			if !errors.Is(err, lang.ErrDied) || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %q", err, want)
			}
		})
	}
}

func TestARunInASandboxThatDoesNotStopIsKilled(t *testing.T) {
	l := limits{RunTime: 5 * time.Second} // in which it has begun to ignore interrupts
	engine := boxed(t, l)
	source := "import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: time.sleep(60)"
	_, err := engine.Execute(t.Context(), lang.Request{Source: source, Timeout: l.RunTime}, &langtest.Recorder{})
	if !errors.Is(err, lang.ErrDied) || !strings.Contains(err.Error(), "the limit of a run's time is 5s (--run-time)") {
		t.Errorf("got %v, want it killed for its time", err)
	}
}

func TestPackagesCannotBeInstalledFromWithinASandbox(t *testing.T) {
	installer := boxed(t, limits{}).Abilities().Installer
	if installer == nil {
		t.Fatal("the engine installs nothing")
	}
	if err := installer.Install(t.Context(), []string{"numpy"}, &langtest.Recorder{}); err == nil || !strings.Contains(err.Error(), "from within the sandbox") {
		t.Errorf("got %v, want that it cannot be", err)
	}
}
