package main

import (
	"strings"
	"unicode/utf8"
)

// clean takes out of a text what could steer a terminal: control characters other
// than line ends and tabs, and escape sequences other than those for colours. A
// text comes from whoever wrote in the notebook.
func clean(s string) string {
	out, rest := cleanPart(s)
	return out + visible(rest)
}

// cleanLine is clean for what must stay one line, such as a title.
func cleanLine(s string) string {
	return strings.Join(strings.Fields(clean(s)), " ")
}

// maxEscape is the most bytes that a sequence for colours may have.
const maxEscape = 64

// cleanPart is clean for a text that goes on: an escape sequence that s ends within
// is the rest, to be put before what comes.
func cleanPart(s string) (out, rest string) {
	s = strings.ToValidUTF8(s, "\ufffd") // some terminals take single bytes for commands
	if !strings.ContainsFunc(s, control) {
		return s, ""
	}
	var b strings.Builder
	for s != "" {
		n, whole := colour(s)
		switch {
		case !whole:
			return b.String(), s
		case n > 0:
			b.WriteString(s[:n])
			s = s[n:]
		default:
			r, size := utf8.DecodeRuneInString(s)
			if !control(r) {
				b.WriteString(s[:size])
			} else if r == '\x1b' {
				b.WriteString(visible(s[:size]))
			}
			s = s[size:]
		}
	}
	return b.String(), ""
}

// visible shows an escape character as a picture of one.
func visible(s string) string { return strings.ReplaceAll(s, "\x1b", "␛") }

// control reports whether a character does something to a terminal.
func control(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r <= 0x9f
}

// colour returns the length of the sequence for colours that s begins with, 0 if it
// begins with none. Whole is false if s ends before that can be told.
func colour(s string) (n int, whole bool) {
	if s[0] != '\x1b' {
		return 0, true
	}
	if len(s) > 1 && s[1] != '[' {
		return 0, true
	}
	for i := 2; i < len(s); i++ {
		switch c := s[i]; {
		case c == 'm':
			return i + 1, true
		case i >= maxEscape, c != ';' && c != ':' && (c < '0' || c > '9'):
			return 0, true
		}
	}
	return 0, false
}
