package screen

import (
	"strconv"
	"strings"
)

const (
	escape = 0x1B

	// maxSequence is the longest control sequence.
	maxSequence = 128
)

// control executes the control character or sequence at the start of text, and returns its
// length, 0 if it is incomplete.
func (s *Screen) control(text string) int {
	switch text[0] {
	case '\n':
		s.down()
		s.col = 0
	case '\r':
		s.col = 0
	case '\b':
		s.col = max(s.col-1, 0)
	case escape:
		return s.escaped(text)
	}
	return 1
}

// escaped executes an escape sequence.
func (s *Screen) escaped(text string) int {
	if len(text) == 1 {
		return 0
	}
	switch c := text[1]; {
	case c == '[':
		return s.sequence(text)
	case strings.IndexByte("]PX^_", c) >= 0:
		s.swallowed = true
		return 2
	case c >= ' ' && c <= '/': // such as the choice of a character set
		switch {
		case len(text) == 2:
			return 0
		case text[2] < ' ' || text[2] > '~': // broken off
			return 2
		}
		return 3
	case c >= '0' && c <= '~':
		return 2
	}
	return 1
}

// sequence executes a control sequence: ESC [, parameters, and a final byte.
func (s *Screen) sequence(text string) int {
	i := 2
	for i < len(text) && i < maxSequence && text[i] >= ' ' && text[i] <= '?' {
		i++
	}
	switch {
	case i == maxSequence:
		return i
	case i == len(text):
		return 0
	case text[i] < '@' || text[i] > '~': // broken off
		return i
	}
	s.do(text[i], text[2:i])
	return i + 1
}

// do executes a complete control sequence.
func (s *Screen) do(final byte, params string) {
	switch n := count(params); final {
	case 'm':
		if strings.Trim(params, "0123456789;:") == "" {
			s.pen.apply(params)
		}
	case 'A', 'F':
		s.row = max(s.row-n, 0)
	case 'B', 'E':
		s.row = min(s.row+n, max(len(s.rows)-1, 0))
	case 'C':
		s.col = min(s.col+n, Columns-1)
	case 'D':
		s.col = max(s.col-n, 0)
	case 'G':
		s.col = min(n, Columns) - 1
	case 'K':
		s.eraseLine(params)
	case 'J':
		if params == "" || params == "0" {
			s.eraseBelow()
		}
	}
	if final == 'E' || final == 'F' {
		s.col = 0
	}
}

// count returns the number of a movement, which is at least 1.
func count(params string) int {
	n, _ := strconv.Atoi(params)
	return min(max(n, 1), Columns)
}

func (s *Screen) eraseLine(params string) {
	ln := s.touch(s.row)
	switch params {
	case "", "0":
		ln.cut(s.col)
	case "1":
		ln.blank(min(s.col+1, Columns))
	case "2":
		ln.cut(0)
	}
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

// eraseBelow removes the rest of the line and the rows below.
func (s *Screen) eraseBelow() {
	s.touch(s.row).cut(s.col)
	s.straighten()
	for i := s.row + 1; i < len(s.rows); i++ {
		s.gone += s.rows[i].unitsSaid(0)
	}
	s.rows = s.rows[:s.row+1]
}

// swallow skips a string for the terminal and returns the text behind it. A string that
// does not end within its line is ordinary text.
func (s *Screen) swallow(text string) string {
	i := strings.IndexAny(text, "\a\n\x1b")
	if i < 0 {
		return ""
	}
	rest := text[i:]
	switch {
	case rest == "\x1b":
		s.partial = rest
		return ""
	case strings.HasPrefix(rest, "\x1b\\"):
		rest = rest[2:]
	case rest[0] == '\a':
		rest = rest[1:]
	}
	s.swallowed = false
	return rest
}
