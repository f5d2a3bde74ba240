// Package trace makes keystroke traces: edits of people to a text, from a seed. They type words,
// correct recent input, move elsewhere, delete lines and paste. About three keystrokes in ten
// delete, as in the published trace of the writing of a paper by which editors are compared
// (259,778 edits, 77,463 of them deletions).
package trace

import (
	"math/rand/v2"

	"github.com/quirehq/quire/core/text"
)

// Writer is one person who edits a text. Next returns one keystroke after another; Shift moves the
// caret over an edit of another writer.
type Writer struct {
	rand  *rand.Rand
	caret int
	run   int // keystrokes left of the current activity
	doing action
}

type action uint8

const (
	typing action = iota
	erasing
)

// New returns a writer with keystrokes determined by the seed.
func New(seed uint64) *Writer {
	return &Writer{rand: rand.New(rand.NewPCG(seed, 0x7ace))}
}

// Next returns the next edit of a text of n UTF-16 code units. Every edit is one
// keystroke, or one command such as a paste.
func (w *Writer) Next(n int) text.Edit {
	w.caret = min(w.caret, n)
	if w.run == 0 {
		w.decide(n)
	}
	w.run--
	if w.doing == erasing && w.caret > 0 {
		w.caret--
		return text.Delete(w.caret, 1)
	}
	return w.insert(w.key())
}

// decide begins a new activity: usually more typing at the caret.
func (w *Writer) decide(n int) {
	w.doing, w.run = typing, 4+w.rand.IntN(40)
	switch p := w.rand.IntN(100); {
	case p < 45:
		w.doing, w.run = erasing, 1+w.rand.IntN(23)
	case p < 60:
		w.caret = w.rand.IntN(n + 1)
	}
}

func (w *Writer) key() string {
	const letters = "eeeetttaaooiinnsshhrrddlcumwfgypbvk"
	switch p := w.rand.IntN(100); {
	case p < 17:
		return " "
	case p < 20:
		return "\n"
	case p == 20:
		return "é"
	default:
		return string(letters[w.rand.IntN(len(letters))])
	}
}

func (w *Writer) insert(s string) text.Edit {
	edit := text.Insert(w.caret, s)
	w.caret = edit.Position(w.caret, text.After)
	return edit
}

// Command returns an edit other than a keystroke: a paste, or the deletion of a line. Real traces
// have one in a few hundred edits.
func (w *Writer) Command(n int) text.Edit {
	w.caret = min(w.caret, n)
	if n > 400 && w.rand.IntN(2) == 0 {
		w.caret = w.rand.IntN(n - 80)
		return text.Delete(w.caret, 1+w.rand.IntN(80))
	}
	paste := make([]byte, 20+w.rand.IntN(100))
	for i := range paste {
		paste[i] = byte('a' + w.rand.IntN(26))
	}
	return w.insert(string(paste))
}

// Any returns the next edit, which is a command at times.
func (w *Writer) Any(n int) text.Edit {
	if w.rand.IntN(300) == 0 {
		return w.Command(n)
	}
	return w.Next(n)
}

// Shift moves the caret over an edit of another writer.
func (w *Writer) Shift(e text.Edit) { w.caret = e.Position(w.caret, text.Before) }
