//go:build unix

package jupyter

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
)

// environment is that of the tests, without the user's folders: IPython keeps its history there.
func environment(t testing.TB) []string {
	dir := t.TempDir()
	return append(os.Environ(), "IPYTHONDIR="+dir, "JUPYTER_DATA_DIR="+dir, "XDG_DATA_HOME="+dir, "R_PROFILE_USER="+dir+"/none")
}

// needKernel returns an installed kernel, or skips the test. Both kernels that tests need are
// packages of Debian.
func needKernel(t testing.TB, name string) Kernel {
	t.Helper()
	kernels := Search{Env: environment(t)}.List()
	i := slices.IndexFunc(kernels, func(k Kernel) bool { return k.Name == name && k.Fault == nil })
	if i < 0 {
		t.Skipf("this test needs the kernel %s (Debian has %s)", name, map[string]string{
			"python3": "python3-ipykernel", "ir": "r-cran-irkernel",
		}[name])
	}
	return kernels[i]
}

// open returns a new engine, not loaded. Its timeouts suit a busy machine; tests of kernels that do
// not stop wait for its grace.
func open(t testing.TB, kernel Kernel) *Engine {
	t.Helper()
	engine, err := New(Config{Kernel: kernel, Dir: t.TempDir(), Env: environment(t), Grace: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	engine.patience = time.Minute
	t.Cleanup(func() {
		if err := engine.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return engine
}

// load returns an engine that is ready.
func load(t testing.TB, name string) *Engine {
	t.Helper()
	engine := open(t, needKernel(t, name))
	if err := engine.Load(deadline(t), nil); err != nil {
		t.Fatal(err)
	}
	return engine
}

// deadline ends a test that hangs.
func deadline(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// execute executes a source that must not break the engine.
func execute(t testing.TB, engine *Engine, source string) (*langtest.Recorder, *lang.Error) {
	t.Helper()
	sink := &langtest.Recorder{}
	result, err := engine.Execute(deadline(t), lang.Request{Source: source}, sink)
	if err != nil {
		t.Fatalf("execute %q: %v\n%s", source, err, sink.Text(lang.Stderr))
	}
	return sink, result.Err
}

// expect executes a source that must succeed, and compares the events.
func expect(t testing.TB, engine *Engine, source string, want ...string) {
	t.Helper()
	sink, failed := execute(t, engine, source)
	if failed != nil {
		t.Errorf("execute %q: got error %v\n%s", source, failed, strings.Join(failed.Trace, "\n"))
	}
	if diff := cmp.Diff(want, sink.Lines()); diff != "" {
		t.Errorf("execute %q (-want +got):\n%s", source, diff)
	}
}
