//go:build unix

package script

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
)

// open returns a new engine of a language, not loaded. The test is skipped if its interpreter is not installed.
func open(t testing.TB, language string, config Config) *Engine {
	t.Helper()
	l, ok := Find(language)
	if !ok {
		t.Fatalf("there is no driver of %s", language)
	}
	engine, err := l.Engine(config)
	if err != nil {
		t.Skipf("this test needs an interpreter: %v", err)
	}
	engine.patience = time.Minute
	t.Cleanup(func() {
		if err := engine.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return engine
}

// load returns an engine that is ready, in an empty folder.
func load(t testing.TB, language string) *Engine {
	t.Helper()
	engine := open(t, language, Config{Dir: t.TempDir(), Grace: time.Minute})
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

// run executes a source that must not break the engine.
func run(t testing.TB, engine *Engine, source string) (*langtest.Recorder, *lang.Error) {
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
	sink, failed := run(t, engine, source)
	if failed != nil {
		t.Errorf("execute %q: got error %v\n%s", source, failed, strings.Join(failed.Trace, "\n"))
	}
	if diff := cmp.Diff(want, sink.Lines()); diff != "" {
		t.Errorf("execute %q (-want +got):\n%s", source, diff)
	}
}
