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
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/quirehq/quire/core/text"
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

// edit is an [Edit] into which later ones are composed.
type edit struct {
	drop int
	text []byte
}

// dropUnits drops units from the end, first of the edit's own text.
func (e *edit) dropUnits(n int) {
	kept := text.WithoutUTF16(e.text, n)
	e.drop += n - text.UTF16Len(e.text[kept:])
	e.text = e.text[:kept]
}

// line is one row. While text is only appended to it, it is a text; for other changes it is
// split into cells until its changes are next taken.
type line struct {
	text    []byte // with the sequences that change colours, from no colour
	columns int
	end     style // of the last column
	soft    bool  // it continues in the next row, without a line end

	cells   []cell // instead of text, while apart
	isApart bool

	// The line as the edits have it: said, or text[:saidN] if that is nil, and the ending.
	said   []byte
	saidN  int
	ending string
}

// cell is a column of a row.
type cell struct {
	char rune
	style
}

// reset makes the line empty and not part of any edit yet.
func (l *line) reset() { *l = line{text: l.text[:0]} }

// put writes text of a number of columns at a column.
func (l *line) put(col int, text string, columns int, pen style) {
	if !l.isApart && col == l.columns {
		l.text = append(appendChange(l.text, l.end, pen), text...)
		l.columns, l.end = l.columns+columns, pen
		return
	}
	l.takeApart()
	l.pad(col)
	for _, char := range text {
		c := cell{char: char, style: pen}
		if col < len(l.cells) {
			l.cells[col] = c
		} else {
			l.cells = append(l.cells, c)
		}
		col++
	}
	l.measure()
}

// cut removes the text from a column on.
func (l *line) cut(col int) {
	l.soft = false
	if col >= l.columns {
		return
	}
	l.takeApart()
	l.cells = l.cells[:col]
	l.measure()
}

func (l *line) pad(col int) {
	for len(l.cells) < col {
		l.cells = append(l.cells, cell{char: ' '})
	}
}

func (l *line) measure() {
	l.columns, l.end = len(l.cells), style{}
	if l.columns > 0 {
		l.end = l.cells[l.columns-1].style
	}
}

// takeApart splits the text into cells.
func (l *line) takeApart() {
	if l.isApart {
		return
	}
	l.isApart = true
	if l.said == nil {
		l.said = bytes.Clone(l.text[:l.saidN])
	}
	l.cells = l.cells[:0]
	var pen style
	for text := l.text; len(text) > 0; {
		if text[0] == escape {
			n := bytes.IndexByte(text, 'm')
			pen.apply(string(text[len("\x1b["):n]))
			text = text[n+1:]
			continue
		}
		char, size := utf8.DecodeRune(text)
		l.cells = append(l.cells, cell{char: char, style: pen})
		text = text[size:]
	}
}

// calm joins the cells to a text again.
func (l *line) calm() {
	if !l.isApart {
		return
	}
	l.isApart = false
	l.text = l.text[:0]
	var pen style
	for _, c := range l.cells {
		l.text = utf8.AppendRune(appendChange(l.text, pen, c.style), c.char)
		pen = c.style
	}
	if cap(l.cells) > keepCells {
		l.cells = nil
	}
}

// keepCells is the capacity of cells that a line keeps: enough for a progress bar.
const keepCells = 256

// asSaid reports whether the line and its ending are as the edits have them.
func (l *line) asSaid(ending string) bool {
	if ending != l.ending {
		return false
	}
	if l.said == nil {
		return l.saidN == len(l.text)
	}
	return bytes.Equal(l.said, l.text)
}

// common returns the length of the unchanged prefix, in whole runes.
func (l *line) common(ending string) int {
	said, n := l.said, 0
	if said == nil {
		said, n = l.text[:l.saidN], l.saidN
	}
	for n < min(len(said)+len(l.ending), len(l.text)+len(ending)) &&
		joined(said, l.ending, n) == joined(l.text, ending, n) {
		n++
	}
	for withinRune(said, n) || withinRune(l.text, n) {
		n--
	}
	return n
}

// joined returns byte i of a followed by b.
func joined(a []byte, b string, i int) byte {
	if i < len(a) {
		return a[i]
	}
	return b[i-len(a)]
}

func withinRune(b []byte, i int) bool { return i < len(b) && !utf8.RuneStart(b[i]) }

// unitsSaid returns the UTF-16 length of the said line from byte n on.
func (l *line) unitsSaid(n int) int {
	said := l.said
	if said == nil {
		said = l.text[:l.saidN]
	}
	if n >= len(said) {
		return len(l.ending) - (n - len(said))
	}
	return text.UTF16Len(said[n:]) + len(l.ending)
}

// appendFrom appends the line with its ending from byte n on.
func (l *line) appendFrom(dst []byte, n int, ending string) []byte {
	if n >= len(l.text) {
		return append(dst, ending[n-len(l.text):]...)
	}
	return append(append(dst, l.text[n:]...), ending...)
}

// say notes that the edits have the line as it is now.
func (l *line) say(ending string) { l.said, l.saidN, l.ending = nil, len(l.text), ending }
