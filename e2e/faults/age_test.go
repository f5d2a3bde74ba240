//go:build linux

package faults_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/replica"
)

// passes is how much time passes at once: more than any lease, time-out, token or sign-in
// has.
const passes = 400 * 24 * time.Hour

// pass has the clocks of all processes be ahead by so many times as much.
func (p *playing) pass(times int64) error {
	path := p.age
	if err := os.WriteFile(path+".new", []byte(strconv.FormatInt(times*passes.Milliseconds(), 10)), 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// growOld waits until what threads print is there. Then much time passes while all is well,
// and the server is stopped and started again: the runtimes go on.
func (p *playing) growOld(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for _, b := range p.books {
		b.awaitThreads(ctx)
	}
	if !p.ages {
		return
	}
	before := p.epochs(ctx)
	if err := errorOf(p.pass(2), p.restart(ctx)); err != nil {
		t.Fatal(err)
	}
	p.settle(t)
	for i, after := range p.epochs(ctx) {
		b := p.books[i]
		if before[i] != 0 && before[i] != after && p.runtimes.absences(b.id, lease*9/10) == 0 {
			t.Errorf("notebook %s: its runtime did not outlive a restart of the server", b.id)
		}
	}
}

// errorOf returns the first error.
func errorOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// restart stops the server in good order, and starts the next.
func (p *playing) restart(ctx context.Context) error {
	p.house.replacing.Lock()
	defer p.house.replacing.Unlock()
	if code, err := p.house.end(ctx, syscall.SIGTERM); err != nil || code != 0 {
		return fmt.Errorf("the server was told to stop, and ended with code %d (%w)", code, err)
	}
	return p.house.start(p.mayFail)
}

// epochs waits until each notebook's runtime can be reached, or is given up, and returns
// the epochs of those that are there, 0 for none.
func (p *playing) epochs(ctx context.Context) []event.Epoch {
	all := make([]event.Epoch, len(p.books))
	for i, b := range p.books {
		_ = b.watcher.Wait(ctx, func(r *replica.Replica) bool { // the state tells after that
			rt := r.Confirmed().Runtime(event.TakesCode)
			if all[i] = 0; rt != nil && rt.State != notebook.RuntimeStopped {
				all[i] = rt.Epoch
			}
			return r.Online() && (all[i] == 0 || isHere(r, rt.ID))
		})
	}
	return all
}

// isHere reports whether a runtime is connected, as far as a replica knows.
func isHere(r *replica.Replica, id event.RuntimeID) bool {
	its := event.NewActor(event.ActorRuntime, string(id))
	for _, peer := range r.Peers() {
		if peer.Actor == its {
			return true
		}
	}
	return false
}

// still is after how long without a line a thread has ended.
const still = 2 * time.Second

// awaitThreads waits until the threads of programs have ended, with their engines or by
// themselves.
func (b *book) awaitThreads(ctx context.Context) {
	for last, since := -1, time.Now(); ctx.Err() == nil && time.Since(since) < still; time.Sleep(20 * time.Millisecond) {
		steps, left := b.threadSteps()
		if !left {
			return
		}
		if steps != last {
			last, since = steps, time.Now()
		}
	}
}

// threadSteps returns how many steps the threads of programs have taken, and whether any is left.
func (b *book) threadSteps() (steps int, left bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.programs {
		if !p.thread {
			continue
		}
		n, _ := p.done() // what is wrong is told in the end
		steps += n
		left = left || n < len(p.steps)
	}
	return steps, left
}
