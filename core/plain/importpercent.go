package plain

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/quirehq/quire/core/event"
)

// ImportPercent reads a program in the py:percent form as events for an empty
// notebook, or in one of the forms that nbconvert and Jupytext's light format have. A
// program without any marker is one cell. The only error is that the file is not text.
func ImportPercent(data []byte, s Script) ([]event.Payload, error) {
	text, err := decode(data)
	if err != nil {
		return nil, err
	}
	preamble, yaml, parts := s.cut(text)
	r := reader{script: s, book: book{head: readHeader(strings.TrimSuffix(preamble, "\n"), s.yaml(yaml))}}
	if r.book.head.said() == "" && s.Language != python {
		r.book.head.language = s.Language
	}
	for i, p := range parts {
		r.part(p, i == 0)
	}
	return r.book.payloads()
}

// part is a piece of a program: the line of a marker, if it has one, and the lines up
// to the next, with the line that ends a light cell.
type part struct {
	marker, body, end string
	label             string // of the marker
	depth             int
	isText            bool // comments without a marker, which are Markdown
}

// cut cuts a program into the lines before its header, the header and its cells.
// Together they are the text.
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

// markerFunc returns how deep a marker is, and its label, if a line is one.
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

// cutPreamble returns the lines of a program that the system or an editor reads before
// it: one for the system and one for the encoding.
func (s Script) cutPreamble(text string) string {
	coding := regexp.MustCompile(`^#!|^` + regexp.QuoteMeta(s.comment) + `.*coding[:=][ \t]*[-\w.]+`)
	n := 0
	for i, line := range lines(text) {
		if i == 2 || !coding.MatchString(line) || !strings.HasSuffix(line, "\n") {
			break
		}
		if _, _, marker := s.cutMarker(strings.TrimRight(line, "\r\n")); marker { // whose title looks like it
			break
		}
		n += len(line)
	}
	return text[:n]
}

// cutHeader returns the lines of a header of YAML in comments, if text begins with one.
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

// reader makes the cells of a program.
type reader struct {
	script Script
	book   book
}

// part adds a cell for a part of the program. One before the first marker is a cell
// only if it says something.
func (r *reader) part(p part, first bool) {
	body := strings.TrimRight(p.body, "\r\n")
	switch {
	case p.isText:
		r.book.cells = append(r.book.cells, r.text(cell{kind: event.KindMarkdown, metadata: metadata{}}, strings.TrimLeft(body, "\r\n")))
		return
	case p.marker == "":
		if body = strings.TrimLeft(body, "\r\n"); body != "" || !first {
			r.book.cells = append(r.book.cells, r.code(cell{kind: event.KindCode, metadata: metadata{}}, body))
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
	r.book.cells = append(r.book.cells, c)
}

// code reads a cell of code from its body, which has no line ends behind it.
func (r *reader) code(c cell, body string) cell {
	end := c.metadata.takeText(keyQuire, markEnd)
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

// restored returns code as it was before it was written into a program.
func (r *reader) restored(body string) string {
	body = eachLine(body, r.script.unescape)
	if r.script.Language == python {
		return showMagics(body)
	}
	return body
}

// text reads a cell of text, which is comments, or in Python a string alone.
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

// docQuotes are what a text may be written between, which the metadata notes.
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

// isQuotes reports whether a text may be written between quotes.
func isQuotes(s string) bool { return slices.Contains(docQuotes, s) }
