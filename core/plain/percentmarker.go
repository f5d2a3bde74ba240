package plain

import (
	"regexp"
	"strings"
)

// hiddenMarker matches the rest of a line of text, after the comment sign, that would begin a cell, or would without
// its backslashes.
var hiddenMarker = regexp.MustCompile(`^\s*(\\*)%%+(?:\s|\[|$)`)

// afterSign matches the rest of a line, after the comment sign, that begins a cell. VS Code also accepts a type without
// a space before it.
var afterSign = regexp.MustCompile(`^[ \t]*%%(%*)(?:$|[ \t]+(.*)$|(\[(?:markdown|md|raw|code)\](?:[ \t].*)?)$)`)

// cutMarker returns the depth and the label of a line that is a marker.
func (s Script) cutMarker(line string) (depth int, text string, ok bool) {
	rest, ok := strings.CutPrefix(line, s.comment)
	if !ok {
		return 0, "", false
	}
	at := afterSign.FindStringSubmatch(rest)
	if at == nil {
		return 0, "", false
	}
	return len(at[1]), at[2] + at[3], true
}

// escape returns a line of code that does not begin a cell: a line that would gets another comment sign, as does one
// that has such signs already.
func (s Script) escape(line string) string {
	if s.escapes(line) > 0 {
		return s.comment + " " + line
	}
	return line
}

// unescape is the inverse of escape.
func (s Script) unescape(line string) string {
	if s.escapes(line) > 1 {
		return strings.TrimPrefix(line, s.comment+" ")
	}
	return line
}

// escapes returns the number of comment signs before a marker, 0 if the line has none.
func (s Script) escapes(line string) int {
	n := 1
	for {
		if _, _, ok := s.cutMarker(line); ok {
			return n
		}
		rest, ok := strings.CutPrefix(line, s.comment+" ")
		if !ok {
			return 0
		}
		line, n = rest, n+1
	}
}
