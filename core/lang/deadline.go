package lang

import (
	"context"
	"sync"
	"time"
)

// Patience is the time to wait for work that may never end.
type Patience struct {
	Silent time.Duration // since the last output
	Whole  time.Duration
}

// LastPatience is the patience with background work after the end of a program: short enough that a waiting person does
// not take it for a hang.
var LastPatience = Patience{Silent: 3 * time.Second, Whole: 10 * time.Second}

// Deadline is the end of a [Patience] that has begun.
type Deadline struct {
	over  chan struct{}
	ended sync.Once
	quiet *time.Timer
	whole *time.Timer
	leave func() bool
	p     Patience
}

// Begin starts the patience, which ends no later than ctx.
func (p Patience) Begin(ctx context.Context) *Deadline {
	d := &Deadline{over: make(chan struct{}), p: p}
	d.quiet, d.whole = time.AfterFunc(p.Silent, d.expire), time.AfterFunc(p.Whole, d.expire)
	d.leave = context.AfterFunc(ctx, d.expire)
	return d
}

func (d *Deadline) expire() { d.ended.Do(func() { close(d.over) }) }

// Over returns a channel that is closed when the patience has ended.
func (d *Deadline) Over() <-chan struct{} { return d.over }

// Heard restarts the silent time after output.
func (d *Deadline) Heard() { d.quiet.Reset(d.p.Silent) }

// Stop releases the timers.
func (d *Deadline) Stop() {
	d.quiet.Stop()
	d.whole.Stop()
	d.leave()
}
