package plain

import (
	"regexp"
	"strings"

	"github.com/quirehq/quire/core/event"
)

// lightStart matches the rest of a line, after the comment sign, that begins a cell in Jupytext's light format.
var lightStart = regexp.MustCompile(`^ ?\+(?:$|[ \t](.*)$)`)

// endOfCell is the option with the sign of the line that ends a light cell.
const endOfCell = "endofcell"

// cutLight cuts a program in Jupytext's light format: a paragraph of comments is a Markdown cell, another paragraph is
// a code cell, together with following indented ones; and the lines between "# +" and "# -" are one cell.
func (s Script) cutLight(text string) []part {
	var parts []part
	for list := lines(text); len(list) > 0; {
		p, n := s.lightPart(list)
		if n == 0 { // empty lines
			if len(parts) == 0 {
				parts = append(parts, part{})
			}
			parts[len(parts)-1].end += list[0]
			n = 1
		} else {
			parts = append(parts, p)
		}
		list = list[n:]
	}
	if len(parts) > 0 && parts[0] == (part{end: parts[0].end}) { // lines before the first cell
		parts[0].body, parts[0].end = parts[0].end, ""
	}
	return parts
}

// lightPart returns the first cell of lines, and its number of lines.
func (s Script) lightPart(list []string) (part, int) {
	first, _ := cutEnd(list[0])
	if strings.TrimSpace(first) == "" {
		return part{}, 0
	}
	if _, label, ok := s.lightMarker(first); ok {
		return s.markedLight(list, label)
	}
	n := s.paragraph(list)
	p := part{body: strings.Join(list[:n], "")}
	p.isText = s.isCommented(strings.TrimRight(p.body, "\r\n")) && !(s.Language == python && isMagicText(p.body))
	if p.isText {
		return p, n
	}
	for n < len(list) { // indented lines after an empty one continue the cell
		next := n
		for next < len(list) && strings.TrimSpace(list[next]) == "" {
			next++
		}
		open := ""
		for _, line := range list[:n] {
			open = scanQuotes(strings.TrimRight(line, "\r\n"), open)
		}
		if next == len(list) || open == "" && strings.TrimLeft(list[next], " \t") == list[next] {
			break
		}
		n = next + s.paragraph(list[next:])
	}
	p.body = strings.Join(list[:n], "")
	return p, n
}

// isMagicText reports whether a line of comments is one that only IPython understands.
func isMagicText(body string) bool {
	for _, line := range lines(body) {
		if magicLine.MatchString(line) {
			return true
		}
	}
	return false
}

// lightMarker is a markerFunc for the line that begins a cell.
func (s Script) lightMarker(line string) (depth int, label string, ok bool) {
	rest, ok := strings.CutPrefix(line, s.comment)
	at := lightStart.FindStringSubmatch(rest)
	if !ok || at == nil {
		return 0, "", false
	}
	return 0, at[1], true
}

// lightEnd is a markerFunc for the line that usually ends a cell.
func (s Script) lightEnd(line string) (depth int, label string, ok bool) {
	return 0, "", strings.TrimRight(line, " \t") == s.comment+" -"
}

// markedLight returns the cell between two marker lines.
func (s Script) markedLight(list []string, label string) (part, int) {
	l := parseLabel(label)
	sign := "-"
	if other := l.metadata.str(endOfCell); other != "" {
		sign = other
	}
	if l.kind == "" && string(l.metadata["active"]) == `""` { // active in no format
		delete(l.metadata, "active")
		l.kind = event.KindRaw
		label = l.String()
	}
	p := part{marker: list[0], label: label}
	for i, line := range list[1:] {
		bare, _ := cutEnd(line)
		if rest, ok := strings.CutPrefix(bare, s.comment); ok && strings.TrimSpace(rest) == sign {
			p.end = line
			return p, i + 2
		}
		if _, _, ok := s.lightMarker(bare); ok && sign == "-" {
			return p, i + 1
		}
		p.body += line
	}
	return p, len(list)
}

// paragraph returns the number of lines before the first empty one or the next marker.
func (s Script) paragraph(list []string) int {
	for i, line := range list {
		bare, _ := cutEnd(line)
		if _, _, ok := s.lightMarker(bare); strings.TrimSpace(bare) == "" || ok && i > 0 {
			return i
		}
	}
	return len(list)
}
