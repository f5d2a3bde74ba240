package runtime

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/internal/ctxmutex"
	"github.com/quirehq/quire/core/lang"
)

const (
	// maxCommUpdates is the most comms whose updates are collected.
	maxCommUpdates = 64
	// maxCommBytes is the most bytes of collected updates.
	maxCommBytes = 8 << 20
	// maxCommEvent is the largest event of a comm.
	maxCommEvent = 4 << 20
)

// comms appends the comm messages of a runtime's programs. It collects state updates, merged
// by their keys, and appends them at most once an interval; other messages it appends at
// once, after the collected updates.
type comms struct {
	rt       *Runtime
	most     int // the largest event
	mostOpen int // the most open comms

	openMu sync.Mutex // guards open, which is read while mu is held for long
	open   map[event.CommID]openComm

	mu          ctxmutex.Mutex
	runtimeLife context.Context      // ends with the runtime
	full        bool                 // it was reported that no more comms fit
	updates     []*event.CommUpdated // collected, one per comm, in order of arrival
	bytes       int                  // size of the updates
	pace        pace
	// life is that of the last source of updates: a run's sink, or the runtime. When it ends
	// no event is appended any more, and no call waits.
	life context.Context
}

func newComms(rt *Runtime) *comms {
	return &comms{rt: rt, most: maxCommEvent, mostOpen: event.MaxComms, open: map[event.CommID]openComm{}, mu: ctxmutex.New()}
}

// start sets the context that ends with the runtime.
func (c *comms) start(life context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.runtimeLife = life
}

// openComm is an open comm of a program.
type openComm struct {
	engine   lang.Engine
	isWidget bool
}

// send delivers a message to the program.
func (o openComm) send(life context.Context, m lang.CommMessage) error {
	return o.engine.Abilities().Commer.Send(life, m)
}

// receive appends a message of a program, or collects it.
func (c *comms) receive(life context.Context, by commSource, m lang.CommMessage) {
	known, ok := c.find(event.CommID(m.Comm))
	if !ok && m.Kind != lang.CommOpen {
		return // it is closed, or was not opened, which was reported
	}
	if known.isWidget && m.Kind == lang.CommData {
		if u := c.update(m); u != nil {
			c.collect(life, u)
			return
		}
	}
	by.before()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.flushLocked(life, false)
	id := event.CommID(m.Comm)
	switch m.Kind {
	case lang.CommOpen:
		c.openLocked(life, by, m)
	case lang.CommData:
		_ = c.appendLocked(life, &event.CommSent{Comm: id, Epoch: c.rt.epoch, Content: value(m.Data), Buffers: loose(m)}, false)
	case lang.CommClose:
		_ = c.appendLocked(life, &event.CommClosed{Comm: id, Epoch: c.rt.epoch, Content: value(m.Data)}, false)
		c.forget(func(other event.CommID, _ openComm) bool { return other == id })
	}
}

// openLocked appends the opening of a comm; that of a widget has a state. A comm beyond the
// limit is left out with all its messages, which is reported once until there is space again.
func (c *comms) openLocked(life context.Context, by commSource, m lang.CommMessage) {
	if !c.fits(event.CommID(m.Comm)) {
		if !c.full {
			c.rt.cfg.Trouble(fmt.Errorf("comms of programs are left out: %d are open, and no more fit: close some, or restart the runtime", c.mostOpen))
		}
		c.full = true
		return
	}
	c.full = false
	p := &event.CommOpened{
		Comm: event.CommID(m.Comm), Target: valid(m.Target), Run: by.run, Epoch: c.rt.epoch, Metadata: cleanMap(m.Metadata),
	}
	w := readWidget(m.Data)
	isWidget := m.Target == lang.WidgetTarget && w.State != nil // versions before 7 have another protocol
	if isWidget {
		p.State, p.Buffers = cleanMap(w.State), placed(m, w.BufferPaths)
	} else {
		p.Data, p.Buffers = value(m.Data), loose(m)
	}
	if c.appendLocked(life, p, false) {
		c.openMu.Lock()
		defer c.openMu.Unlock()
		c.open[p.Comm] = openComm{engine: by.engine, isWidget: isWidget}
	}
}

// update returns the state update of a message, nil if it has none.
func (c *comms) update(m lang.CommMessage) *event.CommUpdated {
	w := readWidget(m.Data)
	if w.Method != methodUpdate && w.Method != methodEcho {
		return nil
	}
	return &event.CommUpdated{
		Comm: event.CommID(m.Comm), Epoch: c.rt.epoch, State: cleanMap(w.State), Buffers: placed(m, w.BufferPaths),
	}
}

