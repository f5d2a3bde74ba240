package runtime

import (
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
)

const (
	// maxText is the most text of one event, and the most that a shaper collects.
	maxText = 64 << 10
	// maxUpdates is the most displays whose updates a shaper collects.
	maxUpdates = 64
)

// shaper turns the output of a run into events. It collects text and display updates until
// it is flushed; other outputs it appends at once, after the collected ones. It has no
// timers, and one owner.
type shaper struct {
	emit     func(event.Payload) error // waits for space; its error says that the event was not appended
	run      event.RunID
	epoch    event.Epoch
	late     event.CellID // the run's cell when it has ended, else empty
	newID    func() event.OutputID
	limits   Limits
	uploader *uploader                      // nil without a store of artifacts
	scratch  func(Waiting) (Scratch, error) // with a store
	end      func(*limitError)              // ends the run because of its output
	also     func()                         // appends other collected events; may be nil
	hurried  func() bool                    // whether text should go to a file; nil for never

	stream   *stream // extended by text; nil when another output came after it
	shown    int     // bytes of appended text, about
	tails    []*tail // of the streams that exceed the limit
	updates  []update
	result   *bundle // waits for its count
	resultID string  // its display id
	measure  measure
	over     bool // the run was ended because of its output: the rest is dropped
}

// update is the latest value of a display.
type update struct {
	display string
	value   bundle
}

// isWaiting reports whether there is collected output.
func (s *shaper) isWaiting() bool {
	return len(s.updates) > 0 || s.stream != nil && s.stream.fresh > 0
}

// flush appends the collected output. Later text extends the same output.
func (s *shaper) flush() {
	if s.stream != nil {
		s.flushText()
	}
	for _, u := range s.updates {
		v := s.fit(u.value, u.display)
		_ = s.emit(&event.DisplayUpdated{ // it is moot if no output has that id
			DisplayID: u.display, Run: s.run, Epoch: s.epoch, Late: s.late, Data: v.data, Artifacts: v.artifacts, Metadata: v.metadata,
		})
	}
	s.updates = s.updates[:0]
}

// fit returns a bundle for the log: values that are too large become artifacts, or a notice
// replaces them.
func (s *shaper) fit(b bundle, display string) bundle {
	if s.uploader != nil {
		one := s.limits.Inline
		if s.measure.inline > muchInline {
			one = min(one, smallInline)
		}
		if err := s.uploader.uploadLarge(&b, one, s.limits.Output); err != nil {
			b = b.replaced("not stored: " + valid(err.Error()))
			s.endRun(notStored(err))
		}
	}
	b = b.within(s.limits.Output)
	s.measure.bundle(&b, display)
	s.check()
	return b
}

// check ends the run if its output exceeds a limit.
func (s *shaper) check() {
	if excess := s.measure.excess(); excess != nil {
		s.endRun(excess)
	}
}

// endRun ends the run because of its output, once.
func (s *shaper) endRun(why *limitError) {
	if !s.over {
		s.over = true
		s.end(why)
	}
}

// boundary appends the collected output before another output is appended.
func (s *shaper) boundary() {
	s.release(0)
	if s.stream != nil {
		s.stream.screen.End()
	}
	s.flush()
	s.flushAlso()
	s.stream = nil
}

func (s *shaper) flushAlso() {
	if s.also != nil {
		s.also()
	}
}

// add appends an output.
func (s *shaper) add(v event.Output) (event.OutputID, error) {
	id := s.newID()
	s.measure.outputs++
	return id, s.emit(&event.OutputAdded{Output: id, Run: s.run, Epoch: s.epoch, Late: s.late, Value: v})
}

// addBundle appends a value.
func (s *shaper) addBundle(b bundle, v event.Output) {
	b = s.fit(b, v.DisplayID)
	v.Data, v.Artifacts, v.Metadata = b.data, b.artifacts, b.metadata
	_, _ = s.add(v)
}

// display appends a display. An id that no update could name is dropped.
func (s *shaper) display(b lang.Bundle, displayID string) {
	s.boundary()
	if v := cleanBundle(b); !v.isEmpty() && !s.over {
		s.addBundle(v, event.Output{Kind: event.OutputDisplay, DisplayID: usableID(displayID)})
	}
}

// update collects the new value of a display, which replaces a collected one.
func (s *shaper) update(displayID string, b lang.Bundle) {
	s.release(0)
	u := update{display: valid(displayID), value: cleanBundle(b)}
	if displayID == "" || len(displayID) > event.MaxKey || u.value.isEmpty() || s.over {
		return
	}
	for i, old := range s.updates {
		if old.display == u.display {
			s.updates[i] = u
			return
		}
	}
	s.updates = append(s.updates, u)
	if len(s.updates) >= maxUpdates {
		s.flush()
	}
}

// hold keeps the run's result until the engine reports the run's count, or another output
// follows: the result is nearly always the last.
func (s *shaper) hold(b lang.Bundle, displayID string) {
	s.boundary()
	if v := cleanBundle(b); !v.isEmpty() && !s.over {
		s.result, s.resultID = &v, usableID(displayID)
	}
}

// usableID returns a display id, or none if no update could name it.
func usableID(displayID string) string {
	if len(displayID) > event.MaxKey {
		return ""
	}
	return valid(displayID)
}

// release appends the held result.
func (s *shaper) release(count int) {
	if v := s.result; v != nil {
		s.result = nil
		s.addBundle(*v, event.Output{Kind: event.OutputResult, Count: count, DisplayID: s.resultID})
	}
}

// fail appends an error.
func (s *shaper) fail(failed *event.Error) {
	s.boundary()
	if !s.over {
		_, _ = s.add(event.Output{Kind: event.OutputError, Error: failed})
	}
}

// clear appends that the outputs are cleared, and resets the limit of text.
func (s *shaper) clear(wait bool) {
	s.boundary()
	s.dropTails()
	s.shown = 0
	s.measure.clear()
	_ = s.emit(&event.OutputsCleared{Run: s.run, Epoch: s.epoch, Late: s.late, Wait: wait})
}

// flushAll appends all collected output, except a result that waits for its count.
func (s *shaper) flushAll() {
	if s.result == nil {
		s.boundary()
	}
	s.flushAlso()
	s.showTails()
}

// finish appends the result, and the error that ended the run if there is one.
func (s *shaper) finish(count int, failed *event.Error) {
	s.flushAll()
	s.release(max(count, 0))
	if failed != nil {
		_, _ = s.add(event.Output{Kind: event.OutputError, Error: failed})
	}
}
