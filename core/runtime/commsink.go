package runtime

import (
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
)

// between is where an engine says what comes between runs.
type between struct {
	comms  *comms
	engine lang.Commer
}

// Comm implements lang.CommSink.
func (b between) Comm(m lang.CommMessage) {
	b.comms.take(b.comms.whole, speaker{engine: b.engine, before: func() {}}, m)
}

// speaker is whose message it is.
type speaker struct {
	engine lang.Commer
	run    event.RunID // empty between runs
	before func()      // states what was produced before
}

// listen has an engine say what comes between runs.
func (c *comms) listen(engine lang.Engine) {
	if commer, ok := engine.(lang.Commer); ok {
		commer.Comms(between{comms: c, engine: commer})
	}
}

// Comm implements lang.CommSink.
func (s *sink) Comm(m lang.CommMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.comms != nil {
		s.comms.take(s.life, speaker{engine: s.engine, run: s.shaper.run, before: s.flushLocked}, m)
	}
}

// speaks has a sink take what the program of an engine says over comms.
func (s *sink) speaks(c *comms, engine lang.Engine) {
	commer, ok := engine.(lang.Commer)
	if !ok {
		return
	}
	s.comms, s.engine = c, commer
	s.shaper.also = func() { c.flush(s.life, s.done) }
}
