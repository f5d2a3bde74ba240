package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const root = "../.."

func TestTheFilesInTheRepositoryAreCurrent(t *testing.T) {
	files, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Errorf("%v\nrun: go generate ./tools/...", err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s is out of date; run: go generate ./tools/...\n(-from Go +in the repository):\n%s", name, diff)
		}
	}
}

func TestGeneratingAgainGivesTheSameBytes(t *testing.T) {
	first, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	second, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	for name := range first {
		if !bytes.Equal(first[name], second[name]) {
			t.Errorf("%s: got other bytes the second time", name)
		}
	}
}

func TestRunWritesTheFilesUnderTheRoot(t *testing.T) {
	dir := t.TempDir()
	for _, sources := range []string{"core", "host"} {
		if err := os.Symlink(mustAbs(t, filepath.Join(root, sources)), filepath.Join(dir, sources)); err != nil {
			t.Fatal(err)
		}
	}
	if err := run(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"event.ts", "protocol.ts"} {
		got, err := os.ReadFile(filepath.Join(dir, "web/src/core", name))
		if err != nil || !strings.HasPrefix(string(got), header) {
			t.Errorf("%s: got %.60q, %v, want a file with the header", name, got, err)
		}
	}
}

func TestRunSaysWhichPackageIsMissing(t *testing.T) {
	err := run(t.TempDir())
	if err == nil || err.Error() != "no Go files in core/event" {
		t.Errorf("got %v, want no Go files in core/event", err)
	}
}

func mustAbs(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}
