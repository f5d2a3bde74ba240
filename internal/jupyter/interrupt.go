package jupyter

import "time"

const (
	// interruptDedup is the time in which several interrupts of one run count as one.
	interruptDedup = 10 * time.Millisecond
	// signalDelay is how long after its start a run may not be ready for a signal: some kernels
	// lose one that comes too early, and others end.
	signalDelay = 50 * time.Millisecond
	// interruptRetry is the time after which an interrupt without effect is repeated.
	interruptRetry = time.Second
)

// Interrupt implements lang.Engine. A run that the kernel has not begun is interrupted once it has.
func (e *Engine) Interrupt() error {
	e.mu.Lock()
	l, r := e.link, e.run
	e.mu.Unlock()
	if r != nil {
		e.interruptRun(l, r)
	}
	return nil
}

// interruptRun interrupts a run, if it is the current one.
func (e *Engine) interruptRun(l *link, r *run) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.run != r || time.Since(r.interruptAt) < interruptDedup {
		return
	}
	r.interruptAt = time.Now()
	r.wanted = true
	e.sendInterruptLocked(l, r)
}

// interruptRepeatedly interrupts a run, and repeats that while the run shows no reaction. A kernel that is about
// to wait, for an answer or for a program that it has just started, may lose the signal, and would
// then wait forever.
func (e *Engine) interruptRepeatedly(l *link, r *run) {
	e.interruptRun(l, r)
	e.mu.Lock()
	defer e.mu.Unlock()
	before := r.messages
	time.AfterFunc(interruptRetry, func() {
		e.mu.Lock()
		ignored := e.run == r && e.dead == nil && r.messages == before
		e.mu.Unlock()
		if ignored {
			e.interruptRepeatedly(l, r)
		}
	})
}

// sendInterruptLocked sends a pending interrupt, if the kernel is ready for it.
func (e *Engine) sendInterruptLocked(l *link, r *run) {
	if e.run != r || !r.wanted || r.stage == stageSent || e.dead != nil {
		return
	}
	if early := signalDelay - time.Since(r.begun); r.stage == stageBegun && early > 0 && !e.config.Kernel.ByMessage {
		time.AfterFunc(early, func() {
			e.mu.Lock()
			defer e.mu.Unlock()
			e.sendInterruptLocked(l, r)
		})
		return
	}
	r.wanted, r.interrupted = false, true
	if !e.config.Kernel.ByMessage {
		l.process.interrupt()
		return
	}
	parts, id, err := l.signer.seal("interrupt_request", nil, struct{}{})
	if err != nil {
		return // cannot happen: it can always be encoded
	}
	r.outstanding[id] = true
	go func() { _ = l.sendSealed(control, parts) }() // it may block; a failure means that the kernel has ended
}

// noteProgress records the progress of a run.
func (e *Engine) noteProgress(l *link, r *run, runs bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	r.messages++
	if r.stage == stageSent {
		r.stage, r.begun = stageBegun, time.Now()
	}
	if runs {
		r.stage = stageRuns
	}
	e.sendInterruptLocked(l, r)
}
