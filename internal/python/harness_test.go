//go:build unix

package python

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// debian is the interpreter with the libraries that these tests use; CI installs them.
const debian = "/usr/bin/python3"

// has reports whether an interpreter can import a module.
func has(python, module string) bool {
	return exec.Command(python, "-c", "import importlib.util, sys; sys.exit(importlib.util.find_spec('"+module+"') is None)").Run() == nil
}

// need returns an interpreter that can import the modules.
func need(t testing.TB, modules ...string) string {
	t.Helper()
	for _, module := range modules {
		if !has(debian, module) {
			t.Skipf("this test needs %s (Debian has it as python3-%s)", module, strings.ToLower(module))
		}
	}
	return debian
}

// bare is the environment made by makeBare.
var bare string

// makeBare makes an environment without installed packages.
var makeBare = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "bare")
	if err != nil {
		return "", err
	}
	bare = dir
	base := debian
	if executable(base) != nil {
		base = "python3"
	}
	out, err := exec.Command(base, "-m", "venv", "--without-pip", dir).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("make an environment: %w\n%s", err, out)
	}
	return dir, err
})

// TestMain removes that environment.
func TestMain(m *testing.M) {
	code := m.Run()
	_ = os.RemoveAll(bare)
	os.Exit(code)
}

// interpreter returns the machine's python3 without any library, so that most tests run the same
// everywhere.
func interpreter(t testing.TB) string {
	t.Helper()
	dir, err := makeBare()
	if err != nil {
		t.Skipf("these tests need Python: %v", err)
	}
	return filepath.Join(dir, "bin", "python")
}

// start returns an engine on an interpreter, ready, in an empty directory.
func start(t testing.TB, python string, env ...string) *Engine {
	t.Helper()
	engine := open(t, Config{Python: python, Dir: t.TempDir(), Grace: grace, Env: append(os.Environ(), env...)})
	if err := engine.Load(deadline(t), nil); err != nil {
		t.Fatal(err)
	}
	return engine
}

// apart returns an environment variable with which interpreter has the libraries of Debian except
// IPython.
func apart(t testing.TB) string {
	t.Helper()
	out, err := exec.Command(need(t, "matplotlib", "numpy"), "-c", "import numpy; print(numpy.__path__[0])").Output()
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Dir(strings.TrimSpace(string(out))))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), "IPython") || strings.HasPrefix(entry.Name(), "ipython") {
			continue
		}
		from := filepath.Join(filepath.Dir(strings.TrimSpace(string(out))), entry.Name())
		if err := os.Symlink(from, filepath.Join(dir, entry.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return "PYTHONPATH=" + dir
}

// both runs a test with IPython and without it, each on an engine of its own that can import the
// modules.
func both(t *testing.T, test func(t *testing.T, engine *Engine), modules ...string) {
	t.Run("without IPython", func(t *testing.T) {
		t.Parallel()
		python, env := interpreter(t), []string(nil)
		if len(modules) > 0 {
			need(t, modules...)
			env = append(env, apart(t))
		}
		test(t, start(t, python, env...))
	})
	t.Run("with IPython", func(t *testing.T) {
		t.Parallel()
		test(t, start(t, need(t, append(modules, "IPython")...)))
	})
}

func hasExited(engine *Engine) bool {
	select {
	case <-engine.process.Exited():
		return true
	default:
		return false
	}
}
