package scheme

import "fmt"

// textIn is a text that is read rune by rune, with the line and the UTF-16 column of the next one.
type textIn struct {
	runes []rune
	at    int
	pos   pos
	more  func() ([]rune, error) // the next part of the text, empty at its end; nil if runes is all
	last  bool                   // more has returned nothing
}

// pos is a position in a source, from 1; the column counts UTF-16 units. The zero pos is unknown.
type pos struct{ line, column int32 }

func newTextIn(text []rune) *textIn { return &textIn{runes: text, pos: pos{1, 1}} }

// peek returns the next rune without taking it, and false at the end.
func (t *textIn) peek() (rune, bool, error) {
	for t.at == len(t.runes) {
		if t.more == nil || t.last {
			return 0, false, nil
		}
		part, err := t.more()
		if err != nil {
			return 0, false, err
		}
		if len(part) == 0 {
			t.last = true
		}
		t.runes, t.at = part, 0
	}
	return t.runes[t.at], true, nil
}

// next takes the next rune.
func (t *textIn) next() (rune, bool, error) {
	r, ok, err := t.peek()
	if ok {
		t.at++
		switch {
		case r == '\n':
			t.pos = pos{t.pos.line + 1, 1}
		case r > 0xFFFF:
			t.pos.column += 2
		default:
			t.pos.column++
		}
	}
	return r, ok, err
}

// ready reports whether a rune, or the end, can be had without asking for more.
func (t *textIn) ready() bool { return t.at < len(t.runes) || t.more == nil || t.last }

func (p pos) String() string { return fmt.Sprintf("line %d, column %d", p.line, p.column) }
