package agent

import (
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
)

const (
	// maxText is how much text one event carries, and how much a shaper collects.
	maxText = 64 << 10
	// maxUpdates is how many displays a shaper collects updates of.
	maxUpdates = 64
)

// shaper makes events of what a run produces. Text and display updates it collects
// until it is flushed; everything else it states at once, and what it has
// collected before that. It knows nothing of time and has one owner.
type shaper struct {
	emit   func(event.Payload) error // waits for space; its error says that the event was not stated
	run    event.RunID
	epoch  event.Epoch
	newID  func() event.OutputID
	limits Limits

	stream  *stream // that text extends; nil when something else came after it
	shown   int     // bytes of text that are stated, about
	tails   []*tail // of the streams, once the limit is reached
	updates []*event.DisplayUpdated
	result  *bundle // that waits for its count
}

// isWaiting reports whether there is something to flush.
func (s *shaper) isWaiting() bool {
	return len(s.updates) > 0 || s.stream != nil && s.stream.fresh > 0
}

// flush states what has been collected. Text goes on in the same output after it.
func (s *shaper) flush() {
	if s.stream != nil {
		s.flushText()
	}
	for _, u := range s.updates {
		_ = s.emit(u) // it is moot if nothing has that id
	}
	s.updates = s.updates[:0]
}

// boundary states what has been collected before something else is.
func (s *shaper) boundary() {
	s.release(0)
	if s.stream != nil {
		s.stream.screen.End()
	}
	s.flush()
	s.stream = nil
}

// add states an output.
func (s *shaper) add(v event.Output) (event.OutputID, error) {
	id := s.newID()
	return id, s.emit(&event.OutputAdded{Output: id, Run: s.run, Epoch: s.epoch, Value: v})
}

// display states a display. An id that no update could name is no id.
func (s *shaper) display(b lang.Bundle, displayID string) {
	s.boundary()
	if v := shapeBundle(b, s.limits.Output); !v.isEmpty() {
		if len(displayID) > event.MaxKey {
			displayID = ""
		}
		_, _ = s.add(event.Output{Kind: event.OutputDisplay, Data: v.data, Metadata: v.metadata, DisplayID: valid(displayID)})
	}
}

// update collects what a display has become, in place of what it had become before.
func (s *shaper) update(displayID string, b lang.Bundle) {
	s.release(0)
	v := shapeBundle(b, s.limits.Output)
	if displayID == "" || len(displayID) > event.MaxKey || v.isEmpty() {
		return
	}
	u := &event.DisplayUpdated{
		DisplayID: valid(displayID), Run: s.run, Epoch: s.epoch, Data: v.data, Metadata: v.metadata,
	}
	for i, old := range s.updates {
		if old.DisplayID == u.DisplayID {
			s.updates[i] = u
			return
		}
	}
	s.updates = append(s.updates, u)
	if len(s.updates) >= maxUpdates {
		s.flush()
	}
}

// hold keeps the run's result until the engine says the run's count, or something
// else is produced: it is nearly always the last.
func (s *shaper) hold(b lang.Bundle) {
	s.boundary()
	if v := shapeBundle(b, s.limits.Output); !v.isEmpty() {
		s.result = &v
	}
}

// release states the result.
func (s *shaper) release(count int) {
	if v := s.result; v != nil {
		s.result = nil
		_, _ = s.add(event.Output{Kind: event.OutputResult, Data: v.data, Metadata: v.metadata, Count: count})
	}
}

// clear states that the outputs are taken away, with which the limit of text
// begins anew.
func (s *shaper) clear(wait bool) {
	s.boundary()
	s.shown, s.tails = 0, nil
	_ = s.emit(&event.OutputsCleared{Run: s.run, Epoch: s.epoch, Wait: wait})
}

// finish states all that is left.
func (s *shaper) finish(count int, failed *event.Error) {
	if s.result == nil {
		s.boundary()
	}
	s.showTails()
	s.release(max(count, 0))
	if failed != nil {
		_, _ = s.add(event.Output{Kind: event.OutputError, Error: failed})
	}
}
