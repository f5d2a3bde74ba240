package agent

import (
	"strings"

	"github.com/quirehq/quire/core/agent/screen"
	"github.com/quirehq/quire/core/event"
)

// stream is printed text that is one output.
type stream struct {
	name   string
	output event.OutputID // empty until it is stated
	screen *screen.Screen
	fresh  int // bytes that were printed since the last flush
}

// write takes printed text.
func (s *shaper) write(name, text string) {
	if text == "" || s.over {
		return
	}
	s.release(0)
	if s.tails != nil {
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

// fits returns how much of a text comes next, and whether the rest is beyond the limit:
// then it ends with a line, if it can. What is not flushed may come to less than was
// printed, as with a progress bar.
func (s *shaper) fits(text string) (n int, full bool) {
	if s.shown+s.stream.fresh+len(text) > s.limits.Stream {
		s.flushText()
	}
	room := max(s.limits.Stream-s.shown-s.stream.fresh, 0)
	if n = prefix(text, min(maxText-s.stream.fresh, room)); n == len(text) || prefix(text, room) > n {
		return n, false
	}
	if line := strings.LastIndexByte(text[:n], '\n') + 1; line > 0 {
		n = line
	}
	return n, true
}

// flushText states how the text has changed.
func (s *shaper) flushText() {
	s.stream.fresh = 0
	if e, ok := s.stream.screen.Take(); ok {
		s.shown = max(s.shown+len(e.Text)-e.Drop, 0)
		s.say(e)
		s.check()
	}
}

// say states an edit of the text. When the output is gone, because a person has
// taken it away, what is new begins another.
func (s *shaper) say(e screen.Edit) {
	for e.Drop > 0 || e.Text != "" {
		n := prefix(e.Text, maxText)
		s.measure.text(n, e.Drop)
		if s.extend(e.Drop, e.Text[:n]) == nil {
			e = screen.Edit{Text: e.Text[n:]}
			continue
		}
		known := s.stream.output != ""
		s.stream.output, s.stream.screen = "", &screen.Screen{}
		if !known {
			return // nothing of this run can be stated any more
		}
		s.stream.screen.Write(e.Text)
		e, _ = s.stream.screen.Take()
	}
}

func (s *shaper) extend(drop int, text string) error {
	if s.stream.output == "" {
		id, err := s.add(event.Output{Kind: event.OutputStream, Stream: s.stream.name, Text: text})
		if err == nil {
			s.stream.output = id
		}
		return err
	}
	return s.emit(&event.OutputAppended{
		Output: s.stream.output, Run: s.run, Epoch: s.epoch, Drop: drop, Text: text,
	})
}
