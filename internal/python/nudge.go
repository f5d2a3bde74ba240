//go:build unix

package python

import (
	"syscall"
	"time"
)

const (
	firstNudge = 20 * time.Millisecond
	lastNudge  = time.Second
)

// nudge sees to it that an interrupt is noticed. Python looks for signals between
// its instructions, and one that comes after the last look before a system call
// that waits is not seen until the call returns. So as long as nobody has read for
// whom the interrupt is, another signal ends the call; it does nothing else.
func (p *process) nudge() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.nudged {
		return
	}
	p.nudged = true
	p.workers.Go(func() {
		for pause := firstNudge; p.isUnread(pause); pause = min(2*pause, lastNudge) {
			_ = p.child.Signal(syscall.SIGWINCH) // it may have ended
		}
		p.mu.Lock()
		p.nudged = false
		p.mu.Unlock()
	})
}

// isUnread waits, and says whether an interrupt waits too.
func (p *process) isUnread(pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-p.exited:
		return false
	case <-p.quit:
		return false
	case <-timer.C:
		return unread(p.interrupts) > 0
	}
}
