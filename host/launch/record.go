package launch

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
)

// record is a runtime that was started as a process. It is kept in a file for the
// launcher of the next server.
type record struct {
	Notebook string          `json:"notebook"`
	Runtime  event.RuntimeID `json:"runtime"`
	PID      int             `json:"pid"`
	Born     string          `json:"born"`           // tells the process from a later one with its number
	Over     bool            `json:"over,omitempty"` // it must end
	Kept     bool            `json:"kept,omitempty"` // its token is kept, and not only signed
}

// lookEvery is how often a launcher looks whether a process has gone that is not
// its child.
const lookEvery = 25 * time.Millisecond

func (r record) file(dir string) string {
	return filepath.Join(dir, r.Notebook+"."+string(r.Runtime)+".json")
}

// isAlive reports whether the process is there. Its number may be another's by now.
func (l *Launcher) isAlive(r record) bool { return r.Born != "" && l.Processes.Born(r.PID) == r.Born }

// readRecords returns the records in files, but for those of processes that have gone or
// cannot be runtimes of ours: they are removed, as are files that cannot be read.
func (l *Launcher) readRecords() ([]record, error) {
	dir := l.place()
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	var records []record
	for _, name := range names {
		var r record
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read what runtimes there are: %w", err)
		}
		if json.Unmarshal(data, &r) == nil && r.file(dir) == name && l.isAlive(r) && l.Processes.Check(r.PID) == nil {
			records = append(records, r)
		} else if err := os.Remove(name); err != nil {
			return nil, err
		}
	}
	return records, nil
}

// Former returns the runtimes that a server has started before tokens were kept.
func (l *Launcher) Former() []event.RuntimeID {
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

func (l *Launcher) writeLocked(r record) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return l.Write(r.file(l.place()), data)
}

// forget forgets a runtime that has gone.
func (l *Launcher) forget(r record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.records = slices.DeleteFunc(l.records, func(other record) bool { return other.Runtime == r.Runtime })
	// A file that stays is of no process, which the next server sees.
	_ = os.Remove(r.file(l.place()))
}

// End implements rooms.Launcher.
func (l *Launcher) End(ctx context.Context, notebook string, over func(event.RuntimeID) bool) error {
	ending, err := l.mark(notebook, over)
	return errors.Join(err, l.endAll(ctx, ending, over))
}

// mark notes which runtimes are over, so that the next server ends those that this
// one does not get to.
func (l *Launcher) mark(notebook string, over func(event.RuntimeID) bool) ([]record, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var ending []record
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

// Resume ends the runtimes that the server before this one did not get to.
func (l *Launcher) Resume(ctx context.Context) error {
	l.mu.Lock()
	over := slices.DeleteFunc(slices.Clone(l.records), func(r record) bool { return !r.Over })
	l.mu.Unlock()
	return l.endAll(ctx, over, func(event.RuntimeID) bool { return true })
}

func (l *Launcher) endAll(ctx context.Context, ending []record, over func(event.RuntimeID) bool) error {
	errs := make([]error, len(ending))
	var waiting sync.WaitGroup
	for i, r := range ending {
		waiting.Go(func() { errs[i] = l.endOne(ctx, r, over) })
	}
	waiting.Wait()
	return errors.Join(errs...)
}

// spare notes that a runtime is not over after all.
func (l *Launcher) spare(r record) error {
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
func (l *Launcher) endOne(ctx context.Context, r record, over func(event.RuntimeID) bool) error {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	late := time.NewTimer(l.Grace)
	defer late.Stop()
	for l.isAlive(r) {
		select {
		case <-ticker.C:
		case <-late.C:
			if !over(r.Runtime) { // it has joined meanwhile
				return l.spare(r)
			}
			if err := l.Processes.Kill(r.PID); err != nil {
				return fmt.Errorf("end runtime %s: %w", r.Runtime, err)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	err := l.sweep(r)
	l.forget(r)
	return err
}
