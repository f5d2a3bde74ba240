package jupyter

import (
	"context"
	_ "embed"
	"time"

	"github.com/quirehq/quire/core/lang"
)

//go:embed pendingwork.py
var pendingWorkSource string

const (
	// drainInterval is the time between two checks for pending work.
	drainInterval = 50 * time.Millisecond
	// drainDelay is the most that output of a process takes through the kernel, which reads it in a
	// thread and publishes it every fifth of a second.
	drainDelay = 500 * time.Millisecond
)

// Drain implements lang.Drainer. The kernel has to live meanwhile: output of processes passes
// through it.
func (e *Engine) Drain(ctx context.Context, p lang.Patience) (left bool) {
	e.mu.Lock()
	err, l := e.unavailableLocked(), e.link
	e.mu.Unlock()
	if err != nil {
		return false
	}
	deadline := p.Begin(ctx)
	defer deadline.Stop()
	e.draining.Store(deadline)
	defer e.draining.Store(nil)
	asking, leave := context.WithCancel(ctx)
	defer leave()
	go func() {
		<-deadline.Over()
		leave()
	}()
	waited := false
	for e.hasWork(asking, l) {
		waited = true
		if !sleep(asking, drainInterval) {
			return true
		}
	}
	if asking.Err() != nil {
		return waited
	}
	if waited {
		sleep(asking, drainDelay)
		e.hasWork(asking, l) // the kernel publishes output it has read before it answers
	}
	return false
}

// sleep waits, and reports whether ctx has not ended.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// hasWork reports whether something that the runs started still goes on. Python's kernel is asked;
// of other kernels only the processes are known that hold the kernel's output pipes.
func (e *Engine) hasWork(ctx context.Context, l *link) bool {
	if !e.config.Kernel.isIPykernel() || !l.reportsLeft.Load() {
		return l.process.holders() > 0
	}
	var reply struct {
		Left int `json:"left"`
	}
	err := e.query(ctx, "quire_left_request", struct{}{}, &reply)
	return err == nil && reply.Left > 0
}
