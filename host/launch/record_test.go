//go:build unix

package launch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/quirehq/quire/core/runtime"
	"github.com/quirehq/quire/internal/proc"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/host/native"
)

// startRuntime starts a process in place of a runtime, which does not end by
// itself, and returns it with what a launcher knows of it.
func startRuntime(t *testing.T, script string) record {
	t.Helper()
	cmd := exec.Command("sh", "-c", script)
	proc.Detach(cmd)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	// It says when it is ready, and what it says later is let go.
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	go func() { defer close(ended); _ = cmd.Wait() }()
	t.Cleanup(func() { _ = proc.KillFamily(cmd.Process.Pid); <-ended })
	return record{Notebook: "nb", Runtime: "rt", Program: nameOf(cmd.Process.Pid)}
}

// nameOf is the name of a program of this machine.
func nameOf(pid int) string { return fmt.Sprintf("%d %s", pid, proc.Born(pid)) }

// pidOf returns the PID of a runtime.
func pidOf(t *testing.T, r record) int {
	t.Helper()
	pid, err := strconv.Atoi(strings.Fields(r.Program)[0])
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

const deaf = "trap '' TERM INT HUP; echo ready; while :; do sleep 60; done"

func every(event.RuntimeID) bool { return true }

// quick returns a launcher with a short grace on a directory.
func quick(t testing.TB, dir string) *Launcher {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, "runtimes"), 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := New(t.Context(), Config{
		Environment: machine(t, dir), Reach: []string{"--data", dir},
		Dir: dir, Grace: time.Millisecond, Logger: slog.New(slog.DiscardHandler),
		Flags:   func(string) ([]string, error) { return nil, nil },
		Recover: native.RecoverSpool,
		Write:   func(name string, data []byte) error { return os.WriteFile(name, data, 0o600) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestARuntimeThatDoesNotEndIsKilledWithWhatItStarted(t *testing.T) {
	for name, stop := range map[string]bool{"deaf": false, "stopped by a signal": true} {
		t.Run(name, func(t *testing.T) {
			l := quick(t, t.TempDir())
			r := startRuntime(t, deaf)
			if err := l.note(r); err != nil {
				t.Fatal(err)
			}
			if stop {
				if err := syscall.Kill(pidOf(t, r), syscall.SIGSTOP); err != nil {
					t.Fatal(err)
				}
			}
			if err := l.End(t.Context(), "other", every); err != nil || !l.isAlive(r) {
				t.Fatalf("the runtime of another notebook: got %v, alive %t", err, l.isAlive(r))
			}
			if err := l.End(t.Context(), "nb", func(id event.RuntimeID) bool { return id != "rt" }); err != nil || !l.isAlive(r) {
				t.Fatalf("another runtime: got %v, alive %t", err, l.isAlive(r))
			}
			if err := l.End(t.Context(), "nb", every); err != nil || l.isAlive(r) || l.alive() != 0 {
				t.Errorf("got %v, alive %t, want it to have gone", err, l.isAlive(r))
			}
			if files, _ := filepath.Glob(filepath.Join(l.place(), "*")); len(files) > 0 {
				t.Errorf("got %q left in the directory", files)
			}
		})
	}
}

func TestWhatAServerDidNotGetToTheNextOneEnds(t *testing.T) {
	dir := t.TempDir()
	l := quick(t, dir)
	l.Grace = time.Hour
	r := startRuntime(t, deaf)
	if err := l.note(r); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.End(ctx, "nb", every); !errors.Is(err, context.Canceled) || !l.isAlive(r) {
		t.Fatalf("got %v, alive %t, want that the server stops", err, l.isAlive(r))
	}
	next := quick(t, dir)
	if next.alive() != 1 {
		t.Fatalf("the next launcher knows %d runtimes, want 1", next.alive())
	}
	if err := next.Resume(t.Context()); err != nil || l.isAlive(r) {
		t.Errorf("got %v, alive %t, want it to have gone", err, l.isAlive(r))
	}
}

func TestAProcessThatIsNotOursIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	l := quick(t, dir)
	r := startRuntime(t, deaf)
	reused := r
	reused.Program += " before"
	if err := l.note(reused); err != nil {
		t.Fatal(err)
	}
	if err := l.End(t.Context(), "nb", every); err != nil || !l.isAlive(r) {
		t.Errorf("got %v, alive %t, want another's process to live", err, l.isAlive(r))
	}
	if err := quick(t, dir).note(reused); err != nil {
		t.Fatal(err)
	}
	if next := quick(t, dir); len(next.records) != 0 {
		t.Errorf("got %d records of processes that have gone, want none", len(next.records))
	}
}

func TestThereAreNoMoreRuntimesThanAllowed(t *testing.T) {
	l := quick(t, t.TempDir())
	l.Most, l.Program = 1, "/nothing"
	if err := l.note(startRuntime(t, deaf)); err != nil {
		t.Fatal(err)
	}
	err := l.Launch(t.Context(), runtime.Launch{Notebook: "second", Runtime: "rt2", Token: issued("")})
	if want := "no more runtimes than 1 may run at once (--max-runtimes): stop one with `quire stop`"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	// One that was started and has not joined is the one that is asked for. A token for another would end its own.
	unasked := func() (string, error) {
		t.Error("a token was issued for a runtime that is not started")
		return "", nil
	}
	if err := l.Launch(t.Context(), runtime.Launch{Notebook: "nb", Runtime: "rt2", Token: unasked}); err != nil || l.alive() != 1 {
		t.Errorf("got %v and %d runtimes, want the one there is", err, l.alive())
	}
	if err := l.End(t.Context(), "nb", every); err != nil {
		t.Fatal(err)
	}
	if err := l.Launch(t.Context(), runtime.Launch{Notebook: "nb", Runtime: "rt2", Token: issued("")}); err == nil || l.alive() != 0 {
		t.Errorf("got %v and %d runtimes, want none and that there is no program", err, l.alive())
	}
}

func TestTheRecordOfAnEarlierServerMeansTheSameProcess(t *testing.T) {
	dir := t.TempDir()
	r := startRuntime(t, deaf)
	if err := os.MkdirAll(filepath.Join(dir, "runtimes"), 0o700); err != nil {
		t.Fatal(err)
	}
	pid := pidOf(t, r)
	former := fmt.Sprintf(`{"notebook":"nb","runtime":"rt","pid":%d,"born":%q,"kept":true}`, pid, proc.Born(pid))
	if err := os.WriteFile(r.file(filepath.Join(dir, "runtimes")), []byte(former), 0o600); err != nil {
		t.Fatal(err)
	}
	l := quick(t, dir)
	if l.alive() != 1 || len(l.Former()) != 0 {
		t.Fatalf("got %d runtimes and %v with signed tokens, want one that is known", l.alive(), l.Former())
	}
	if err := l.End(t.Context(), "nb", every); err != nil || l.isAlive(r) {
		t.Errorf("got %v, alive %t, want it to have gone", err, l.isAlive(r))
	}
}
