package launch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/quirehq/quire/core/event"
)

// A runtime ends its programs before it ends. One that is killed cannot: what the system does
// not end for it is ended by the launcher, which finds it by the PID files.

// pids is the directory with the PID files of a runtime.
func (l *Launcher) pids(notebook string, id event.RuntimeID) string {
	return filepath.Join(l.place(), notebook+"."+string(id)+pidsSuffix)
}

const pidsSuffix = ".pids"

// sweep ends what a runtime that has ended has left.
func (l *Launcher) sweep(r record) error {
	killed, err := l.Processes.Sweep(l.pids(r.Notebook, r.Runtime), string(r.Runtime))
	if killed > 0 {
		l.Logger.Warn("programs ended that a runtime has left", "notebook", r.Notebook, "runtime", r.Runtime, "processes", killed)
	}
	if err != nil {
		return fmt.Errorf("end what runtime %s has left: %w", r.Runtime, err)
	}
	return nil
}

// reap ends what a runtime that has ended has left, and forgets it but for how it ended.
func (l *Launcher) reap(r record, state *os.ProcessState) {
	l.noteEnd(r, state)
	if err := l.sweep(r); err != nil {
		l.Logger.Error("programs of a runtime are left", "runtime", r.Runtime, "error", err)
	}
	l.forget(r)
}

// sweepAll ends what the runtimes of a notebook have left, * for those of all, but for those
// that go on.
func (l *Launcher) sweepAll(notebook string) error {
	dirs, err := filepath.Glob(filepath.Join(l.place(), notebook+".*"+pidsSuffix))
	if err != nil {
		return err
	}
	var errs []error
	for _, dir := range dirs {
		name, id, ok := strings.Cut(strings.TrimSuffix(filepath.Base(dir), pidsSuffix), ".")
		r := record{Notebook: name, Runtime: event.RuntimeID(id)}
		if ok && !l.goesOn(r) {
			errs = append(errs, l.sweep(r))
		}
	}
	return errors.Join(errs...)
}

// goesOn reports whether a runtime has not ended.
func (l *Launcher) goesOn(r record) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.records, func(other record) bool { return other.Runtime == r.Runtime && l.isAlive(other) })
}

// inheritedEvery is how often a launcher looks whether the runtimes have ended that the server
// before this one has started: nothing tells of the end of a process that is not a child.
const inheritedEvery = time.Second

// Follow forgets such runtimes as they end, with what they have left, until ctx ends.
func (l *Launcher) Follow(ctx context.Context) {
	l.mu.Lock()
	left := slices.Clone(l.records)
	l.mu.Unlock()
	ticker := time.NewTicker(inheritedEvery)
	defer ticker.Stop()
	for len(left) > 0 {
		left = slices.DeleteFunc(left, func(r record) bool {
			if l.isAlive(r) {
				return false
			}
			l.reap(r, nil)
			return true
		})
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}
