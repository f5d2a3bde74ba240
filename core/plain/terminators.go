package plain

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// terminators are the characters besides line feed and carriage return that end a line for
// the parser of some language, or for a program that reads notebooks: U+2028 and U+2029
// in JavaScript, U+0085 too in Scheme, and all of them in Python's str.splitlines, with
// which Jupytext cuts a file.
const terminators = "\v\f\x1c\x1d\x1e\u0085\u2028\u2029"

// eachComment changes every piece of a text that a comment ends behind, whatever the
// language. So a text that is commented stays a comment as a whole, and what is read
// again is what was written.
func eachComment(s string, change func(string) string) string {
	return eachLine(s, func(line string) string {
		var b strings.Builder
		for {
			i := strings.IndexAny(line, terminators)
			if i < 0 {
				b.WriteString(change(line))
				return b.String()
			}
			_, size := utf8.DecodeRuneInString(line[i:])
			b.WriteString(change(line[:i]) + line[i:i+size])
			line = line[i+size:]
		}
	})
}

// codingLine is a line that names the encoding of a file, where Python and Ruby look for it.
var codingLine = regexp.MustCompile(`^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)`)

// safeCoding are encodings in which a comment in UTF-8 ends where it ends in UTF-8. In others,
// such as unicode_escape or utf-7, its text may be lines of code.
var safeCoding = regexp.MustCompile(`(?i)^(?:utf[-_]?8(?:[-_](?:sig|unix|dos|mac))?|u8|ascii|us[-_]ascii|latin[-_]?1|iso[-_]?8859[-_]\d+)$`)

// namesCoding reports whether a line names an encoding that is not safe.
func namesCoding(line string) bool {
	at := codingLine.FindStringSubmatch(line)
	return at != nil && !safeCoding.MatchString(at[1])
}

// ownCoding is the line that says what all files are in, so that no later line can say
// something else.
const ownCoding = "# -*- coding: utf-8 -*-\n"

// withCoding returns a program in which no text of a cell or a header says what the encoding is.
func (s Script) withCoding(program string) string {
	if s.comment != "#" {
		return program
	}
	first, rest, _ := strings.Cut(program, "\n")
	second, _, _ := strings.Cut(rest, "\n")
	switch {
	case namesCoding(first), !codingLine.MatchString(first) && !strings.HasPrefix(first, "#!") && namesCoding(second):
		return ownCoding + program
	case strings.HasPrefix(first, "#!") && namesCoding(second):
		return first + "\n" + ownCoding + rest
	}
	return program
}

// safePreamble returns the lines before a header that are for the system and an editor, and
// none that is code in the language or names an encoding that is not safe.
func (s Script) safePreamble(preamble string) string {
	if preamble == "" || strings.ContainsAny(preamble, terminators+"\r") || s.cutPreamble(preamble+"\n") != preamble+"\n" {
		return ""
	}
	for i, line := range strings.Split(preamble, "\n") {
		if strings.HasPrefix(line, "#!") && i > 0 && s.comment != "#" || namesCoding(line) {
			return ""
		}
	}
	return preamble + "\n"
}
