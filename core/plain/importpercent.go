package plain

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/quirehq/quire/core/event"
)

// ImportPercent reads a program as events for an empty notebook, in the py:percent form, in that of nbconvert, or in
// Jupytext's light format. A program without markers is one cell. The only error is a file that is not text.
func ImportPercent(data []byte, s Script) ([]event.Payload, error) {
	text, err := decode(data)
	if err != nil {
		return nil, err
	}
	preamble, yaml, parts := s.cut(text)
	r := reader{script: s, content: content{head: readHeader(strings.TrimSuffix(preamble, "\n"), s.yaml(yaml))}}
	if s.Language != python {
		r.content.head.assume(s.Language)
	}
	for i, p := range parts {
		r.part(p, i == 0)
	}
	return r.content.payloads()
}

// part is a piece of a program: the line of a marker, if it has one, and the lines up to the next, with the line that
// ends a light cell.
type part struct {
	marker, body, end string
	label             string // of the marker
	depth             int
	isText            bool // comments without a marker, which are Markdown
}

// cut cuts a program into the lines before its header, the header and its cells. Their concatenation is the text.
func (s Script) cut(text string) (preamble, head string, parts []part) {
	preamble = s.cutPreamble(text)
	text = text[len(preamble):]
	head = s.cutHeader(text)
	text = text[len(head):]
	header := readHeader("", s.yaml(head))
	switch {
	case header.format == "light":
		parts = s.cutLight(text)
	case header.format != "" || s.has(text, s.cutMarker):
		parts = s.cutAt(text, s.cutMarker)
	case s.has(text, s.cutPrompt):
		parts = s.cutPrompts(text)
	case header.kernel != (kernel{}) || s.has(text, s.lightMarker) && s.has(text, s.lightEnd):
		parts = s.cutLight(text)
	default:
		parts = s.cutAt(text, s.cutMarker)
	}
	return preamble, head, parts
}

// markerFunc returns the depth and the label of a line that is a marker.
type markerFunc func(line string) (depth int, label string, ok bool)

// has reports whether a line of a text is a marker.
func (s Script) has(text string, marker markerFunc) bool {
	for _, line := range lines(text) {
		bare, _ := cutEnd(line)
		if _, _, ok := marker(bare); ok {
			return true
		}
	}
	return false
}

// cutAt cuts a text at its markers.
func (s Script) cutAt(text string, marker markerFunc) []part {
	var parts []part
	p := part{}
	start, at := 0, 0 // of the body, and of the line
	for _, line := range lines(text) {
		bare, _ := cutEnd(line)
		if depth, label, ok := marker(bare); ok {
			p.body = text[start:at]
			parts = append(parts, p)
			p = part{marker: line, label: label, depth: depth}
			start = at + len(line)
		}
		at += len(line)
	}
	p.body = text[start:]
	return append(parts, p)
}

// cutPreamble returns the first lines of a program that the system or an editor reads: one for the system and one for
// the encoding.
func (s Script) cutPreamble(text string) string {
	coding := regexp.MustCompile(`^#!|^` + regexp.QuoteMeta(s.comment) + `.*coding[:=][ \t]*[-\w.]+`)
	n := 0
	for i, line := range lines(text) {
		if i == 2 || !coding.MatchString(line) || !strings.HasSuffix(line, "\n") {
			break
		}
		if _, _, marker := s.cutMarker(strings.TrimRight(line, "\r\n")); marker { // a marker whose title resembles it
			break
		}
		n += len(line)
	}
	return text[:n]
}

// cutHeader returns the lines of a header of YAML in comments, or "".
func (s Script) cutHeader(text string) string {
	n := 0
	for i, line := range lines(text) {
		bare, _ := cutEnd(line)
		n += len(line)
		rest, ok := strings.CutPrefix(bare, s.comment)
		rule := strings.TrimSpace(rest) == "---"
		if !ok || i == 0 && !rule {
			return ""
		}
		if i > 0 && rule {
			if !isHeader(s.yaml(text[:n])) {
				return ""
			}
			return text[:n]
		}
	}
	return ""
}

// yaml returns the lines of YAML in a header.
func (s Script) yaml(head string) string {
	list := strings.Split(strings.TrimRight(head, "\r\n"), "\n")
	if len(list) < 3 {
		return ""
	}
	return s.uncommented(strings.Join(list[1:len(list)-1], "\n"))
}

