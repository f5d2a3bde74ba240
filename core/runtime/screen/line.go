package screen

import (
	"bytes"
	"unicode/utf8"
)

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

// blank makes the columns before one blank.
func (l *line) blank(col int) {
	l.takeApart()
	l.pad(col)
	for i := range col {
		l.cells[i] = cell{char: ' '}
	}
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
	return units(said[n:]) + len(l.ending)
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
