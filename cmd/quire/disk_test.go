package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"
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

func TestThereIsNoGuardWithoutALimit(t *testing.T) {
	ctx, full := limits{}.guardDisk(t.Context(), &place{folder: "/"})
	if ctx != t.Context() || full() {
		t.Error("got a guard")
	}
}
