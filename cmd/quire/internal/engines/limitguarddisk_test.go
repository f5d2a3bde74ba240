package engines

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/host/server"
)

// guardOf returns the guard of a folder, and counts how often it looks there.
func guardOf(t *testing.T, dir string, l limits) (g *guard, looks *atomic.Int64) {
	t.Helper()
	looks = new(atomic.Int64)
	g = newGuard(&environment{folder: dir}, l, slog.New(slog.DiscardHandler), func(server.LimitHit) {})
	real := g.usage
	g.usage = func(ctx context.Context) usage {
		looks.Add(1)
		return real(ctx)
	}
	g.env.guard = g
	return g, looks
}

func TestAGuardEndsTheRunThatFillsTheFolder(t *testing.T) {
	dir := t.TempDir()
	g, _ := guardOf(t, dir, limits{Disk: 1 << 20})
	watching, stop := context.WithCancel(t.Context())
	var watch sync.WaitGroup
	watch.Go(func() { g.watch(watching) })
	defer watch.Wait()
	defer stop()
	write := func(name string, size int) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("begin", 1<<19)
	ctx, run := g.begin(t.Context())
	write("more", 1<<20)
	<-ctx.Done()
	if full, _ := run.end(ctx, false); !full || context.Cause(ctx) != errDiskFull {
		t.Errorf("got %v, want that the folder is full", context.Cause(ctx))
	}
	// The next run may go on, and remove files.
	ctx, run = g.begin(t.Context())
	if err := os.Remove(filepath.Join(dir, "more")); err != nil {
		t.Fatal(err)
	}
	err := ctx.Err()
	if full, _ := run.end(ctx, false); err != nil || full {
		t.Errorf("got %v, want a run in a full folder that adds nothing to go on", err)
	}
}

func TestOneLookAtTheFolderIsForTheRunAndForTheRuntime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, looks := guardOf(t, t.TempDir(), limits{Disk: 1 << 20})
		g.usage = func(context.Context) usage { looks.Add(1); return usage{} }
		watching, stop := context.WithCancel(t.Context())
		var watch sync.WaitGroup
		watch.Go(func() { g.watch(watching) })
		const spell = 10 * time.Second
		time.Sleep(spell + diskPause/2) // and not at the moment of a look
		alone := looks.Swap(0)
		ctx, run := g.begin(t.Context())
		time.Sleep(spell)
		run.end(ctx, false)
		if with := looks.Load(); with > alone+2 {
			t.Errorf("it looked %d times during a run, and %d times without one, want no more than two for its begin and its end", with, alone)
		}
		stop()
		watch.Wait()
	})
}

func TestTheLimitOfFilesIsThatOfTheFolderAndNotOfARun(t *testing.T) {
	dir := t.TempDir()
	g, _ := guardOf(t, dir, limits{Disk: 1 << 20})
	run := func(does func()) bool {
		ctx, r := g.begin(t.Context())
		does()
		full, _ := r.end(ctx, false)
		return full
	}
	write := func(name string) func() {
		return func() {
			if err := os.WriteFile(filepath.Join(dir, name), make([]byte, 2<<20), 0o600); err != nil {
				t.Error(err)
			}
		}
	}
	remove := func(name string) func() { return func() { _ = os.Remove(filepath.Join(dir, name)) } }
	for _, step := range []struct {
		name string
		does func()
		full bool
	}{
		{"nothing", func() {}, false},
		{"a file, written faster than the guard looks", write("a"), true},
		{"another", write("b"), true},
		{"nothing while there is too much", func() {}, true},
		{"one of two removed", remove("a"), false},
		{"the other removed and written anew", func() { remove("b")(); write("c")() }, true},
		{"all removed", remove("c"), false},
		{"nothing again", func() {}, false},
	} {
		if got := run(step.does); got != step.full {
			t.Errorf("%s: got %v, want %v", step.name, got, step.full)
		}
	}
}

func TestARunThatEndedWellAndFilledTheFolderFails(t *testing.T) {
	dir := t.TempDir()
	l := limits{Disk: 1 << 10}
	g, _ := guardOf(t, dir, l)
	var hits []server.LimitHit
	g.report = func(hit server.LimitHit) { hits = append(hits, hit) }
	e := limitedEngine{Engine: writing{name: filepath.Join(dir, "big")}, limits: l, env: g.env}
	result, err := e.Execute(t.Context(), lang.Request{Run: "r1"}, nil)
	if want := (server.LimitHit{Run: "r1", Limit: "disk", Value: "1 KiB in at most 10000 files"}); len(hits) != 1 || hits[0] != want {
		t.Errorf("it told of %+v, want %+v", hits, want)
	}
	if err != nil || result.Err == nil || result.Err.Lack != lang.LackDisk || !strings.Contains(result.Err.Message, "1 KiB") {
		t.Errorf("got %+v, %v, want an error of the limit", result.Err, err)
	}
}

// writing is an engine whose programs write a large file and end well.
type writing struct {
	lang.Engine
	name string
}

func (e writing) Execute(context.Context, lang.Request, lang.Sink) (lang.Result, error) {
	return lang.Result{Count: 1}, os.WriteFile(e.name, make([]byte, 1<<20), 0o600)
}

func TestARunWithoutALimitOfFilesLooksAtNone(t *testing.T) {
	g, looks := guardOf(t, "/", limits{})
	ctx, run := g.begin(t.Context())
	if full, hit := run.end(ctx, true); full || hit != hitNone || looks.Load() != 0 {
		t.Errorf("got full %t, %v and %d looks", full, hit, looks.Load())
	}
}
