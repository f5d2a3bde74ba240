package jupyter

import (
	"errors"
	"fmt"
	"os"
	"time"
)

const (
	// heartbeatInterval is the time between two heartbeats.
	heartbeatInterval = 3 * time.Second
	// heartbeatTimeout is how long the kernel may leave a heartbeat unanswered.
	heartbeatTimeout = 30 * time.Second
)

// watchHeartbeat kills a kernel that stops answering heartbeats. Not every kernel answers while it
// executes; during runs, only a kernel that has done so is held to it.
func (e *Engine) watchHeartbeat(l *link) {
	for {
		if l.sockets[heartbeat].Send([]byte("ping")) != nil || !e.awaitHeartbeat(l) {
			return
		}
		timer := time.NewTimer(e.heartbeatInterval)
		select {
		case <-timer.C:
		case <-l.process.exited:
			timer.Stop()
			return
		}
	}
}

// awaitHeartbeat waits for the answer to a ping, without a limit, and reports whether there was
// one.
func (e *Engine) awaitHeartbeat(l *link) bool {
	last := time.Now()
	for {
		looks := time.Now()
		_ = l.sockets[heartbeat].SetReadDeadline(looks.Add(e.heartbeatTimeout))
		_, err := l.sockets[heartbeat].Receive()
		switch {
		case err == nil:
			e.noteHeartbeat()
			return true
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return false // it has ended, or another channel reports the loss
		case l.hasEnded():
			return false
		case time.Since(looks) > e.heartbeatTimeout*3/2:
			// This process was stopped meanwhile, so the answer may be there unread.
		case e.isHung(l, last):
			e.kill(fmt.Sprintf("it hung: nothing was heard of it for %v", e.heartbeatTimeout))
			return false
		}
	}
}

func (l *link) hasEnded() bool {
	select {
	case <-l.process.exited:
		return true
	default:
		return false
	}
}

// noteHeartbeat notes if the kernel answers heartbeats during runs.
func (e *Engine) noteHeartbeat() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.run != nil && e.run.stage == stageRuns {
		e.beatsInRuns = true
	}
}

// isHung reports whether a kernel that has not answered since a time should have.
func (e *Engine) isHung(l *link, since time.Time) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if l.paused.Load() || time.Since(time.Unix(0, l.resumed.Load())) < e.heartbeatTimeout || !e.ready {
		return false
	}
	if e.beatsInRuns {
		return true
	}
	return e.run == nil && time.Since(e.rested) >= e.heartbeatTimeout && time.Since(since) >= e.heartbeatTimeout
}
