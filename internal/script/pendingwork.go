package script

import (
	"context"
	"time"

	"github.com/quirehq/quire/core/engineproto"
	"github.com/quirehq/quire/core/lang"
)

// Drain implements lang.Drainer: it waits until the engine says that no background work is left, and then ends it. An
// engine whose program has ended itself has none.
func (e *Engine) Drain(ctx context.Context, p lang.Patience) (left bool) {
	if err := e.begin(); err != nil {
		return false
	}
	e.reader.Stop()
	deadline := p.Begin(ctx)
	defer deadline.Stop()
	t := e.start(work{prepare: func() (task, engineproto.FromHost) {
		e.calls++
		return task{call: e.calls}, &engineproto.Call{ID: e.calls, Method: engineproto.Drain, Mark: e.markOfCalls()}
	}})
	ended := e.settle(t, deadline)
	if ended {
		e.mu.Lock()
		e.closed = true
		e.mu.Unlock()
		e.reader = e.idle()
		e.process.CloseRequests()
		select {
		case <-e.reader.Done(): // all pipes have ended
			return false
		case <-deadline.Over():
		}
	} else if err := e.release(); err != nil {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed, e.config.Grace = true, time.Nanosecond
	return true
}

// settle delivers output until the engine replies, or the patience ends.
func (e *Engine) settle(t task, deadline *lang.Deadline) (replied bool) {
	out := reportingOutput{sinkOutput{sinks: &e.sinks}, deadline}
	for {
		m, err := e.merge.Next(deadline.Over(), out)
		if err != nil {
			return false
		}
		if reply, ok := m.(*engineproto.Reply); ok && reply.ID == t.call {
			return true
		}
		if !e.handleIdle(m) {
			out.message(m)
		}
	}
}

// reportingOutput reports all output to a deadline.
type reportingOutput struct {
	sinkOutput
	deadline *lang.Deadline
}

func (o reportingOutput) Stream(name, text string) {
	o.deadline.Heard()
	o.sinkOutput.Stream(name, text)
}

func (o reportingOutput) message(m engineproto.FromEngine) {
	o.deadline.Heard()
	o.sinkOutput.message(m)
}
