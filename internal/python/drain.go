package python

import (
	"context"
	"errors"
	"time"

	"github.com/quirehq/quire/core/lang"
)

var _ lang.Drainer = (*Engine)(nil)

// errDrained says that no process has the output of an earlier run any more.
var errDrained = errors.New("drained")

// Drain implements lang.Drainer. The tasks of the event loop are waited for. Then the program
// ends, and with it what it ends itself at its end, such as workers; then the processes that
// still have a pipe of ours are waited for.
func (e *Engine) Drain(ctx context.Context, p lang.Patience) (left bool) {
	if !e.retire() {
		return false
	}
	e.idle.stop()
	_ = e.write(frame(frameDrain, 0)) // if it fails the process has ended, as we see below
	deadline := p.Begin(ctx)
	defer deadline.Stop()
	settled, err := e.drain(deadline)
	e.merge.draining = false
	e.idle = watchIdle(e.merge, sinkOutput{sinks: &e.sinks}, e.between)
	if !errors.Is(err, errStopped) {
		return false
	}
	if settled { // the program was ending, and had time for it
		e.mu.Lock()
		defer e.mu.Unlock()
		e.config.Grace = time.Nanosecond
	}
	return true
}

// retire has the engine take no more runs, if it could take one, or if the program has
// ended itself, and says whether that is so.
func (e *Engine) retire() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.unfitLocked(); err != nil && !errors.Is(err, errExited) {
		return false
	}
	e.closed = true
	return true
}

// drain delivers what comes until nothing more can come but from the driver. It says whether
// no task went on any more.
func (e *Engine) drain(deadline *lang.Deadline) (settled bool, err error) {
	out := heardOutput{sinkOutput{sinks: &e.sinks}, deadline}
	for {
		message, err := e.merge.next(deadline.Over(), out)
		switch {
		case err != nil:
			return settled, err
		case message.Kind == "settled":
			settled = true
		case message.Kind == "ending":
			e.merge.draining = true
		case !e.between(message):
			out.message(message)
		}
	}
}

// heardOutput is an output that says when something comes.
type heardOutput struct {
	sinkOutput
	deadline *lang.Deadline
}

func (o heardOutput) stream(name, text string) {
	o.deadline.Heard()
	o.sinkOutput.stream(name, text)
}

func (o heardOutput) stray(run uint64, name, text string) {
	o.deadline.Heard()
	o.sinkOutput.stray(run, name, text)
}

func (o heardOutput) message(m *message) {
	o.deadline.Heard()
	o.sinkOutput.message(m)
}
