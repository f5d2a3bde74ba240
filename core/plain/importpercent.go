package plain

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/quirehq/quire/core/event"
)

// ImportPercent reads a program in the py:percent form as events for an empty
// notebook. A program without any marker is one cell. The only error is that the
// file is not text.
func ImportPercent(data []byte, s Script) ([]event.Payload, error) {
	text, err := decode(data)
	if err != nil {
		return nil, err
	}
	preamble, head, parts := s.cut(text)
	r := reader{script: s, book: book{head: readHeader(strings.TrimSuffix(preamble, "\n"), s.yaml(head))}}
	if r.book.head.said() == "" && s.Language != python {
		r.book.head.language = s.Language
	}
	for i, p := range parts {
		r.part(p, i == 0)
	}
	return r.book.payloads()
}

// part is a piece of a program: the line of a marker, if it has one, and what is
// before the next.
type part struct{ marker, body string }

// cut cuts a program into what comes before its header, the header and its cells.
// Together they are the text.
func (s Script) cut(text string) (preamble, head string, parts []part) {
	preamble = s.cutPreamble(text)
	text = text[len(preamble):]
	head = s.cutHeader(text)
	p := part{}
	for _, line := range lines(text[len(head):]) {
		bare, _ := cutEnd(line)
		if _, _, ok := s.cutMarker(bare); ok {
			parts = append(parts, p)
			p = part{marker: line}
			continue
		}
		p.body += line
	}
	return preamble, head, append(parts, p)
}

// inPreamble is a line that tells the system or an editor how to read a program.
var inPreamble = regexp.MustCompile(`^#!|^#.*coding[:=][ \t]*[-\w.]+`)

// cutPreamble returns the lines of a program that the system or Python reads before
// it: there are two at most.
func (s Script) cutPreamble(text string) string {
	n := 0
	for i, line := range lines(text) {
		if i == 2 || !inPreamble.MatchString(line) || !strings.HasSuffix(line, "\n") {
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

// part adds a cell for a part of the program. What comes before the first marker
// is one only if it says something.
func (r *reader) part(p part, first bool) {
	body := strings.TrimRight(p.body, "\r\n")
	if first {
		if body = strings.TrimLeft(body, "\r\n"); body != "" {
			r.book.cells = append(r.book.cells, r.code(cell{kind: event.KindCode, metadata: metadata{}}, body))
		}
		return
	}
	bare, _ := cutEnd(p.marker)
	depth, text, _ := r.script.cutMarker(bare)
	l := parseLabel(text)
	c := cell{kind: cmp.Or(l.kind, event.KindCode), metadata: l.metadata}
	if depth > 0 {
		c.metadata[keyDepth] = encode(depth)
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
