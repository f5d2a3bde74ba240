package python

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/quirehq/quire/core/lang"
)

// Bounds of the queued messages.
const (
	maxQueuedComms     = 1000
	maxQueuedCommBytes = 16 << 20
)

// commQueue queues comm messages for the program. The driver gets one at a time, so the bound holds. A
// run is sent after the messages queued before it, so the program sees the user's actions in order.
type commQueue struct {
	waiting [][]byte // frames
	bytes   int      // of those
	out     int      // sent to the driver and not handled yet
}

// take empties the queue and returns the frames, which are then sent to the driver.
func (m *commQueue) take() [][]byte {
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
	if err := e.unavailableLocked(); err != nil && e.run == 0 {
		return err
	}
	if len(e.commQueue.waiting) >= maxQueuedComms || e.commQueue.bytes+len(body) > maxQueuedCommBytes {
		return lang.ErrBusy
	}
	e.commQueue.waiting = append(e.commQueue.waiting, frame(frameMessage, 0, body))
	e.commQueue.bytes += len(body)
	e.sendNextLocked()
	return nil
}

// sendNextLocked sends the next message to the driver if it is idle. The write runs in the background:
// for a large message it blocks until the driver reads it.
func (e *Engine) sendNextLocked() {
	if len(e.commQueue.waiting) == 0 || e.commQueue.out > 0 || e.query != nil || e.unavailableLocked() != nil || e.killed != "" {
		return
	}
	next := e.commQueue.waiting[0]
	e.commQueue.waiting = e.commQueue.waiting[1:]
	e.commQueue.bytes -= len(next) - frameHead
	e.commQueue.out++
	e.process.Go(func() { _ = e.write(next) }) // fails if the process has ended
}

// noteHandled records that the driver has handled a message.
func (e *Engine) noteHandled() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.commQueue.out--
	e.sendNextLocked()
}

// deliverComm delivers a comm message of the program, to the sink of the current run if the message
// belongs to it and the sink accepts comms.
func (e *Engine) deliverComm(m *message, sink lang.Sink) {
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