// appendLocked appends an event, with its large buffers as artifacts, and reports whether it
// could. An event that is malformed or too large is reported.
func (c *comms) appendLocked(life context.Context, p event.Payload, held bool) bool {
	if err := errors.Join(c.store(life, buffersIn(p)), c.check(p)); err != nil {
		c.rt.cfg.Trouble(fmt.Errorf("a message of a program's widget is left out: %w", err))
		return false
	}
	return c.rt.out.emit(life, p, held) == nil
}

// check returns the reason why an event cannot be appended.
func (c *comms) check(p event.Payload) error {
	if err := p.Check(); err != nil {
		return fmt.Errorf("%s: %w", p.Type(), err)
	}
	if n := size(p); n > c.most {
		return fmt.Errorf("%s has %d bytes, and at most %d fit", p.Type(), n, c.most)
	}
	return nil
}

// collect collects an update, merged with an earlier one of its comm.
func (c *comms) collect(life context.Context, u *event.CommUpdated) {
	if len(u.State)+len(u.Buffers) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.life = life
	c.addLocked(u)
	if len(c.updates) >= maxCommUpdates || c.bytes > maxCommBytes {
		c.flushLocked(life, false)
		return
	}
	c.paceLocked()
}

func (c *comms) addLocked(u *event.CommUpdated) {
	for _, old := range c.updates {
		if old.Comm == u.Comm {
			c.bytes -= size(old)
			merge(old, u)
			c.bytes += size(old)
			return
		}
	}
	c.updates = append(c.updates, u)
	c.bytes += size(u)
}

// paceLocked appends the collected updates, or sets a timer for that.
func (c *comms) paceLocked() {
	pressed := func() bool { return c.rt.out.isPressed(c.life) }
	if len(c.updates) > 0 && c.pace.due(pressed, c.tick) {
		c.flushLocked(c.life, false)
	}
}

func (c *comms) tick() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pace.ticked()
	c.paceLocked()
}

// flush appends the collected updates. Held ones are sent with the next event, as the end of
// a run.
func (c *comms) flush(life context.Context, held bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.flushLocked(life, held)
}

func (c *comms) flushLocked(life context.Context, held bool) {
	if len(c.updates) == 0 {
		return
	}
	for _, u := range c.updates {
		_ = c.appendLocked(life, u, held)
	}
	c.updates, c.bytes = nil, 0
	c.pace.appended()
}

// closeLost appends the loss of all comms of an engine whose program has ended.
func (c *comms) closeLost(engine lang.Engine) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.flushLocked(c.runtimeLife, false)
	lost := c.forget(func(_ event.CommID, o openComm) bool { return o.engine == engine })
	for some := range slices.Chunk(lost, event.MaxBatch) {
		_, _ = c.rt.out.append(&event.CommsLost{Epoch: c.rt.epoch, Comms: some}) // it is moot if the runtime was displaced
	}
}

// forget removes open comms, and returns them in order.
func (c *comms) forget(which func(event.CommID, openComm) bool) (gone []event.CommID) {
	c.openMu.Lock()
	defer c.openMu.Unlock()
	for id, o := range c.open {
		if which(id, o) {
			gone = append(gone, id)
			delete(c.open, id)
		}
	}
	slices.Sort(gone)
	return gone
}

// fits reports whether one more comm may be open.
func (c *comms) fits(id event.CommID) bool {
	c.openMu.Lock()
	defer c.openMu.Unlock()
	_, again := c.open[id]
	return again || len(c.open) < c.mostOpen
}

// find returns an open comm.
func (c *comms) find(id event.CommID) (openComm, bool) {
	c.openMu.Lock()
	defer c.openMu.Unlock()
	o, ok := c.open[id]
	return o, ok
}

// finish appends the collected updates as the runtime ends.
func (c *comms) finish() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pace.stop()
	for _, u := range c.updates {
		if c.check(u) == nil {
			_, _ = c.rt.out.append(u) // it is moot if the runtime was displaced
		}
	}
	c.updates = nil
}

// value returns a JSON value, or none if it is malformed.
func value(raw json.RawMessage) json.RawMessage {
	if !json.Valid(raw) {
		return nil
	}
	return raw
}

