package jupyter

import (
	"context"
	_ "embed"
	"time"

	"github.com/quirehq/quire/core/lang"
)

var _ lang.Drainer = (*Engine)(nil)

//go:embed left.py
var leftSource string

const (
	// leftInterval is the time between two looks at what goes on.
	leftInterval = 50 * time.Millisecond
	// leftWords is how long what a process has written may take through the kernel, which
	// reads it in a thread and publishes it every fifth of a second.
	leftWords = 500 * time.Millisecond
)

// Drain implements lang.Drainer. The kernel lives meanwhile, because what processes print
// passes through it, or ends with it.
func (e *Engine) Drain(ctx context.Context, p lang.Patience) (left bool) {
	e.mu.Lock()
	err, l := e.unfitLocked(), e.link
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
	for e.goesOn(asking, l) {
		waited = true
		if !rest(asking, leftInterval) {
			return true
		}
	}
	if asking.Err() != nil {
		return waited
	}
	if waited {
		rest(asking, leftWords)
		e.goesOn(asking, l) // what the kernel has read is published before it answers
	}
	return false
}

// rest waits, and reports whether ctx has not ended.
func rest(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// goesOn reports whether something goes on that the kernel's runs have started. Python's
// kernel is asked; of others only the processes are known that have what the kernel has for
// its output.
func (e *Engine) goesOn(ctx context.Context, l *link) bool {
	if !e.config.Kernel.isIPykernel() || !l.tells.Load() {
		return l.process.holders() > 0
	}
	var reply struct {
		Left int `json:"left"`
	}
	err := e.query(ctx, "quire_left_request", struct{}{}, &reply)
	return err == nil && reply.Left > 0
}
