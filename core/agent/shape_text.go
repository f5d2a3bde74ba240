package agent

import (
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
	if text == "" {
		return
	}
	s.release(0)
	if s.tails != nil {
		s.tail(name).write(text)
		return
	}
	if s.stream == nil || s.stream.name != name {
		s.boundary()
		s.stream = &stream{name: name, screen: &screen.Screen{}}
	}
	for len(text) > 0 {
		n := s.fits(text)
		if n == 0 {
			s.tail(name).write(text)
			return
		}
		s.stream.screen.Write(text[:n])
		if s.stream.fresh += n; s.stream.fresh >= maxText {
			s.flushText()
		}
		text = text[n:]
	}
}

// fits returns how much of a text can be shown before the limit. What is not
// flushed may come to less than was printed, as with a progress bar.
func (s *shaper) fits(text string) int {
	if s.shown+s.stream.fresh+len(text) > s.limits.Stream {
		s.flushText()
	}
	return prefix(text, min(maxText-s.stream.fresh, max(s.limits.Stream-s.shown-s.stream.fresh, 0)))
}

// flushText states how the text has changed.
func (s *shaper) flushText() {
	s.stream.fresh = 0
	if e, ok := s.stream.screen.Take(); ok {
		s.shown = max(s.shown+len(e.Text)-e.Drop, 0)
		s.say(e)
	}
}

// say states an edit of the text. When the output is gone, because a person has
// taken it away, what is new begins another.
func (s *shaper) say(e screen.Edit) {
	for e.Drop > 0 || e.Text != "" {
		n := prefix(e.Text, maxText)
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
