package python

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/quirehq/quire/core/lang"
)

var _ lang.Commer = (*Engine)(nil)

// Bounds of the messages that wait for the driver.
const (
	maxMail      = 1000
	maxMailBytes = 16 << 20
)

// mail is what is sent to the program over its comms. The driver has one message at a
// time; the others wait here, so that a bound holds. A run takes those before it along:
// the program then has them in the order in which people did things.
type mail struct {
	waiting [][]byte // frames
	bytes   int      // of those
	out     int      // that the driver has, and has not said that it has handled
}

// take empties the box and returns the frames, which the driver is to have.
func (m *mail) take() [][]byte {
	frames := m.waiting
	m.waiting, m.bytes = nil, 0
	m.out += len(frames)
	return frames
}

// Comms implements lang.Commer.
func (e *Engine) Comms(out lang.CommSink) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.comms = out
}

// Send implements lang.Commer.
func (e *Engine) Send(ctx context.Context, m lang.CommMessage) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	body, err := json.Marshal(struct {
		Comm    string          `json:"comm"`
		Data    json.RawMessage `json:"data,omitempty"`
		Buffers [][]byte        `json:"buffers,omitempty"`
	}{m.Comm, m.Data, m.Buffers})
	if err != nil {
		return fmt.Errorf("encode a message for comm %s: %w", m.Comm, err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.unfitLocked(); err != nil && e.run == 0 {
		return err
	}
	if len(e.mail.waiting) >= maxMail || e.mail.bytes+len(body) > maxMailBytes {
		return lang.ErrBusy
	}
	e.mail.waiting = append(e.mail.waiting, frame(frameMessage, 0, body))
	e.mail.bytes += len(body)
	e.postLocked()
	return nil
}

// postLocked gives the driver the next message, if it does nothing else now. It is
// written beside whatever goes on: a large one waits until the driver reads it.
func (e *Engine) postLocked() {
	if len(e.mail.waiting) == 0 || e.mail.out > 0 || e.query != nil || e.unfitLocked() != nil || e.killed != "" {
		return
	}
	next := e.mail.waiting[0]
	e.mail.waiting = e.mail.waiting[1:]
	e.mail.bytes -= len(next) - frameHead
	e.mail.out++
	e.process.workers.Go(func() { _ = e.write(next) }) // in vain if the process has ended
}

// heard notes that the driver has handled a message.
func (e *Engine) heard() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.mail.out--
	e.postLocked()
}

// said passes on what the program says over a comm, to the sink of the run that goes on if
// it is of that and the sink takes it.
func (e *Engine) said(m *message, sink lang.Sink) {
	out, ok := sink.(lang.CommSink)
	if !ok || m.Of != 0 {
		e.mu.Lock()
		out = e.comms
		e.mu.Unlock()
	}
	if out == nil {
		return
	}
	out.Comm(lang.CommMessage{
		Kind: lang.CommKind(m.Do), Comm: m.ID, Target: m.Target, Data: m.Value, Metadata: m.Metadata, Buffers: m.Buffers,
	})
}