// reader builds the cells of a program.
type reader struct {
	script  Script
	content content
}

// part adds a cell for a part of the program. A part before the first marker is a cell only if it is not empty.
func (r *reader) part(p part, first bool) {
	body := strings.TrimRight(p.body, "\r\n")
	switch {
	case p.isText:
		r.content.cells = append(r.content.cells, r.text(cell{kind: event.KindMarkdown, metadata: metadata{}}, strings.TrimLeft(body, "\r\n")))
		return
	case p.marker == "":
		if body = strings.TrimLeft(body, "\r\n"); body != "" || !first {
			r.content.cells = append(r.content.cells, r.code(cell{kind: event.KindCode, metadata: metadata{}}, body))
		}
		return
	}
	l := parseLabel(p.label)
	delete(l.metadata, endOfCell)
	c := cell{kind: cmp.Or(l.kind, event.KindCode), metadata: l.metadata}
	if p.depth > 0 {
		c.metadata[keyDepth] = encode(p.depth)
	}
	if c.kind == event.KindCode {
		c = r.code(c, body)
	} else {
		c = r.text(c, body)
	}
	r.content.cells = append(r.content.cells, c)
}

// code reads a code cell from its body, which has no line ends at its end.
func (r *reader) code(c cell, body string) cell {
	end := c.metadata.removeText(keyQuire, markEnd)
	c.takeMarks()
	named := c.metadata.str(keyLanguage)
	if named == "" && c.kind == event.KindCode && c.metadata.isInactive(r.script) && r.script.isCommented(body) {
		c.source = r.script.uncommented(body) + end
		return c
	}
	if named == "" {
		c.source = r.restored(body) + end
		return c
	}
	delete(c.metadata, keyLanguage)
	c.source = r.script.uncommented(body)
	if c.language != "" || c.kind != event.KindCode {
		return c
	}
	if arguments := c.metadata.str(keyArguments); arguments != "" {
		named += " " + arguments
	}
	delete(c.metadata, keyArguments)
	c.source = "%%" + named + "\n" + c.source
	return c
}

// isInactive reports whether Jupytext writes a code cell with this metadata as comments: it is frozen, or active only
// in files with other extensions.
func (m metadata) isInactive(s Script) bool {
	if string(m.object("run_control")["frozen"]) == "true" {
		return true
	}
	extension := strings.TrimPrefix(s.Extension, ".")
	if active := m.str("active"); active != "" {
		return !slices.Contains(strings.FieldsFunc(active, func(r rune) bool { return r == ',' || r == ' ' }), extension)
	}
	var tags []string
	_ = json.Unmarshal(m["tags"], &tags) // a value that is not a list has no tags
	for _, tag := range tags {
		if list, ok := strings.CutPrefix(tag, "active-"); ok {
			return !slices.Contains(strings.Split(list, "-"), extension)
		}
	}
	return false
}

// isCommented reports whether each line of a body is a comment.
func (s Script) isCommented(body string) bool {
	for _, line := range lines(body) {
		if !strings.HasPrefix(line, s.comment) {
			return false
		}
	}
	return true
}

// restored reverses the escapes of code in a program.
func (r *reader) restored(body string) string {
	body = eachLine(body, r.script.unescape)
	if r.script.Language == python {
		return showMagics(body)
	}
	return body
}

// text reads a text cell: comments, or in Python a single string.
func (r *reader) text(c cell, body string) cell {
	c.takeMarks()
	if r.script.Language == python {
		for _, quotes := range docQuotes {
			if inner, ok := cutQuotes(strings.TrimLeft(body, "\r\n"), quotes); ok {
				c.source, c.metadata[keyQuotes] = inner, encode(quotes)
				return c
			}
		}
	}
	c.source = r.script.uncommented(body)
	return c
}

// docQuotes are the quotes that a text may be written between, which the metadata records.
var docQuotes = []string{`"""`, `'''`, `r"""`, `r'''`}

func cutQuotes(body, quotes string) (inner string, ok bool) {
	closing := quotes[len(quotes)-3:]
	inner, ok = strings.CutPrefix(body, quotes)
	if !ok {
		return "", false
	}
	inner, ok = strings.CutSuffix(inner, closing)
	if !ok || strings.Contains(inner, closing) {
		return "", false
	}
	return strings.TrimSuffix(strings.TrimPrefix(inner, "\n"), "\n"), true
}
