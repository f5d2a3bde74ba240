package env

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestOnlyWhatLastsMeansThatThereCanBeNoSandbox(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		lasts  bool
	}{
		"no permission":  {"echo 'bwrap: No permissions to create a new namespace, likely because the kernel does not allow it' >&2; exit 1", true},
		"no uid map":     {"echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1", true},
		"no mount":       {`echo "bwrap: Can't mount proc on /newroot/proc: Operation not permitted" >&2; exit 1`, true},
		"too old":        {"echo 'bwrap: Unknown option --seccomp' >&2; exit 1", true},
		"no memory":      {"echo 'bwrap: fork: Cannot allocate memory' >&2; exit 1", false},
		"no processes":   {"echo 'bwrap: Creating new namespace failed: Resource temporarily unavailable' >&2; exit 1", false},
		"silent":         {"exit 1", false},
		"killed":         {"echo 'Operation not permitted' >&2; kill -9 $$", false},
		"another status": {"echo 'true: Permission denied' >&2; exit 127", false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "bwrap"), []byte("#!/bin/sh\n"+c.script+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", dir)
			if err := CheckSandbox(t.Context()); err == nil || errors.Is(err, ErrNoSandbox) != c.lasts {
				t.Errorf("got %v, want that it lasts: %t", err, c.lasts)
			}
		})
	}
	t.Setenv("PATH", t.TempDir())
	if err := CheckSandbox(t.Context()); !errors.Is(err, ErrNoSandbox) {
		t.Errorf("without bubblewrap: got %v, want that there can be none", err)
	}
}
