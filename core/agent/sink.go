package agent

import (
	"context"
	"strconv"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
)

// interval is the least time between two looks at what a stream or an updated
// display has become.
const interval = time.Second / 30

// sink is where an engine puts what a run produces. It decides when what the
// shaper has collected is stated: at once after a quiet time, else after the
// interval. While much is pending it collects for longer.
type sink struct {
	mute    context.CancelFunc // from then on everything is dropped, and nothing waits
	pressed func() bool

	mu     turn
	shaper *shaper
	last   time.Time   // when it was last stated
	timer  *time.Timer // nil when none is set
	done   bool
}

var _ lang.Sink = (*sink)(nil)

// turn is a mutex for long waits: the timer waits for a call that waits for space.
// Unlike one of package sync, it lets the fake time of tests go on meanwhile.
type turn chan struct{}

// Lock implements sync.Locker.
func (t turn) Lock() { t <- struct{}{} }

// Unlock implements sync.Locker.
func (t turn) Unlock() { <-t }

// newSink returns the sink of a run.
func (a *Agent) newSink(run event.RunID) *sink {
	ctx, mute := context.WithCancel(context.Background()) // outputs outlive the run's context, for as long as the grace
	s := &sink{
		mute:    mute,
		mu:      make(turn, 1),
		pressed: func() bool { return a.out.isPressed(ctx) },
		shaper: &shaper{
			run:    run,
			epoch:  a.epoch,
			newID:  a.newOutput,
			limits: a.cfg.Limits,
		},
	}
	// What is left when the run is done goes with its end.
	s.shaper.emit = func(p event.Payload) error { return a.out.emit(ctx, p, s.done) }
	return s
}

// newOutput returns an id that no other output has, for the client's is its own.
func (a *Agent) newOutput() event.OutputID {
	a.outputs++
	return event.OutputID(string(a.cfg.Client) + "-o" + strconv.Itoa(a.outputs))
}

// Stream implements lang.Sink.
func (s *sink) Stream(name, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shaper.write(name, text)
	s.paceLocked()
}

// Display implements lang.Sink.
func (s *sink) Display(b lang.Bundle, displayID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shaper.display(b, displayID)
}

// Update implements lang.Sink.
func (s *sink) Update(displayID string, b lang.Bundle) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shaper.update(displayID, b)
	s.paceLocked()
}

// Result implements lang.Sink.
func (s *sink) Result(b lang.Bundle) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shaper.hold(b)
}

// Clear implements lang.Sink.
func (s *sink) Clear(wait bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shaper.clear(wait)
}

// ask states what the program has produced so far, and then that it asks.
func (s *sink) ask(p *event.InputAsked) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done {
		return errRunOver
	}
	s.shaper.release(0)
	s.flushLocked()
	return s.shaper.emit(p)
}

// finish states all that is left, and the error that ended the run if there is one.
// Nothing is stated after it.
func (s *sink) finish(count int, failed *event.Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done = true
	if s.timer != nil {
		s.timer.Stop()
	}
	s.shaper.finish(count, failed)
	s.mute()
}

// paceLocked states what the shaper has, or sees to it that this happens in time.
func (s *sink) paceLocked() {
	if s.timer != nil || !s.shaper.isWaiting() {
		return
	}
	wait := interval - time.Since(s.last)
	if wait <= 0 && !s.pressed() {
		s.flushLocked()
		return
	}
	if wait <= 0 {
		wait = interval
	}
	s.timer = time.AfterFunc(wait, s.tick)
}

func (s *sink) tick() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.timer = nil
	if s.done {
		return
	}
	s.last = time.Time{}
	s.paceLocked()
}

func (s *sink) flushLocked() {
	s.shaper.flush()
	s.last = time.Now()
}
