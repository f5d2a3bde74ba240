//go:build unix

package python

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestAnInterpreterSaysWhereItReallyIs(t *testing.T) {
	t.Parallel()
	python := interpreter(t) // of an environment
	shim := script(t, filepath.Join(t.TempDir(), "python3"), "exec "+python+` "$@"`)
	place, err := Locate(deadline(t), Config{Python: shim})
	if err != nil {
		t.Fatal(err)
	}
	if place.Executable != python {
		t.Errorf("got %s, want what the script starts, %s", place.Executable, python)
	}
	prefix := filepath.Dir(filepath.Dir(python))
	if !slices.Contains(place.Folders, prefix) || slices.ContainsFunc(place.Folders, func(dir string) bool { return !filepath.IsAbs(dir) }) {
		t.Errorf("got %q, want absolute folders with %s", place.Folders, prefix)
	}
}

func TestAnInterpreterThatCannotSayWhereItIsIsAnError(t *testing.T) {
	t.Parallel()
	mute := script(t, filepath.Join(t.TempDir(), "python3"), "echo nothing")
	if _, err := Locate(deadline(t), Config{Python: mute}); err == nil || !strings.Contains(err.Error(), "where it is") {
		t.Errorf("got %v, want that it does not say", err)
	}
}

func TestAnInterpreterIsAskedInIsolation(t *testing.T) {
	t.Parallel()
	python, hostile := interpreter(t), t.TempDir()
	mark := filepath.Join(hostile, "mark")
	for _, name := range []string{"json", "os", "site", "sitecustomize", "usercustomize", "_quire"} {
		source := "open(" + strconv.Quote(mark) + ", 'w')\nraise ImportError\n"
		if err := os.WriteFile(filepath.Join(hostile, name+".py"), []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, config := range []Config{
		{Python: python, Dir: hostile},
		{Python: python, Env: append(os.Environ(), "PYTHONPATH="+hostile, "PYTHONSTARTUP="+hostile+"/json.py", "PYTHONUSERBASE="+hostile)},
	} {
		place, err := Locate(deadline(t), config)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(mark); err == nil {
			t.Errorf("with the folder %q and %d variables: it has executed a file there", config.Dir, len(config.Env))
		}
		if slices.Contains(place.Folders, hostile) != (config.Env != nil) {
			t.Errorf("got %q, want the folder of PYTHONPATH only", place.Folders)
		}
	}
}
