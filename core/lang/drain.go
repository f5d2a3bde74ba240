package lang

import (
	"context"
	"sync"
	"time"
)

// LastPatience is for what runs have started when the program has ended: a person who waits
// does not take it for a hang yet.
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

// Begin returns when the patience ends, which is not after ctx.
func (p Patience) Begin(ctx context.Context) *Deadline {
	d := &Deadline{over: make(chan struct{}), p: p}
	d.quiet, d.whole = time.AfterFunc(p.Silent, d.end), time.AfterFunc(p.Whole, d.end)
	d.leave = context.AfterFunc(ctx, d.end)
	return d
}

func (d *Deadline) end() { d.ended.Do(func() { close(d.over) }) }

// Over is closed when the patience has ended.
func (d *Deadline) Over() <-chan struct{} { return d.over }

// Heard says that something was produced.
func (d *Deadline) Heard() { d.quiet.Reset(d.p.Silent) }

// Stop releases what measures the time.
func (d *Deadline) Stop() {
	d.quiet.Stop()
	d.whole.Stop()
	d.leave()
}
