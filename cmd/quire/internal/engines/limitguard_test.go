package engines

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
	"github.com/quirehq/quire/host/server"
	"github.com/quirehq/quire/internal/env"
)

func TestAGuardCountsFilesBetweenRunsAndInThem(t *testing.T) {
	l := limits{Disk: 1 << 20}
	for name, c := range map[string]struct {
		looks []usage // one after the other
		runs  int
		want  bool // of the last
	}{
		"little":                          {looks: []usage{{0, 0}, {1 << 20, 10_000}}},
		"too large":                       {looks: []usage{{0, 0}, {1<<20 + 1, 1}}, want: true},
		"too many":                        {looks: []usage{{0, 0}, {0, 10_001}}, want: true},
		"too much from the beginning":     {looks: []usage{{5 << 20, 1}, {5 << 20, 1}}},
		"which grows":                     {looks: []usage{{5 << 20, 1}, {5<<20 + 1, 1}}, want: true},
		"which shrinks, and is too much":  {looks: []usage{{5 << 20, 1}, {2 << 20, 1}}},
		"a run, which is interrupted":     {looks: []usage{{0, 0}, {3 << 19, 15_000}}, runs: 1},
		"a run that goes on":              {looks: []usage{{0, 0}, {2<<20 + 2, 1}}, runs: 1, want: true},
		"a run that goes on to add files": {looks: []usage{{0, 0}, {0, 20_002}}, runs: 1, want: true},
	} {
		g := &guard{limits: l, runs: map[*guardedRun]bool{}}
		for range c.runs {
			g.runs[new(guardedRun)] = true
		}
		full := false
		for _, now := range c.looks {
			full = g.isFull(now)
		}
		if full != c.want {
			t.Errorf("%s: got %t, want %t", name, full, c.want)
		}
	}
	if got := (limits{Disk: 1 << 30}).mostFiles(); got != 65_536 {
		t.Errorf("got %d files for a gibibyte, want 65536", got)
	}
}

// guardedPython returns Python where nothing but the guard bounds what its programs have together.
func guardedPython(t *testing.T, l limits, sandbox bool) (lang.Engine, *environment) {
	t.Helper()
	if err := env.CheckSandbox(t.Context()); sandbox && err != nil {
		t.Skipf("this test needs a sandbox: %v", err)
	}
	t.Chdir(t.TempDir())
	h := &Factory{Environ: os.Environ(), Config: &settings.Config{Notebook: "nb", Sandbox: settings.SandboxConfig{On: sandbox, AsRoot: true}}}
	h.MakeGroup = func(env.Bounds) (*env.Group, error) { return nil, env.ErrNoGroups }
	leave, err := h.Open(t.Context(), settings.Bounds(l), slog.New(slog.DiscardHandler), func(server.LimitHit) {})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(leave)
	set := h.Engines("", settings.Bounds(l), Choice{installed: h.Offers()})
	t.Cleanup(func() { _ = set.Close() })
	engine, err := set.Get(t.Context(), PythonLanguage, nil)
	if err != nil {
		t.Skipf("this test needs Python: %v", err)
	}
	return engine, h.env
}

func TestMemoryIsBoundedForAllProgramsTogetherWithoutControlGroups(t *testing.T) {
	for name, source := range map[string]string{
		"children": "import os, time\nfor _ in range(4):\n  if os.fork() == 0:\n    x = bytearray(40 << 20); time.sleep(1000)\ntime.sleep(1000)",
		"shared":   "import mmap, time\nm = mmap.mmap(-1, 150 << 20)\nfor i in range(0, 150 << 20, 4096): m[i] = 1\ntime.sleep(1000)",
	} {
		for _, sandbox := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, sandbox %t", name, sandbox), func(t *testing.T) {
				engine, _ := guardedPython(t, limits{Memory: 120 << 20}, sandbox)
				_, err := engine.Execute(t.Context(), lang.Request{Source: source}, &langtest.Recorder{})
				if !errors.Is(err, lang.ErrDied) || !strings.HasSuffix(err.Error(), "the limit of memory is 120 MiB (--memory)") {
					t.Errorf("got %v, want it killed for its memory", err)
				}
			})
		}
	}
}

func TestFilesThatAreWrittenAfterARunHasEndedAreBounded(t *testing.T) {
	for _, sandbox := range []bool{false, true} {
		t.Run(fmt.Sprintf("sandbox %t", sandbox), func(t *testing.T) {
			engine, p := guardedPython(t, limits{Disk: 1 << 20}, sandbox)
			source := "import os, threading, time\ndef write():\n  while not os.path.exists('go'): time.sleep(.01)\n  with open('f', 'ab') as f:\n" +
				"    while f.tell() < 64 << 20: f.write(bytes(1 << 16)); f.flush(); time.sleep(.05)\nthreading.Thread(target=write, daemon=True).start()"
			if result, err := engine.Execute(t.Context(), lang.Request{Source: source}, &langtest.Recorder{}); err != nil || result.Err != nil {
				t.Fatalf("got %v, %v", result.Err, err)
			}
			if err := os.WriteFile(filepath.Join(p.folder, "go"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			for p.guard.hits() == hitNone {
				time.Sleep(10 * time.Millisecond) // the test's own time-out ends it
			}
			_, err := engine.Execute(t.Context(), lang.Request{Source: "1"}, &langtest.Recorder{})
			if !errors.Is(err, lang.ErrDied) || !strings.Contains(err.Error(), "the limit of the notebook's files is 1 MiB in at most 10000 files (--disk)") {
				t.Errorf("got %v, want it killed for its files", err)
			}
			info, err := os.Stat(filepath.Join(p.folder, "f"))
			if err != nil || info.Size() >= 64<<20 {
				t.Errorf("got %v, %v, want less than all", info, err)
			}
		})
	}
}

func TestAGuardOfNothingWatchesNothing(t *testing.T) {
	g := &guard{env: &environment{}}
	g.watch(context.Background()) // returns
	var none *guard
	ctx, run := none.begin(t.Context())
	if full, hit := run.end(ctx, true); ctx != t.Context() || full || hit != hitNone {
		t.Errorf("got %t, %v", full, hit)
	}
}

// hits returns for which limit programs were killed since a run has ended.
func (g *guard) hits() limitHit {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.hit
}
