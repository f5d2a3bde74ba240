//go:build unix

package python

import (
	"syscall"
	"time"

	"github.com/quirehq/quire/internal/proc"
)

const (
	firstResend = 20 * time.Millisecond
	lastResend  = time.Second
)

// resendInterrupt makes sure that an interrupt is noticed. Python checks for signals between its
// instructions; a signal between the last check and a blocking system call is not seen until the
// call returns. Until the driver has read the interrupt's run number, SIGWINCH is resent to make
// the call return with EINTR; it has no other effect.
func (p *process) resendInterrupt() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.resending {
		return
	}
	p.resending = true
	p.Go(func() {
		for pause := firstResend; p.isUnread(pause); pause = min(2*pause, lastResend) {
			_ = p.Signal(syscall.SIGWINCH) // fails if the process has ended
		}
		p.mu.Lock()
		p.resending = false
		p.mu.Unlock()
	})
}

// isUnread waits, and reports whether the run number is still unread.
func (p *process) isUnread(pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-p.Exited():
		return false
	case <-p.Quit():
		return false
	case <-timer.C:
		return proc.Unread(p.interrupts) > 0
	}
}
