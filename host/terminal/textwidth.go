package terminal

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// columns measures text as a terminal shows it: escape sequences take no space.
func columns() displaywidth.Options { return displaywidth.Options{ControlSequences: true} }

// stripEscapes returns a text without its escape sequences.
func stripEscapes(s string) string {
	if !strings.Contains(s, "\x1b") {
		return s
	}
	var b strings.Builder
	for g := columns().StringGraphemes(s); g.Next(); {
		if v := g.Value(); v[0] != '\x1b' {
			b.WriteString(v)
		}
	}
	return b.String()
}

// rowsOf returns a line as a terminal of some width shows it, which breaks it wherever
// a row ends.
func rowsOf(line string, width int) []string {
	var rows []string
	start, end, at := 0, 0, 0
	for g := columns().StringGraphemes(line); g.Next(); {
		w := g.Width()
		if at+w > width && at > 0 {
			rows = append(rows, line[start:end])
			start, at = end, 0
		}
		end, at = end+len(g.Value()), at+w
	}
	return append(rows, line[start:])
}
