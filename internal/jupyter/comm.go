package jupyter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
)

var _ lang.Commer = (*Engine)(nil)

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
	if err := e.unfitLocked(); err != nil && !errors.Is(err, lang.ErrBusy) {
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

// maxComms bounds the bytes that wait for the program.
const maxComms = 8 << 20

// comms is what the engine knows of comms. The engine's mutex guards it.
type comms struct {
	out     lang.CommSink // where messages go between runs; nil for nowhere
	queue   []lang.CommMessage
	waiting int                         // bytes in the queue
	wake    chan struct{}               // of one: there may be something to send
	widgets map[string]bool             // the comms that are open and have a state
	opened  map[string]string           // the requests of the runs that opened comms
	sent    map[string]string           // those, by the ids of messages that are handled
	echoes  map[string]lang.CommMessage // what the program may still say itself, by the id of the message
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

// sizeOf is about what a message takes.
func sizeOf(m *lang.CommMessage) int {
	const overhead = 128
	size := overhead + len(m.Data)
	for _, b := range m.Buffers {
		size += len(b)
	}
	return size
}

// speak sends what waits for the program, as long as no run goes on.
func (e *Engine) speak(l *link) {
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

// nextToSend returns the next message if it can be sent now, and notes the change of a
// state that it makes.
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
	if err != nil { // it is no JSON, so nobody could read it
		e.comms.wakeLocked()
		return nil
	}
	e.comms.sent[id] = e.comms.opened[m.Comm]
	if echo, ok := echoOf(&m); ok && e.comms.widgets[m.Comm] {
		e.comms.echoes[id] = echo
	}
	return append(parts, m.Buffers...)
}

// change is what a message of a widget has.
type change struct {
	Method  string          `json:"method"`
	State   json.RawMessage `json:"state,omitempty"`
	Buffers json.RawMessage `json:"buffer_paths,omitempty"`
}

// echoOf returns how a change of a state is said again by who has taken it over.
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

// commMessage reads what a kernel says over a comm; ok is false for other messages.
func commMessage(m *message) (said lang.CommMessage, ok bool) {
	switch m.header.Type {
	case "comm_open":
		said.Kind = lang.CommOpen
		_ = unmarshal(m.metadata, &said.Metadata) // what is damaged says nothing
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

// saidOver passes on what a program says over a comm. What it says because something
// was sent to it is of no run, though the next may have begun for us.
func (e *Engine) saidOver(r *run, m *message, said lang.CommMessage) {
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

// note notes which comms are open, and which request's run opened each. Of more than can be shown
// it notes nothing: nothing is sent over those.
func (c *comms) note(said lang.CommMessage, request string) {
	switch said.Kind {
	case lang.CommOpen:
		_, again := c.opened[said.Comm]
		if !again && len(c.opened) >= event.MaxComms || event.CheckName("comm", said.Comm) != nil {
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

// echo says a change of a state that the program has begun to handle: before all else
// that comes of it, unless that is the program's own word for it.
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
