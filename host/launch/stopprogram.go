package launch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/quirehq/quire/core/event"
)

// lookEvery is how often a launcher looks whether a process has gone that is not
// its child.
const lookEvery = 25 * time.Millisecond

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
			if err := l.Environment.KillDetached(r.Program); err != nil {
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
