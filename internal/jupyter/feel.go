package jupyter

import (
	"errors"
	"fmt"
	"os"
	"time"
)

const (
	// beatPause is the time between two looks at the kernel's heart.
	beatPause = 3 * time.Second
	// silence is for how long it may not beat.
	silence = 30 * time.Second
)

// feel kills a kernel whose heart has stopped: one that hangs. Not every kernel beats
// while it executes, so only one that does is judged then.
func (e *Engine) feel(l *link) {
	for {
		if l.sockets[beat].Send([]byte("ping")) != nil || !e.answers(l) {
			return
		}
		timer := time.NewTimer(e.beatPause)
		select {
		case <-timer.C:
		case <-l.process.exited:
			timer.Stop()
			return
		}
	}
}

// answers waits for the answer to a ping, however long. It says whether there was one.
func (e *Engine) answers(l *link) bool {
	last := time.Now()
	for {
		looks := time.Now()
		_ = l.sockets[beat].SetReadDeadline(looks.Add(e.silence))
		_, err := l.sockets[beat].Receive()
		switch {
		case err == nil:
			e.felt()
			return true
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return false // it has ended, or lost would say so on other channels
		case l.hasEnded():
			return false
		case time.Since(looks) > e.silence*3/2:
			// This process was stopped meanwhile, so that the answer may be there unread.
		case e.isHung(l, last):
			e.kill(fmt.Sprintf("it hung: nothing was heard of it for %v", e.silence))
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

// felt notes whether the heart beats during runs.
func (e *Engine) felt() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.run != nil && e.run.stage == stageRuns {
		e.lively = true
	}
}

// isHung says whether a kernel that has not answered since some time should have.
func (e *Engine) isHung(l *link, since time.Time) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if l.paused.Load() || time.Since(time.Unix(0, l.resumed.Load())) < e.silence || !e.ready {
		return false
	}
	if e.lively {
		return true
	}
	return e.run == nil && time.Since(e.rested) >= e.silence && time.Since(since) >= e.silence
}
