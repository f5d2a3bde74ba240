package runtime

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/quirehq/quire/core/bytesize"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/runtime/screen"
	"github.com/quirehq/quire/core/text"
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

// stream is the printed text of one output.
type stream struct {
	name     string                     // empty for Markdown
	metadata map[string]json.RawMessage // of Markdown
	output   event.OutputID             // empty until it is appended
	screen   *screen.Screen
	fresh    int  // bytes that were printed since the last flush
	excerpt  bool // the output shows a part of a longer text
	said     []byte
	// printed is the printed text, or its end once it is much longer than the shown text.
	printed []byte
	cut     bool
}

// keep adds printed text. A progress bar may print far more than it shows: then the shown
// text stands for all but the last line.
func (t *stream) keep(text string, most int) {
	t.printed = append(t.printed, text...)
	if len(t.printed) <= most {
		return
	}
	t.cut = true
	at := bytes.LastIndexByte(t.printed, '\n') + 1
	at = max(at, bytes.LastIndexByte(t.printed, '\r'), len(t.printed)-most)
	t.printed = append(t.printed[:0], t.printed[at:]...)
}

// noteSaid applies an appended edit to the copy of the output's text.
func (t *stream) noteSaid(drop int, added string) {
	t.said = append(t.said[:text.WithoutUTF16(t.said, drop)], added...)
}

// write handles printed text.
func (s *shaper) write(name, text string) {
	if text == "" || s.over {
		return
	}
	s.release(0)
	if s.tails != nil || s.hurried != nil && s.hurried() {
		s.writeTail(s.tail(name), text)
		return
	}
	if s.stream == nil || s.stream.name != name {
		s.boundary()
		s.stream = &stream{name: name, screen: &screen.Screen{}}
	}
	s.writeStream(text)
}

// writeMarkdown handles text of an answer. Its output is a stream without a name.
func (s *shaper) writeMarkdown(text string, metadata map[string]json.RawMessage) {
	if text == "" || s.over {
		return
	}
	s.release(0)
	if s.tails != nil {
		s.writeTail(s.tail(lang.Stdout), text)
		return
	}
	if s.stream == nil || s.stream.name != "" {
		s.boundary()
		s.stream = &stream{screen: &screen.Screen{}, metadata: metadata}
	}
	s.writeStream(text)
}

// writeStream adds text to the current stream.
func (s *shaper) writeStream(text string) {
	for len(text) > 0 {
		n, full := s.fits(text)
		s.stream.screen.Write(text[:n])
		if s.uploader != nil {
			s.stream.keep(text[:n], 2*s.limits.Stream)
		}
		if s.stream.fresh += n; s.stream.fresh >= maxText {
			s.flushText()
		}
		text = text[n:]
		if full {
			s.writeTail(s.tail(cmp.Or(s.stream.name, lang.Stdout)), text)
			return
		}
	}
}

// fits returns the length of the next part of a text, and whether the rest exceeds the
// limit. It flushes first, since printed text may come to less, as with a progress bar.
func (s *shaper) fits(text string) (n int, full bool) {
	if s.shown+s.stream.fresh+len(text) > s.limits.Stream {
		s.flushText()
	}
	room := max(s.limits.Stream-s.shown-s.stream.fresh, 0)
	if n = prefix(text, min(maxText-s.stream.fresh, room)); n == len(text) || prefix(text, room) > n {
		return n, false
	}
	if line := strings.LastIndexByte(text[:n], '\n') + 1; line > 0 {
		n = line // the incomplete line goes to the tail, instead of being appended and dropped again
	}
	return n, true
}

// flushText appends the changes of the text.
func (s *shaper) flushText() {
	s.stream.fresh = 0
	if e, ok := s.stream.screen.Take(); ok {
		s.shown = max(s.shown+len(e.Text)-e.Drop, 0)
		s.appendEdit(e)
		s.check()
	}
}

// appendEdit appends an edit of the text. When a user has cleared the output, the new text
// begins another.
func (s *shaper) appendEdit(e screen.Edit) {
	for e.Drop > 0 || e.Text != "" {
		n := prefix(e.Text, maxText)
		s.measure.text(n, e.Drop)
		if s.appendText(e.Drop, e.Text[:n]) == nil {
			s.stream.noteSaid(e.Drop, e.Text[:n])
			e = screen.Edit{Text: e.Text[n:]}
			continue
		}
		known := s.stream.output != ""
		s.stream.output, s.stream.screen, s.stream.said, s.stream.cut = "", &screen.Screen{}, nil, true
		if !known {
			return // no event of this run can be appended any more
		}
		s.stream.screen.Write(e.Text)
		e, _ = s.stream.screen.Take()
	}
}

