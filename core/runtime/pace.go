package runtime

import "time"

// pace is when what was collected is stated: at once after a quiet time, else after
// the interval. While much is pending it is collected for longer. Its owner guards it.
type pace struct {
	last  time.Time   // when something was last stated
	timer *time.Timer // nil when none is set
}

// due reports whether it is time to state now. If not it has tick called when it may
// be, which calls ticked.
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

// ticked says that the time has passed for which due had to wait.
func (p *pace) ticked() { *p = pace{} }

// appended says that all was stated now.
func (p *pace) appended() { p.last = time.Now() }

// stop has tick not called any more, unless that is under way.
func (p *pace) stop() {
	if p.timer != nil {
		p.timer.Stop()
	}
}
