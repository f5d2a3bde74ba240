package plain

import (
	"regexp"
	"strings"
)

// hiddenMarker is what follows the sign of a comment in a line of text that would begin a cell, or
// would without its backslashes.
var hiddenMarker = regexp.MustCompile(`^\s*(\\*)%%+(?:\s|\[|$)`)

// afterSign is what follows the sign of a comment on the line that begins a cell. VS Code
// reads a type without a space before it as well.
var afterSign = regexp.MustCompile(`^[ \t]*%%(%*)(?:$|[ \t]+(.*)$|(\[(?:markdown|md|raw|code)\](?:[ \t].*)?)$)`)

// cutMarker returns how deep a marker is, and its label, if a line is one.
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

// escape returns lines of code so that none begins a cell: one that would gets
// another sign of a comment before it, as does one that has such signs already.
func (s Script) escape(line string) string {
	if s.escapes(line) > 0 {
		return s.comment + " " + line
	}
	return line
}

// unescape is the contrary of escape.
func (s Script) unescape(line string) string {
	if s.escapes(line) > 1 {
		return strings.TrimPrefix(line, s.comment+" ")
	}
	return line
}

// escapes counts the signs of comments before what begins a cell, 0 if there is no
// such thing.
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
