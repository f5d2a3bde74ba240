package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/lang"
)

func TestAGuardEndsTheRunThatFillsTheFolder(t *testing.T) {
	dir := t.TempDir()
	l := limits{disk: 1 << 20}
	write := func(name string, size int) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("begin", 1<<19)
	ctx, full := l.guardDisk(t.Context(), &place{folder: dir})
	write("more", 1<<20)
	<-ctx.Done()
	if !full() || context.Cause(ctx) != errDiskFull {
		t.Errorf("got %v, want that the folder is full", context.Cause(ctx))
	}
	// The next run may go on, and remove what is too much.
	ctx, full = l.guardDisk(t.Context(), &place{folder: dir})
	if err := os.Remove(filepath.Join(dir, "more")); err != nil {
		t.Fatal(err)
	}
	if ctx.Err() != nil || full() {
		t.Errorf("got %v, want a run in a full folder that adds nothing to go on", context.Cause(ctx))
	}
}

func TestTheLimitOfFilesIsThatOfTheFolderAndNotOfARun(t *testing.T) {
	dir := t.TempDir()
	l := limits{disk: 1 << 20}
	run := func(does func()) bool {
		_, full := l.guardDisk(t.Context(), &place{folder: dir})
		does()
		return full()
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
	e := limited{limits: limits{disk: 1 << 10}, place: &place{folder: dir}}
	by := func(context.Context, lang.Request, lang.Sink) (lang.Result, error) {
		return lang.Result{Count: 1}, os.WriteFile(filepath.Join(dir, "big"), make([]byte, 1<<20), 0o600)
	}
	result, err := e.execute(t.Context(), lang.Request{}, nil, by)
	if err != nil || result.Err == nil || result.Err.Name != diskFull || !strings.Contains(result.Err.Message, "1 KiB") {
		t.Errorf("got %+v, %v, want %s with the limit", result.Err, err, diskFull)
	}
}

func TestThereIsNoGuardWithoutALimit(t *testing.T) {
	ctx, full := limits{}.guardDisk(t.Context(), &place{folder: "/"})
	if ctx != t.Context() || full() {
		t.Error("got a guard")
	}
}
