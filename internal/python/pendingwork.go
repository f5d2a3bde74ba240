package python

import (
	"context"
	"errors"
	"time"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/internal/pipehost"
)

// errDrained says that no process holds output pipes of an earlier run any more.
var errDrained = errors.New("drained")

// Drain implements lang.Drainer. It waits for the tasks of the event loop. Then the program ends,
// and ends its workers and the like itself. Then Drain waits for the processes that still hold a
// pipe of ours.
func (e *Engine) Drain(ctx context.Context, p lang.Patience) (left bool) {
	if !e.retire() {
		return false
	}
	e.reader.Stop()
	_ = e.write(frame(frameDrain, 0)) // if it fails the process has ended, as seen below
	deadline := p.Begin(ctx)
	defer deadline.Stop()
	settled, err := e.drain(deadline)
	e.merge.draining = false
	e.reader = e.merge.idle(sinkOutput{sinks: &e.sinks}, e.handleIdle)
	if !errors.Is(err, pipehost.ErrStopped) {
		return false
	}
	if settled { // the program was ending, within its time
		e.mu.Lock()
		defer e.mu.Unlock()
		e.config.Grace = time.Nanosecond
	}
	return true
}

// retire stops the engine from taking runs. It reports whether the engine was idle or its program
// has ended itself.
func (e *Engine) retire() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.unavailableLocked(); err != nil && !errors.Is(err, errExited) {
		return false
	}
	e.closed = true
	return true
}

// drain delivers output until no process of the program holds a pipe. It reports whether all tasks
// had ended.
func (e *Engine) drain(deadline *lang.Deadline) (settled bool, err error) {
	out := reportingOutput{sinkOutput{sinks: &e.sinks}, deadline}
	for {
		message, err := e.merge.next(deadline.Over(), out)
		switch {
		case err != nil:
			return settled, err
		case message.Kind == "settled":
			settled = true
		case message.Kind == "ending":
			e.merge.draining = true
		case !e.handleIdle(message):
			out.message(message)
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

func (o reportingOutput) late(run uint64, name, text string) {
	o.deadline.Heard()
	o.sinkOutput.late(run, name, text)
}

func (o reportingOutput) message(m *message) {
	o.deadline.Heard()
	o.sinkOutput.message(m)
}
