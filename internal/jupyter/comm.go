package jupyter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
)

// Comms implements lang.Commer.
func (e *Engine) Comms(out lang.CommSink) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.comms.out = out
}

// Send implements lang.Commer.
func (e *Engine) Send(ctx context.Context, m lang.CommMessage) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if m.Kind != lang.CommData {
		return fmt.Errorf("a message of kind %q cannot be sent over a comm", m.Kind)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.unavailableLocked(); err != nil && !errors.Is(err, lang.ErrBusy) {
		return err
	}
	if size := sizeOf(&m); e.comms.waiting > 0 && e.comms.waiting+size > maxComms {
		return lang.ErrBusy
	}
	e.comms.queue = append(e.comms.queue, m)
	e.comms.waiting += sizeOf(&m)
	e.comms.wakeLocked()
	return nil
}

// maxComms bounds the bytes queued for the program.
const maxComms = 8 << 20

// comms is the state of the comms. The engine's mutex guards it.
type comms struct {
	out     lang.CommSink // for messages between runs; nil drops them
	queue   []lang.CommMessage
	waiting int                         // bytes in the queue
	wake    chan struct{}               // of capacity one: the queue may have a message
	widgets map[string]bool             // open comms that have a state
	opened  map[string]string           // by comm, the request of the run that opened it
	sent    map[string]string           // by message sent to the program, the request that opened its comm
	echoes  map[string]lang.CommMessage // by message, the echo to publish unless the program does
}

func newComms() comms {
	return comms{opened: map[string]string{}, sent: map[string]string{}, wake: make(chan struct{}, 1), widgets: map[string]bool{}, echoes: map[string]lang.CommMessage{}}
}

func (c *comms) wakeLocked() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// sizeOf estimates the memory of a message.
func sizeOf(m *lang.CommMessage) int {
	const overhead = 128
	size := overhead + len(m.Data)
	for _, b := range m.Buffers {
		size += len(b)
	}
	return size
}

// sendComms sends the queued messages to the program between runs, until the kernel ends.
func (e *Engine) sendComms(l *link) {
	for {
		for parts := e.nextToSend(l); parts != nil; parts = e.nextToSend(l) {
			_ = l.sendSealed(shell, parts) // if it cannot be sent the kernel has ended
		}
		select {
		case <-e.comms.wake:
		case <-l.process.exited:
			return
		}
	}
}

// nextToSend returns the next message if it can be sent now, and prepares the echo of a state
// update.
func (e *Engine) nextToSend(l *link) [][]byte {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.comms.queue) == 0 || e.run != nil {
		return nil
	}
	m := e.comms.queue[0]
	e.comms.queue[0] = lang.CommMessage{}
	e.comms.queue = e.comms.queue[1:]
	e.comms.waiting -= sizeOf(&m)
	if m.Data == nil {
		m.Data = json.RawMessage("{}")
	}
	parts, id, err := l.signer.seal("comm_msg", nil, map[string]any{"comm_id": m.Comm, "data": m.Data})
	if err != nil { // the data is not JSON
		e.comms.wakeLocked()
		return nil
	}
	e.comms.sent[id] = e.comms.opened[m.Comm]
	if echo, ok := echoOf(&m); ok && e.comms.widgets[m.Comm] {
		e.comms.echoes[id] = echo
	}
	return append(parts, m.Buffers...)
}

// change is the data of a widget's message.
type change struct {
	Method  string          `json:"method"`
	State   json.RawMessage `json:"state,omitempty"`
	Buffers json.RawMessage `json:"buffer_paths,omitempty"`
}

// echoOf returns the echo_update that confirms a state update.
func echoOf(m *lang.CommMessage) (echo lang.CommMessage, ok bool) {
	var c change
	if json.Unmarshal(m.Data, &c) != nil || c.Method != "update" {
		return echo, false
	}
	c.Method = "echo_update"
	data, err := json.Marshal(c)
	echo = *m
	echo.Data = data
	return echo, err == nil
}

// commMessage decodes a comm message of a kernel; ok is false for other messages.
func commMessage(m *message) (said lang.CommMessage, ok bool) {
	switch m.header.Type {
	case "comm_open":
		said.Kind = lang.CommOpen
		_ = unmarshal(m.metadata, &said.Metadata) // damaged metadata is ignored
	case "comm_msg":
		said.Kind = lang.CommData
	case "comm_close":
		said.Kind = lang.CommClose
	default:
		return said, false
	}
	var content struct {
		Comm   string          `json:"comm_id"`
		Target string          `json:"target_name"`
		Data   json.RawMessage `json:"data"`
	}
	m.decode(&content)
	said.Comm, said.Data, said.Buffers = content.Comm, content.Data, m.buffers
	if said.Kind == lang.CommOpen {
		said.Target = content.Target
	}
	return said, true
}

// deliverComm delivers a comm message of the program. The response to a message that was sent to
// the program belongs to no run, even if the next run has begun meanwhile.
func (e *Engine) deliverComm(r *run, m *message, said lang.CommMessage) {
	e.mu.Lock()
	out := e.comms.out
	e.comms.note(said, m.parent.ID)
	e.mu.Unlock()
	if r != nil && m.parent.ID == r.id {
		if sink, ok := r.sink.(lang.CommSink); ok {
			out = sink
		}
	}
	if out != nil {
		out.Comm(said)
	}
}

// note tracks which comms are open, and which request's run opened each. Comms beyond
// event.MaxComms are not tracked, and get no messages.
func (c *comms) note(said lang.CommMessage, request string) {
	switch said.Kind {
	case lang.CommOpen:
		_, known := c.opened[said.Comm]
		if !known && len(c.opened) >= event.MaxComms || event.CheckName("comm", said.Comm) != nil {
			return
		}
		c.opened[said.Comm] = request
		if said.Target == lang.WidgetTarget {
			c.widgets[said.Comm] = true
		}
	case lang.CommClose:
		delete(c.opened, said.Comm)
		delete(c.widgets, said.Comm)
	}
}

// echo publishes a state update that the program has begun to handle, before any other effect of
// it, unless the program publishes the echo itself.
func (e *Engine) echo(m *message) {
	id := m.parent.ID
	e.mu.Lock()
	echo, ok := e.comms.echoes[id]
	out := e.comms.out
	delete(e.comms.echoes, id)
	e.mu.Unlock()
	if !ok || out == nil {
		return
	}
	if said, is := commMessage(m); is && said.Comm == echo.Comm && said.Kind == lang.CommData {
		var c change
		if json.Unmarshal(said.Data, &c) == nil && c.Method == "echo_update" {
			return
		}
	}
	out.Comm(echo)
}