func (s *shaper) appendText(drop int, text string) error {
	if s.stream.output == "" {
		v := event.Output{Kind: event.OutputStream, Stream: s.stream.name, Text: text}
		if s.stream.name == "" {
			v = event.Output{Kind: event.OutputMarkdown, Metadata: s.stream.metadata, Text: text}
		}
		id, err := s.addText(v)
		if err == nil {
			s.stream.output = id
		}
		return err
	}
	return s.emit(&event.OutputAppended{
		Output: s.stream.output, Run: s.run, Epoch: s.epoch, Late: s.late, Drop: drop, Text: text, Excerpt: s.stream.excerpt,
	})
}

// addText appends the text of the stream as a new output.
func (s *shaper) addText(v event.Output) (event.OutputID, error) {
	id := s.newID()
	s.measure.outputs++
	return id, s.emit(&event.OutputAdded{Output: id, Run: s.run, Epoch: s.epoch, Late: s.late, Value: v, Excerpt: s.stream.excerpt})
}

const (
	// maxOutputs is the most outputs of a run, however small: each takes memory in every
	// replica. A run that exceeds it is ended.
	maxOutputs = 100_000
	// muchInline is the size of a run's outputs in the log from which only values smaller
	// than smallInline are added to it.
	muchInline  = 8 << 20
	smallInline = 4 << 10
)

// The names of the errors that end a run because of its output.
const (
	OutputLimit = "OutputLimit" // it exceeded a limit
	NotStored   = "NotStored"   // the store of artifacts, or the disk, did not take it
)

// limitError ends a run because of its output.
type limitError struct {
	name, message string
	cause         event.Cause
	limit, value  string // the exceeded limit, empty if there is none
}

// Error returns the message.
func (t *limitError) Error() string { return t.message }

// shown returns the error as an output has it.
func (t *limitError) shown() *event.Error { return &event.Error{Name: t.name, Message: t.message} }

func outputLimit(limit, value, format string) *limitError {
	return &limitError{OutputLimit, fmt.Sprintf(format, value), event.CauseOutputLimit, limit, value}
}

func notStored(err error) *limitError {
	return &limitError{name: NotStored, cause: event.CauseNotStored, message: valid("an output could not be stored: " + err.Error())}
}

// measure counts the output of a run.
type measure struct {
	limits    Limits
	elsewhere int64 // bytes of the notebook's other outputs
	produced  int64 // bytes that left the runtime, or will
	inline    int64 // bytes of them that are in the folded notebook
	outputs   int
	displays  map[string]int64 // bytes inline, by display id
}

// excess returns the limit that is exceeded, nil if none is.
func (m *measure) excess() *limitError {
	switch {
	case m.produced > m.limits.RunOutput:
		return outputLimit("output", bytesize.Text(m.limits.RunOutput), "the run produced more than %s, which is the limit of its output (--output, QUIRE_OUTPUT)")
	case m.elsewhere+m.inline > m.limits.NotebookOutput:
		return outputLimit("notebook-output", bytesize.Text(m.limits.NotebookOutput), "the notebook's outputs hold more than %s, which is the limit (--notebook-output, QUIRE_NOTEBOOK_OUTPUT): "+
			"clear some outputs")
	case m.outputs > maxOutputs:
		return outputLimit("outputs", strconv.Itoa(maxOutputs), "the run has more than %s outputs, which is the limit: update a display instead of adding one")
	}
	return nil
}

// text counts added and dropped text.
func (m *measure) text(added, dropped int) {
	m.produced += int64(added)
	m.inline = max(m.inline+int64(added-dropped), 0)
}

// bundle counts a value, which replaces the earlier one with its display id.
func (m *measure) bundle(b *bundle, display string) {
	inline := int64(bundleLen(b.data) + bundleLen(b.metadata))
	m.produced += inline
	for _, a := range b.artifacts {
		m.produced += a.Size
	}
	m.inline += inline
	if display == "" {
		return
	}
	if m.displays == nil {
		m.displays = map[string]int64{}
	}
	m.inline -= m.displays[display]
	m.displays[display] = inline
}

// clear resets the count of shown output.
func (m *measure) clear() { m.inline, m.displays = 0, nil }
