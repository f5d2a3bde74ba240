//go:build linux

package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/quirehq/quire/core/agent"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

// tally counts what became of runs.
type tally struct {
	events, runs, steps int
	by                  map[string]int // status, and what ended the run
}

// verify reads the logs and wants every program to have become what it must.
func (f *faults) verify(t *testing.T) {
	t.Helper()
	sum := &tally{by: map[string]int{}}
	for _, b := range f.books {
		b.verify(t, sum)
	}
	for _, crash := range f.crashes(t) {
		t.Errorf("a process crashed: %s", crash)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	t.Logf("faults %v, of which while a program ran %v; cuts %v; %d runtimes by hand", f.struck, f.during, f.cuts, f.hands)
	t.Logf("%d events, %d runs, %d steps; ends %v", sum.events, sum.runs, sum.steps, sum.by)
}

// explain prints the end of the logs of the processes.
func (f *faults) explain(t *testing.T) {
	t.Helper()
	t.Logf("the server's log:\n%s", end(f.log.String()))
	for _, b := range f.books {
		if data, err := os.ReadFile(filepath.Join(f.dir, "runtimes", b.id+".log")); err == nil {
			t.Logf("the last runtime's log of %s:\n%s", b.id, end(string(data)))
		}
	}
}

func end(s string) string { return s[max(len(s)-4_000, 0):] }

func (b *faultyBook) verify(t *testing.T, sum *tally) {
	t.Helper()
	log := b.read(t)
	sum.events += int(log.book.Seq())
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, refused := range b.refused {
		t.Errorf("notebook %s: the room refused %s", b.id, refused)
	}
	engineLosses := 0
	for id, p := range b.printers {
		run, got := log.book.Run(id), log.runs[id]
		if run == nil || run.State != notebook.RunFinished {
			t.Errorf("notebook %s: run %s was requested, and has not ended: %+v", b.id, id, run)
			continue
		}
		got.finish()
		done, err := p.done()
		if err != nil {
			t.Errorf("notebook %s: run %s: %v", b.id, id, err)
			continue
		}
		if fault := b.fault(run, got, p, done, log.runtimes[run.Epoch]); fault != "" {
			t.Errorf("notebook %s: run %s (%s by %s, %q, step %d of %d) %s\n%s",
				b.id, id, run.Status, got.ended, run.Reason, done, len(p.steps), fault, p.source)
		}
		if isEngineLoss(got) {
			engineLosses++
		}
		sum.runs, sum.steps = sum.runs+1, sum.steps+done
		sum.by[fmt.Sprintf("%s by %s", run.Status, got.ended)]++
	}
	if kills := int(b.enginesKilled.Load()); engineLosses > kills {
		t.Errorf("notebook %s: %d runs were lost with their engines, of which %d were killed", b.id, engineLosses, kills)
	}
}

// isEngineLoss reports whether a run failed with its engine.
func isEngineLoss(got *transcript) bool {
	return got.failed != nil && (got.failed.Name == agent.EngineDied || got.failed.Name == agent.EngineNotReady)
}

// fault says what is wrong with a run that has ended, and that a runtime had.
func (b *faultyBook) fault(run *notebook.Run, got *transcript, p *printer, done int, runtime event.RuntimeID) string {
	toldByRuntime := got.ended == "RunFinished"
	switch {
	case run.Status == event.StatusOK || run.Status == event.StatusError && !isEngineLoss(got):
		if run.Status != p.end || done != len(p.steps) {
			return fmt.Sprintf("should end as %s: %+v", p.end, got.failed)
		}
		return p.fault(got, done, true)
	case run.Reason == "" && got.failed == nil:
		return "has no reason"
	case run.Status == event.StatusCancelled:
		if got.started || done > 0 {
			return "was cancelled after it had started, and nobody asked for that"
		}
		return ""
	case toldByRuntime:
		if !isEngineLoss(got) {
			return "was given up by its runtime"
		}
		return p.fault(got, done, false)
	}
	if !b.faults.isKilled(runtime) {
		return fmt.Sprintf("was lost with runtime %q, which nobody killed", runtime)
	}
	return p.fault(got, 0, false)
}