// idleComms receives the comm messages of an engine between runs.
type idleComms struct {
	comms  *comms
	engine lang.Engine
}

// Comm implements lang.CommSink.
func (b idleComms) Comm(m lang.CommMessage) {
	b.comms.receive(b.comms.runtimeLife, commSource{engine: b.engine, before: func() {}}, m)
}

// commSource is the source of a comm message.
type commSource struct {
	engine lang.Engine
	run    event.RunID // empty between runs
	before func()      // appends earlier outputs
}

// listen subscribes to the comm messages of an engine between runs.
func (c *comms) listen(engine lang.Engine) {
	if commer := engine.Abilities().Commer; commer != nil {
		commer.Comms(idleComms{comms: c, engine: engine})
	}
}

// Comm implements lang.CommSink.
func (s *sink) Comm(m lang.CommMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.comms != nil {
		s.comms.receive(s.life, commSource{engine: s.engine, run: s.shaper.run, before: s.flushLocked}, m)
	}
}

// takeComms makes a sink receive the comm messages of an engine's program.
func (s *sink) takeComms(c *comms, engine lang.Engine) {
	if engine.Abilities().Commer == nil {
		return
	}
	s.comms, s.engine = c, engine
	s.shaper.also = func() { c.flush(s.life, s.done) }
}

// The methods of a widget's messages that change its state. With the second a program
// echoes a state that a user has set.
const (
	methodUpdate = "update"
	methodEcho   = "echo_update"
)

// widget is the data of a widget's message.
type widget struct {
	Method      string                     `json:"method"`
	State       map[string]json.RawMessage `json:"state"`
	BufferPaths [][]json.RawMessage        `json:"buffer_paths"`
}

func readWidget(data json.RawMessage) (w widget) {
	_ = json.Unmarshal(data, &w) // data of another shape has no state
	return w
}

// loose returns the buffers of a message.
func loose(m lang.CommMessage) (list []event.Buffer) {
	for _, data := range m.Buffers {
		list = append(list, event.Buffer{Data: base64.StdEncoding.EncodeToString(data)})
	}
	return list
}

// placed returns the buffers of a message with their paths in a state. Buffers without a
// path are dropped.
func placed(m lang.CommMessage, paths [][]json.RawMessage) []event.Buffer {
	list := loose(m)
	list = list[:min(len(list), len(paths))]
	for i := range list {
		list[i].Path = paths[i]
	}
	return list
}

// store makes artifacts of large buffers, if there is a store.
func (c *comms) store(life context.Context, buffers []event.Buffer) error {
	cfg := &c.rt.cfg
	for i := range buffers {
		b := &buffers[i]
		if cfg.Artifacts == nil || len(b.Data) <= cfg.Limits.Inline {
			continue
		}
		data, err := base64.StdEncoding.DecodeString(b.Data)
		if err != nil {
			return fmt.Errorf("decode a buffer: %w", err)
		}
		a, err := cfg.Artifacts.Put(life, bytes.NewReader(data))
		if err != nil {
			return fmt.Errorf("store %d bytes: %w", len(data), err)
		}
		b.Data, b.Artifact = "", &a
	}
	return nil
}

// buffersIn returns the buffers of an event.
func buffersIn(p event.Payload) []event.Buffer {
	switch p := p.(type) {
	case *event.CommOpened:
		return p.Buffers
	case *event.CommUpdated:
		return p.Buffers
	case *event.CommSent:
		return p.Buffers
	}
	return nil
}

// merge merges a later update into an update.
func merge(u, later *event.CommUpdated) {
	replaced := map[string]bool{}
	for key := range later.State {
		replaced[key] = true
	}
	for i := range later.Buffers {
		if key, ok := later.Buffers[i].Key(); ok {
			replaced[key] = true
		}
	}
	maps.DeleteFunc(u.State, func(key string, _ json.RawMessage) bool { return replaced[key] })
	u.Buffers = slices.DeleteFunc(u.Buffers, func(b event.Buffer) bool {
		key, _ := b.Key()
		return replaced[key]
	})
	if u.State == nil {
		u.State = map[string]json.RawMessage{}
	}
	maps.Copy(u.State, later.State)
	u.Buffers = append(u.Buffers, later.Buffers...)
}

// cleanMap returns the values that are JSON.
func cleanMap(m map[string]json.RawMessage) map[string]json.RawMessage {
	maps.DeleteFunc(m, func(_ string, raw json.RawMessage) bool { return value(raw) == nil })
	return m
}
