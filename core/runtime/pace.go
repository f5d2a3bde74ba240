package runtime

import "time"

// pace throttles output: it is appended at once after a quiet period, else at most once an
// interval, and less often while many events are pending. Its owner guards it.
type pace struct {
	last  time.Time   // when output was last appended
	timer *time.Timer // nil when none is set
}

// due reports whether to append now. If not it calls tick after a while, which must call
// ticked.
func (p *pace) due(pressed func() bool, tick func()) bool {
	if p.timer != nil {
		return false
	}
	wait := interval - time.Since(p.last)
	if wait <= 0 {
		if !pressed() {
			return true
		}
		wait = interval
	}
	p.timer = time.AfterFunc(wait, tick)
	return false
}

// ticked notes that the timer of due has fired.
func (p *pace) ticked() { *p = pace{} }

// appended notes that all collected output was appended.
func (p *pace) appended() { p.last = time.Now() }

// stop stops the timer. A call of tick may be running already.
func (p *pace) stop() {
	if p.timer != nil {
		p.timer.Stop()
	}
}
