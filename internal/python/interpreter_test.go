//go:build unix

package python

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/quirehq/quire/core/lang"
)

// script writes an executable file and returns its path. No process may be forked meanwhile: it
// would inherit the open file until it executes another program, and a file that is open for
// writing cannot be executed.
func script(t *testing.T, path, source string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+source), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTheInterpreterIsFound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	given := script(t, filepath.Join(dir, "given"), "")
	inVenv := script(t, filepath.Join(dir, "venv", "bin", "python"), "")
	inPath := script(t, filepath.Join(dir, "path", "python3"), "")
	inConda := script(t, filepath.Join(dir, "conda", "bin", "python"), "")
	other := script(t, filepath.Join(dir, "other", "python"), "")
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	conda := "CONDA_PREFIX=" + filepath.Join(dir, "conda")
	venv, path := "VIRTUAL_ENV="+filepath.Join(dir, "venv"), "PATH="+dir+"/none:"+filepath.Join(dir, "path")
	for name, c := range map[string]struct {
		config Config
		want   string // the path, or a part of the error
	}{
		"a path":                   {Config{Python: given, Env: []string{venv, path}}, given},
		"a name":                   {Config{Python: "python3", Env: []string{venv, path}}, inPath},
		"the virtual environment":  {Config{Env: []string{path, venv}}, inVenv},
		"that of conda":            {Config{Env: []string{path, conda}}, inConda},
		"the virtual before conda": {Config{Env: []string{conda, path, venv}}, inVenv},
		"the path":                 {Config{Env: []string{"VIRTUAL_ENV=", path}}, inPath},
		"python without a number":  {Config{Env: []string{"PATH=" + filepath.Dir(other)}}, other},
		"the last value counts":    {Config{Env: []string{"PATH=/nowhere", path}}, inPath},
		"nothing":                  {Config{Env: []string{"PATH=/nowhere"}}, "no python3 in PATH; install Python 3.9 or newer"},
		"no such name":             {Config{Python: "python7", Env: []string{path}}, "no python7 in PATH; set --python or QUIRE_PYTHON"},
		"no such file":             {Config{Python: dir + "/none/python"}, "cannot be executed: no such file or directory; set --python"},
		"not executable":           {Config{Python: plain}, "permission denied"},
		"a directory":              {Config{Python: dir}, "it is a directory"},
		"an environment that left": {Config{Env: []string{path, "VIRTUAL_ENV=/gone"}}, "VIRTUAL_ENV is /gone, but there is no /gone/bin/python"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := find(c.config)
			if err != nil {
				got = err.Error()
			}
			if !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestAnOldPythonIsRefused has a script print the message of boot.py in an old Python.
func TestAnOldPythonIsRefused(t *testing.T) {
	t.Parallel()
	old := script(t, filepath.Join(t.TempDir(), "python"),
		`printf '\000\000\000\043\000\000\000\000\000\000\000\000{"kind":"hello","version":"3.7.16"}' >&4`)
	engine := open(t, Config{Python: old})
	err := engine.Load(deadline(t), nil)
	if want := "python 3.9 or newer is needed; " + old + " is 3.7.16; set --python or QUIRE_PYTHON"; err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}

func TestWhatIsNotPythonIsReportedWithItsWords(t *testing.T) {
	t.Parallel()
	engine := open(t, Config{Python: script(t, filepath.Join(t.TempDir(), "python"), "echo no such option >&2; exit 2")})
	err := engine.Load(deadline(t), nil)
	if !errors.Is(err, lang.ErrDied) || !strings.Contains(err.Error(), "exit status 2") ||
		!strings.Contains(err.Error(), "no such option") {
		t.Errorf("got %v, want the status and what it printed", err)
	}
	if _, err := engine.Execute(deadline(t), lang.Request{}, sinkFunc(func(string) {})); !errors.Is(err, lang.ErrDied) {
		t.Errorf("execute: got %v, want ErrDied", err)
	}
}

func TestAnEngineThatWasNotLoadedRefusesAndCloses(t *testing.T) {
	t.Parallel()
	engine := open(t, Config{})
	if _, err := engine.Execute(deadline(t), lang.Request{}, sinkFunc(func(string) {})); err == nil {
		t.Error("execute: got no error")
	}
	if err := errors.Join(engine.Interrupt(), engine.Close()); err != nil {
		t.Error(err)
	}
	if err := engine.Load(deadline(t), nil); !errors.Is(err, lang.ErrClosed) {
		t.Errorf("load after close: got %v, want ErrClosed", err)
	}
}

func TestProgramsStartWhereAndWithWhatTheConfigSays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	engine := open(t, Config{Dir: dir, Env: append(os.Environ(), "GREETING=hello")})
	if err := engine.Load(deadline(t), nil); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "mine.py"), []byte("x = 42"), 0o600); err != nil {
		t.Fatal(err)
	}
	expect(t, engine, "import os, mine\nprint(os.environ['GREETING'])\nmine.x", "stdout: hello\n", "result: 42")
}
