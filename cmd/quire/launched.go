package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/quirehq/quire/core/event"
	environment "github.com/quirehq/quire/internal/env"
)

// launched is a runtime that was started as a process. A file says so, for the
// server after this one.
type launched struct {
	Notebook string          `json:"notebook"`
	Runtime  event.RuntimeID `json:"runtime"`
	PID      int             `json:"pid"`
	Born     string          `json:"born"`           // what tells the process from a later one with its number
	Over     bool            `json:"over,omitempty"` // it must end
	Kept     bool            `json:"kept,omitempty"` // its token is kept, and not only signed
}

// lookEvery is how often a launcher looks whether a process has gone that is not
// its child.
const lookEvery = 25 * time.Millisecond

func (r launched) file(dir string) string {
	return filepath.Join(dir, r.Notebook+"."+string(r.Runtime)+".json")
}

// alive reports whether the process is there. Its number may be another's by now.
func (r launched) alive() bool { return r.Born != "" && bornAt(r.PID) == r.Born }

// readLaunched returns what the files of a directory say, but for those of
// processes that have gone, or cannot be runtimes of ours: they are removed, as is what
// cannot be read.
func readLaunched(dir string) ([]launched, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	var records []launched
	for _, name := range names {
		var r launched
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read what runtimes there are: %w", err)
		}
		if json.Unmarshal(data, &r) == nil && r.file(dir) == name && r.alive() && checkFamily(r.PID) == nil {
			records = append(records, r)
		} else if err := os.Remove(name); err != nil {
			return nil, err
		}
	}
	return records, nil
}

// former returns the runtimes that a server has started before tokens were kept.
func (l *launcher) former() []event.RuntimeID {
	l.mu.Lock()
	defer l.mu.Unlock()
	var ids []event.RuntimeID
	for _, r := range l.records {
		if !r.Kept {
			ids = append(ids, r.Runtime)
		}
	}
	return ids
}

// note keeps a runtime in mind, and on disk.
func (l *launcher) note(r launched) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.records = append(l.records, r)
	return l.writeLocked(r)
}

func (l *launcher) writeLocked(r launched) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return writeFile(r.file(l.place()), data, 0o600)
}

// forget forgets a runtime that has gone.
func (l *launcher) forget(r launched) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.records = slices.DeleteFunc(l.records, func(other launched) bool { return other.Runtime == r.Runtime })
	// A file that stays is of no process, which the next server sees.
	_ = os.Remove(r.file(l.place()))
}

// alive returns how many runtimes there are.
func (l *launcher) alive() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, r := range l.records {
		if r.alive() {
			n++
		}
	}
	return n
}

// End implements [server.Launcher].
func (l *launcher) End(ctx context.Context, notebook string, over func(event.RuntimeID) bool) error {
	ending, err := l.mark(notebook, over)
	return errors.Join(err, l.endAll(ctx, ending, over))
}

// mark notes which runtimes are over, so that the next server ends those that this
// one does not get to.
func (l *launcher) mark(notebook string, over func(event.RuntimeID) bool) ([]launched, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var ending []launched
	var errs []error
	for i := range l.records {
		r := &l.records[i]
		if r.Notebook != notebook || !over(r.Runtime) {
			continue
		}
		if !r.Over {
			r.Over = true
			errs = append(errs, l.writeLocked(*r))
		}
		ending = append(ending, *r)
	}
	return ending, errors.Join(errs...)
}

// resume ends what the server before this one did not get to.
func (l *launcher) resume(ctx context.Context) error {
	l.mu.Lock()
	over := slices.DeleteFunc(slices.Clone(l.records), func(r launched) bool { return !r.Over })
	l.mu.Unlock()
	return l.endAll(ctx, over, func(event.RuntimeID) bool { return true })
}

func (l *launcher) endAll(ctx context.Context, ending []launched, over func(event.RuntimeID) bool) error {
	errs := make([]error, len(ending))
	var waiting sync.WaitGroup
	for i, r := range ending {
		waiting.Go(func() { errs[i] = l.endOne(ctx, r, over) })
	}
	waiting.Wait()
	return errors.Join(errs...)
}

// isComing reports whether a notebook has a runtime that is not over. It is asked when
// the log has none: then it has not joined yet.
func (l *launcher) isComing(notebook string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.records, func(r launched) bool { return r.Notebook == notebook && !r.Over && r.alive() })
}

// spare notes that a runtime is not over after all.
func (l *launcher) spare(r launched) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	r.Over = false
	for i := range l.records {
		if l.records[i].Runtime == r.Runtime {
			l.records[i] = r
		}
	}
	return l.writeLocked(r)
}

// endOne waits until a runtime has gone, and kills it after the grace: it may be
// stopped by a signal, or not hear the server.
func (l *launcher) endOne(ctx context.Context, r launched, over func(event.RuntimeID) bool) error {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	late := time.NewTimer(l.grace)
	defer late.Stop()
	for r.alive() {
		select {
		case <-ticker.C:
		case <-late.C:
			if !over(r.Runtime) { // it has joined meanwhile
				return l.spare(r)
			}
			if err := killFamily(r.PID); err != nil && !errors.Is(err, os.ErrProcessDone) {
				return fmt.Errorf("end runtime %s: %w", r.Runtime, err)
			}
			if err := environment.SweepGroups(); err != nil {
				return fmt.Errorf("end what runtime %s has left: %w", r.Runtime, err)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	err := l.sweep(r)
	l.forget(r)
	return err
}
