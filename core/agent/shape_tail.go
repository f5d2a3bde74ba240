package agent

import (
	"fmt"
	"unicode/utf8"

	"github.com/quirehq/quire/core/agent/screen"
)

// tail is the end of a stream of which no more is shown until the run ends.
type tail struct {
	stream
	limit   int
	kept    []byte
	dropped int
	notice  string // stands where the tail will be
}

// tail returns the tail of a stream, which begins with a notice.
func (s *shaper) tail(name string) *tail {
	for _, t := range s.tails {
		if t.name == name {
			return t
		}
	}
	s.boundary()
	t := &tail{stream: stream{name: name, screen: &screen.Screen{}}, limit: s.limits.Tail}
	t.notice = fmt.Sprintf("… the run has printed %d bytes; of what follows the end is shown when it has ended …\n", s.shown)
	s.tails = append(s.tails, t)
	s.stream = &t.stream
	s.say(screen.Edit{Text: t.notice})
	s.stream = nil
	return t
}

func (t *tail) write(text string) {
	t.kept = append(t.kept, text...)
	if len(t.kept) >= 2*t.limit {
		t.trim()
	}
}

// trim drops what is before the end that is kept, in whole runes.
func (t *tail) trim() {
	cut := max(len(t.kept)-t.limit, 0)
	for cut < len(t.kept) && !utf8.RuneStart(t.kept[cut]) {
		cut++
	}
	t.dropped += cut
	t.kept = append(t.kept[:0], t.kept[cut:]...)
}

// text returns what is shown of the tail, with a line that says what is not.
func (t *tail) text() string {
	t.trim()
	var s screen.Screen
	s.Write(string(t.kept))
	s.End()
	e, _ := s.Take()
	if t.dropped == 0 {
		return e.Text
	}
	return fmt.Sprintf("… %d bytes not shown …\n", t.dropped) + e.Text
}

// showTails states the tails in the places of their notices.
func (s *shaper) showTails() {
	for _, t := range s.tails {
		s.stream = &t.stream
		s.say(screen.Edit{Drop: utf16Len(t.notice), Text: t.text()})
	}
	s.stream, s.tails = nil, nil
}

// utf16Len returns the length of a text in UTF-16 units.
func utf16Len(text string) int {
	n := 0
	for _, r := range text {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}
