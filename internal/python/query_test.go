//go:build unix

package python

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
)

// trap is a program with names whose attributes have effects.
const trap = `import os, sys, threading
class Trap:
  def __init__(self, spring): self.spring = spring
  def __getattr__(self, name): return self.spring()
def forever():
  while True: pass
stuck = Trap(forever)
deadly = Trap(lambda: os._exit(4))
noisy = Trap(lambda: print('looked at'))
leaving = Trap(sys.exit)
asking = Trap(input)
`

func trapped(t *testing.T) *Engine {
	t.Helper()
	engine := load(t)
	expect(t, engine, trap)
	return engine
}

func TestAQueryThatHangsIsGivenUp(t *testing.T) {
	engine := trapped(t)
	engine.patience = 2 * moment
	if got, err := engine.Inspect(deadline(t), at("stuck.x|")); err != nil || got.Found {
		t.Errorf("inspect: got %+v, %v, want nothing to be found", got, err)
	}
	if _, err := engine.Complete(deadline(t), at("stuck.x.|")); !errors.Is(err, errSlow) {
		t.Errorf("complete: got %v, want errSlow", err)
	}
	engine.patience = grace
	expect(t, engine, "1", "result: 1")
	if _, err := engine.Complete(deadline(t), at("stu|")); err != nil {
		t.Errorf("the next query: %v", err)
	}
}

func TestAQueryEndsWithItsContext(t *testing.T) {
	engine := trapped(t)
	path, looked := reader(t)
	expect(t, engine, "stuck.spring = lambda: (open('"+path+"', 'w').close(), forever())")
	ctx, cancel := context.WithCancel(deadline(t))
	go func() {
		looked()
		cancel()
	}()
	if _, err := engine.Complete(ctx, at("stuck.x.|")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the cause of the context", err)
	}
	expect(t, engine, "1", "result: 1")
}

// TestARunDoesNotWaitForAQuery begins a run while an attribute is looked up.
func TestARunDoesNotWaitForAQuery(t *testing.T) {
	engine := trapped(t)
	path, looked := reader(t)
	expect(t, engine, "stuck.spring = lambda: (open('"+path+"', 'w').close(), forever())")
	done := make(chan error)
	go func() {
		_, err := engine.Complete(deadline(t), at("stuck.x.|"))
		done <- err
	}()
	looked()
	expect(t, engine, "2", "result: 2")
	if err := <-done; !errors.Is(err, lang.ErrBusy) {
		t.Errorf("got %v, want ErrBusy", err)
	}
}

func TestWhatAQuerySetsOffIsContained(t *testing.T) {
	engine := trapped(t)
	sink := execute(t, engine, "42")
	for _, source := range []string{"noisy.x|", "leaving.x|", "asking.x|"} {
		if _, err := engine.Inspect(deadline(t), at(source)); err != nil && source != "leaving.x|" {
			t.Errorf("%s: %v", source, err)
		}
	}
	eventually(t, sink, "result: 42", "stdout: looked at\n")
	expect(t, engine, "print('run', _)", "stdout: run 42\n")
}

func TestAQueryThatEndsTheProcessSaysSo(t *testing.T) {
	engine := trapped(t)
	for range 2 {
		if _, err := engine.Inspect(deadline(t), at("deadly.x|")); !errors.Is(err, lang.ErrDied) {
			t.Errorf("got %v, want ErrDied", err)
		}
	}
	if _, err := engine.Execute(deadline(t), lang.Request{Source: "1"}, &langtest.Recorder{}); !errors.Is(err, lang.ErrDied) {
		t.Errorf("execute: got %v, want ErrDied", err)
	}
}

func TestQueriesOfAnEngineThatIsNotThereFail(t *testing.T) {
	engine := open(t, Config{Dir: t.TempDir()})
	if _, err := engine.Variables(deadline(t)); err == nil {
		t.Error("before load: got no error")
	}
	if err := engine.Load(deadline(t), nil); err != nil {
		t.Fatal(err)
	}
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Variables(deadline(t)); !errors.Is(err, lang.ErrClosed) {
		t.Errorf("after close: got %v, want ErrClosed", err)
	}
}

// TestQueriesAndRunsFromEverywhereGetTheirOwnReplies mixes them at random.
func TestQueriesAndRunsFromEverywhereGetTheirOwnReplies(t *testing.T) {
	engine := load(t)
	expect(t, engine, "abacus, abbey, abbot = 1, 2, 3")
	stop := make(chan struct{})
	var asking sync.WaitGroup
	for _, name := range []string{"abacus", "abbey", "abbot"} {
		asking.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				got, err := engine.Complete(deadline(t), at(name[:4]+"|"))
				if errors.Is(err, lang.ErrBusy) || errors.Is(err, errSlow) {
					continue
				}
				if err != nil || len(got.Items) == 0 || got.Items[0].Text != name {
					t.Errorf("got %+v, %v, want %s", got, err, name)
					return
				}
			}
		})
	}
	for i := range 300 {
		sink, failed := run(t, engine, fmt.Sprint(i))
		if failed != nil || sink.PlainResult() != fmt.Sprint(i) {
			t.Errorf("run %d: got %q, %v", i, sink.Lines(), failed)
			break
		}
	}
	close(stop)
	asking.Wait()
	expect(t, engine, "import inspect\ninspect.currentframe().f_code.co_filename", "result: '<cell 302>'")
}

func TestAResetForgetsAllThatCellsDid(t *testing.T) {
	engine := load(t)
	sink := execute(t, engine, "from __future__ import annotations\nimport os\nx = 1\nclass C:\n  def __del__(self): print('gone')\nc = C()\nc.c = c\n1;")
	if err := engine.Reset(deadline(t)); err != nil {
		t.Fatal(err)
	}
	expect(t, engine, "sorted(n for n in globals() if n[:1] != '_' and n not in ('In', 'Out'))", "result: []")
	eventually(t, sink, "stdout: gone\n")
	if _, failed := run(t, engine, "def f(x: nothing): pass"); failed == nil {
		t.Error("got no error, want annotations to be evaluated again")
	}
}

func TestAResetMayBeStopped(t *testing.T) {
	engine := load(t)
	path, looked := reader(t)
	expect(t, engine, "class C:\n  def __del__(self):\n    open('"+path+"', 'w').close()\n    while True: pass\nc, d = C(), 1")
	go func() {
		looked()
		if err := engine.Interrupt(); err != nil {
			t.Error(err)
		}
	}()
	if err := engine.Reset(deadline(t)); err != nil {
		t.Error(err) // Python ignores exceptions of finalizers
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	if got := listed(t, engine); len(got) != 0 {
		t.Errorf("got %v, want nothing left", got)
	}
}
