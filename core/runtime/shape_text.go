package runtime

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/runtime/screen"
)

// stream is the printed text of one output.
type stream struct {
	name    string
	output  event.OutputID // empty until it is appended
	screen  *screen.Screen
	fresh   int  // bytes that were printed since the last flush
	excerpt bool // the output shows a part of a longer text
	said    []byte
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

// whole returns the whole printed text, once it is appended, with an incomplete control
// sequence, and the length of its last line.
func (t *stream) whole(begun string) (all []byte, line int) {
	before := t.said[:bytes.LastIndexByte(t.said, '\n')+1]
	last := t.printed[bytes.LastIndexByte(t.printed, '\n')+1:]
	if shown := t.said[len(before):]; screen.Shown(last) != screen.Shown(shown) {
		last = append(bytes.Clone(shown), begun...) // the cursor was moved to another line
	}
	if t.cut || len(t.printed) == 0 {
		return append(bytes.Clone(before), last...), len(last)
	}
	return t.printed, len(last)
}

// noteSaid applies an appended edit to the copy of the output's text.
func (t *stream) noteSaid(drop int, text string) {
	t.said = append(t.said[:withoutUnits(t.said, drop)], text...)
}

// withoutUnits returns the length of a text without its last n UTF-16 units.
func withoutUnits(text []byte, n int) int {
	end := len(text)
	for end > 0 && n > 0 {
		r, size := utf8.DecodeLastRune(text[:end])
		n -= max(utf16.RuneLen(r), 1)
		end -= size
	}
	return end
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
			s.writeTail(s.tail(name), text)
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
		id, err := s.addText(event.Output{Kind: event.OutputStream, Stream: s.stream.name, Text: text})
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
