package jupyter

import "time"

const (
	// oneInterrupt is how long several interrupts of one run count as one.
	oneInterrupt = 10 * time.Millisecond
	// settles is how long after a kernel has begun with a run it may not be ready for
	// a signal: one that comes too early is lost on some and ends others.
	settles = 50 * time.Millisecond
	// noticed is how long a program may take to notice an interrupt.
	noticed = time.Second
)

// Interrupt implements lang.Engine. A run that the kernel has not begun is
// interrupted when it has.
func (e *Engine) Interrupt() error {
	e.mu.Lock()
	l, r := e.link, e.run
	e.mu.Unlock()
	if r != nil {
		e.interruptRun(l, r)
	}
	return nil
}

// interruptRun interrupts a run, if it goes on.
func (e *Engine) interruptRun(l *link, r *run) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.run != r || time.Since(r.interruptAt) < oneInterrupt {
		return
	}
	r.interruptAt = time.Now()
	r.wanted = true
	e.fireLocked(l, r)
}

// insist interrupts a run, and again for as long as nothing comes of it: a kernel that
// is about to wait, for an answer or for a program that it has just started, may lose
// the signal, and would wait for ever or be killed.
func (e *Engine) insist(l *link, r *run) {
	e.interruptRun(l, r)
	e.mu.Lock()
	defer e.mu.Unlock()
	heard := r.heard
	time.AfterFunc(noticed, func() {
		e.mu.Lock()
		ignored := e.run == r && e.dead == nil && r.heard == heard
		e.mu.Unlock()
		if ignored {
			e.insist(l, r)
		}
	})
}

// fireLocked sends an interrupt that is wanted, if it can be sent yet.
func (e *Engine) fireLocked(l *link, r *run) {
	if e.run != r || !r.wanted || r.stage == stageSent || e.dead != nil {
		return
	}
	if early := settles - time.Since(r.begun); r.stage == stageBegun && early > 0 && !e.config.Kernel.ByMessage {
		time.AfterFunc(early, func() {
			e.mu.Lock()
			defer e.mu.Unlock()
			e.fireLocked(l, r)
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
		return // it can always be encoded
	}
	r.settling[id] = true
	go func() { _ = l.sendSealed(control, parts) }() // it may block; if it fails the kernel has ended
}

// reach notes how far a run is.
func (e *Engine) reach(l *link, r *run, runs bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	r.heard++
	if r.stage == stageSent {
		r.stage, r.begun = stageBegun, time.Now()
	}
	if runs {
		r.stage = stageRuns
	}
	e.fireLocked(l, r)
}
