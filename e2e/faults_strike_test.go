//go:build linux

package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/quirehq/quire/core/event"
)

// strike has one fault befall a notebook in which a program runs.
func (f *faults) strike(t *testing.T, kind string) {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		b := f.books[f.rand.IntN(len(f.books))]
		if !b.isRunning() && !f.areAllDead() {
			continue
		}
		time.Sleep(time.Duration(f.rand.IntN(60)) * time.Millisecond)
		during := b.isRunning()
		if !f.do(t, kind, b) {
			continue // there is no such process at the moment
		}
		f.mu.Lock()
		f.struck[kind]++
		if during {
			f.during[kind]++
		}
		f.mu.Unlock()
		return
	}
	t.Fatalf("no program ran for %v:\n%s", patience, f.log.String())
}

// areAllDead reports whether no notebook has a runtime that lives.
func (f *faults) areAllDead() bool {
	for _, b := range f.books {
		if !b.isDead() {
			return false
		}
	}
	return true
}

// do has a fault happen, and reports whether it could.
func (f *faults) do(t *testing.T, kind string, b *faultyBook) bool {
	t.Helper()
	switch kind {
	case killServer:
		f.kill()
		time.Sleep(time.Duration(f.rand.IntN(400)) * time.Millisecond)
		f.start(t)
		return true
	case killRuntime:
		return f.killRuntime(t, b)
	case killEngine:
		return f.signalEngine(b, func(runtime, engine *os.Process) bool {
			if f.rand.IntN(2) == 0 { // it has much to read when it looks again
				_ = runtime.Signal(syscall.SIGSTOP) // it may have ended
				time.Sleep(time.Duration(f.rand.IntN(200)) * time.Millisecond)
				defer func() { _ = runtime.Signal(syscall.SIGCONT) }()
			}
			b.enginesKilled.Add(1)
			return engine.Kill() == nil
		})
	case freeze:
		return f.signalEngine(b, func(_, engine *os.Process) bool {
			if engine.Signal(syscall.SIGSTOP) != nil {
				return false
			}
			time.Sleep(time.Duration(f.rand.IntN(1_000)) * time.Millisecond)
			_ = engine.Signal(syscall.SIGCONT) // it may have been killed with its runtime
			return true
		})
	default:
		f.mu.Lock()
		defer f.mu.Unlock()
		f.cuts[f.runtimes.fault(b.id, f.rand)]++
		if f.rand.IntN(3) == 0 {
			f.cuts[f.people.fault(b.id, f.rand)]++
		}
		return true
	}
}

// killRuntime kills the runtimes of a notebook. Half of the time somebody starts
// another one by hand at once; else the server has to find out.
func (f *faults) killRuntime(t *testing.T, b *faultyBook) bool {
	t.Helper()
	found := agents(f.dir, b.id)
	for _, a := range found {
		f.mu.Lock()
		f.killed[event.RuntimeID(a.runtime)] = true
		f.mu.Unlock()
		_ = a.Kill() // it may have ended by itself, when it was displaced
	}
	if len(found) > 0 && f.rand.IntN(2) == 0 {
		f.startByHand(t, b)
	}
	return len(found) > 0
}

func (f *faults) isKilled(id event.RuntimeID) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.killed[id]
}

// startByHand starts a runtime as a person would.
func (f *faults) startByHand(t *testing.T, b *faultyBook) {
	t.Helper()
	f.hands++
	runtime := fmt.Sprintf("hand%d", f.hands)
	log, err := os.Create(filepath.Join(f.dir, "runtimes", runtime+".log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(f.binary, "agent", "--notebook", b.id, "--runtime", runtime)
	cmd.Env = append(environ(), "QUIRE_DATA="+f.dir)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	f.byHand.Go(func() {
		_ = cmd.Wait() // it is killed, or displaced by the next one
		_ = log.Close()
	})
}

// signalEngine does something to the engine of a notebook.
func (f *faults) signalEngine(b *faultyBook, do func(runtime, engine *os.Process) bool) bool {
	for _, a := range agents(f.dir, b.id) {
		for _, engine := range a.engines() {
			if do(a.Process, engine) {
				return true
			}
		}
	}
	return false
}
