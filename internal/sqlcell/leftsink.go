package sqlcell

import (
	"sync"

	"github.com/quirehq/quire/core/lang"
)

// leftSink is the sink of a run that may be left alone: from then on it drops what comes.
type leftSink struct {
	sink lang.Sink

	mu   sync.Mutex
	busy bool // the sink takes something
	left bool
}

// leave has the sink drop what comes, and reports whether it does: not while it takes something.
func (s *leftSink) leave() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = !s.busy
	return s.left
}

func (s *leftSink) pass(do func()) {
	s.mu.Lock()
	left := s.left
	s.busy = !left
	s.mu.Unlock()
	if left {
		return
	}
	do()
	s.mu.Lock()
	s.busy = false
	s.mu.Unlock()
}

// Stream implements [lang.Sink].
func (s *leftSink) Stream(name, text string) { s.pass(func() { s.sink.Stream(name, text) }) }

// Display implements [lang.Sink].
func (s *leftSink) Display(b lang.Bundle, id string) { s.pass(func() { s.sink.Display(b, id) }) }

// Update implements [lang.Sink].
func (s *leftSink) Update(id string, b lang.Bundle) { s.pass(func() { s.sink.Update(id, b) }) }

// Result implements [lang.Sink].
func (s *leftSink) Result(b lang.Bundle, id string) { s.pass(func() { s.sink.Result(b, id) }) }

// Fail implements [lang.Sink].
func (s *leftSink) Fail(err *lang.Error) { s.pass(func() { s.sink.Fail(err) }) }

// Clear implements [lang.Sink].
func (s *leftSink) Clear(wait bool) { s.pass(func() { s.sink.Clear(wait) }) }
