// Package screen turns the output of a program into text that grows at its end where
// possible: it is a terminal whose screen is read as text.
//
// A carriage return, a backspace and the cursor movements of progress bars change earlier
// text. The screen returns such a change as an [Edit]: a number of UTF-16 units to drop from
// the end of the text, and the text to append. Colours stay in the text, and every line
// begins and ends without one, so each line can be shown by itself. Other control characters
// and sequences are dropped. A rune takes one column, whatever its width.
package screen

import (
	"strings"
	"unicode/utf8"
)

// The size of the part of the text that can still change. A line that has scrolled out of it
// is final; a longer line continues in the next row.
const (
	Rows    = 100
	Columns = 4096
)

// Edit is a change of a text: Drop UTF-16 units are dropped from its end, and then Text is
// appended.
type Edit struct {
	Drop int
	Text string
}

// Screen is the text of one stream. The zero Screen is empty and ready. A Screen must not
// be copied once it is used.
type Screen struct {
	rows     []line // a ring once it has Rows elements
	head     int    // the index of the first row in the ring
	row, col int    // the cursor
	pen      style

	partial   string // an incomplete control sequence
	swallowed bool   // within a string for the terminal, such as a window's title

	dirty int // the first row that may differ from the edits
	gone  int // units of rows that were removed since the last edit
	edit  edit
}

// Write prints text, which may end within a control sequence but not within a rune.
func (s *Screen) Write(text string) {
	if len(s.rows) == 0 {
		s.rows = append(s.rows, line{})
	}
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	if s.partial != "" {
		text, s.partial = s.partial+text, ""
	}
	for len(text) > 0 {
		if s.swallowed {
			text = s.swallow(text)
			continue
		}
		if n := plain(text); n > 0 {
			s.print(text[:n])
			text = text[n:]
			continue
		}
		n := s.control(text)
		if n == 0 {
			s.partial = text
			return
		}
		text = text[n:]
	}
}

// plain returns the number of bytes before the first control character.
func plain(text string) int {
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\t' || c == 0x7F {
			return i
		}
	}
	return len(text)
}

// Take returns the change since the last call, and whether there is one.
func (s *Screen) Take() (Edit, bool) {
	s.collectEdit()
	e := Edit{Drop: s.edit.drop, Text: string(s.edit.text)}
	s.edit.drop, s.edit.text = 0, s.edit.text[:0]
	return e, e.Drop > 0 || e.Text != ""
}

// End ends the text: it resets the colour, and drops an incomplete control sequence.
func (s *Screen) End() {
	s.pen, s.partial, s.swallowed = style{}, "", false
}

// Shown returns the text that a terminal shows after a text is printed.
func Shown(printed []byte) string {
	var s Screen
	s.Write(string(printed))
	s.End()
	e, _ := s.Take()
	return e.Text
}

// Partial returns the incomplete control sequence.
func (s *Screen) Partial() string { return s.partial }

// at returns a row, counted from the first that can still change.
func (s *Screen) at(i int) *line {
	if i += s.head; i >= len(s.rows) {
		i -= len(s.rows)
	}
	return &s.rows[i]
}

// touch returns a row that is about to change.
func (s *Screen) touch(i int) *line {
	s.dirty = min(s.dirty, i)
	return s.at(i)
}

// print writes text without control characters at the cursor.
func (s *Screen) print(text string) {
	for len(text) > 0 {
		if s.col == Columns {
			s.touch(s.row).soft = true
			s.down()
			s.col = 0
		}
		n, columns := fit(text, Columns-s.col)
		s.touch(s.row).put(s.col, text[:n], columns, s.pen)
		s.col += columns
		text = text[n:]
	}
}

// fit returns the number of bytes and runes of text that fit into some columns.
func fit(text string, columns int) (n, runes int) {
	if len(text) <= columns {
		return len(text), utf8.RuneCountInString(text)
	}
	for n < len(text) && runes < columns {
		_, size := utf8.DecodeRuneInString(text[n:])
		n += size
		runes++
	}
	return n, runes
}

// down moves the cursor to the next row, and adds one if needed.
func (s *Screen) down() {
	if s.row+1 < len(s.rows) {
		s.row++
		return
	}
	s.dirty = min(s.dirty, s.row) // it gets a line end
	if len(s.rows) < Rows {
		s.straighten()
		s.rows = append(s.rows, line{})
		s.row++
		return
	}
	if s.dirty == 0 {
		s.collectEdit()
	}
	s.at(0).reset()
	s.head = (s.head + 1) % Rows
	s.dirty = min(max(s.dirty-1, 0), Rows-2)
}

// straighten moves the ring so that it can grow.
func (s *Screen) straighten() {
	if s.head > 0 {
		s.rows = append(append([]line(nil), s.rows[s.head:]...), s.rows[:s.head]...)
		s.head = 0
	}
}

// collectEdit adds the changes of rows since its last call to the edit.
func (s *Screen) collectEdit() {
	first := s.changed()
	drop := s.gone
	for i := first; i < len(s.rows); i++ {
		drop += s.at(i).unitsSaid(s.same(i, first))
	}
	s.edit.dropUnits(drop)
	for i := first; i < len(s.rows); i++ {
		ln, same := s.at(i), s.same(i, first)
		s.edit.text = ln.appendFrom(s.edit.text, same, s.ending(i))
		ln.say(s.ending(i))
	}
	s.gone, s.dirty = 0, max(len(s.rows)-1, 0)
}

// changed returns the first row that differs from the edits.
func (s *Screen) changed() int {
	for i := s.dirty; i < len(s.rows); i++ {
		s.at(i).calm()
	}
	i := s.dirty
	for i < len(s.rows) && s.at(i).asSaid(s.ending(i)) {
		i++
	}
	return i
}

// same returns the number of unchanged bytes of a row. All rows behind the first changed
// one are repeated, because an edit can only drop the end of the text.
func (s *Screen) same(row, first int) int {
	if row > first {
		return 0
	}
	return s.at(row).common(s.ending(row))
}

// ending returns the text between a row's text and the next row. In the last row a colour
// stays on while the program leaves it on.
func (s *Screen) ending(row int) string {
	ln := s.at(row)
	last := row == len(s.rows)-1
	closed := ln.end != style{} && (!last || s.pen == style{})
	switch {
	case last && closed, ln.soft && closed:
		return plainPen
	case last, ln.soft:
		return ""
	case closed:
		return plainPen + "\n"
	}
	return "\n"
}
