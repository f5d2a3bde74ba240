// Package ansi reads text that a program has written for a terminal: it finds the control sequences, keeps the style that
// they set, and drops the parts of a line that were overwritten. It does not move a cursor: package screen does, while the
// program runs.
package ansi

import (
	"iter"
	"strings"
)

// Overwritten returns the visible part of a line: the text behind its last carriage return, since each one starts the line
// again. Those at its end have nothing behind them.
func Overwritten(line string) string {
	line = strings.TrimRight(line, "\r")
	return line[strings.LastIndexByte(line, '\r')+1:]
}

// Plain returns the visible text of lines, without styles.
func Plain(text string) string {
	if !strings.ContainsAny(text, "\r\x1b") {
		return text
	}
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		for part := range Parts(Overwritten(line)) {
			b.WriteString(part)
		}
	}
	return b.String()
}

// Parts yields the parts of a line, each with the sequence behind it, which is the zero one at the end of the line. The end
// of a sequence that is not whole is that of the line.
func Parts(line string) iter.Seq2[string, Sequence] {
	return func(yield func(string, Sequence) bool) {
		for line != "" {
			at := strings.IndexByte(line, '\x1b')
			if at < 0 {
				yield(line, Sequence{})
				return
			}
			q := Cut(line[at:])
			if !yield(line[:at], q) {
				return
			}
			line = line[at+q.Len:]
		}
	}
}

// Sequence is a control sequence. Those that set a style have an m at their end; others have no effect in text.
type Sequence struct {
	Len     int    // in bytes, with the escape character
	Params  string // between the bracket and the end
	Final   byte   // 0 if it has no parameters, or another byte than a sequence may have ends it
	Partial bool   // the text ends before the sequence
}

// Cut returns the sequence at the start of a text that begins with an escape character.
func Cut(text string) Sequence {
	s := text[1:]
	if s == "" {
		return Sequence{Len: 1, Partial: true}
	}
	switch s[0] {
	case '[':
		end := strings.IndexFunc(s[1:], func(r rune) bool { return r >= 0x40 && r <= 0x7e || r < 0x20 || r > 0x7e })
		if end < 0 {
			return Sequence{Len: len(text), Params: s[1:], Partial: true}
		}
		q := Sequence{Len: 2 + end, Params: s[1 : 1+end]}
		if final := s[1+end]; final >= 0x40 && final <= 0x7e {
			q.Len, q.Final = q.Len+1, final
		}
		return q
	case ']', 'P', 'X', '^', '_': // a text for the terminal, up to a bell or an escape
		end := strings.IndexAny(s, "\x07\x1b")
		if end < 0 {
			return Sequence{Len: len(text), Partial: true}
		}
		if s[end] == '\x07' || strings.HasPrefix(s[end:], "\x1b\\") {
			return Sequence{Len: len(text) - len(strings.TrimPrefix(strings.TrimPrefix(s[end:], "\x07"), "\x1b\\"))}
		}
		return Sequence{Len: 1 + end}
	}
	if s[0] < 0x80 {
		return Sequence{Len: 2}
	}
	return Sequence{Len: 1}
}
