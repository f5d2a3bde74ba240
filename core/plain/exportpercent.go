package plain

import (
	"strings"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

// ExportPercent writes a notebook as a program in the py:percent form. Text and
// cells in another language are comments. Outputs, attachments and the metadata of
// the notebook other than its title and kernel are left. There is no error yet.
func ExportPercent(n *notebook.Notebook, s Script) ([]byte, error) {
	b := bookOf(n)
	w := writer{script: s, language: b.head.spoken()}
	w.b.WriteString(s.safePreamble(b.head.preamble))
	if yaml := b.head.text(s.Language, s.Extension, "percent"); yaml != "" {
		w.b.WriteString(s.commented("---\n"+yaml+"\n---") + "\n\n")
	}
	for i := range b.cells {
		if i > 0 {
			w.b.WriteByte('\n')
		}
		w.cell(&b.cells[i])
	}
	return []byte(s.withCoding(w.b.String())), nil
}

// writer collects a program.
type writer struct {
	script   Script
	language string // of cells that name none
	b        strings.Builder
}

func (w *writer) cell(c *cell) {
	switch c.kind {
	case event.KindMarkdown, event.KindRaw:
		w.text(c, label{c.kind, c.marked("", c.language)})
	case event.KindAI:
		w.text(c, label{event.KindMarkdown, c.marked(c.kind, c.language)})
	case event.KindSQL:
		w.foreign(c, "sql", c.marked(c.kind, c.language))
	default:
		w.code(c)
	}
}

func (w *writer) code(c *cell) {
	language := c.language
	if language == "" && w.language != w.script.Language {
		language = w.language
	}
	if language != "" && language != w.script.Language {
		w.foreign(c, language, c.marked("", language))
		return
	}
	m := c.marked("", language)
	if name, arguments, rest, ok := cutMagic(c.source); ok && w.script.Language == python && language == "" {
		m[keyLanguage] = encode(name)
		if arguments != "" {
			m[keyArguments] = encode(arguments)
		}
		w.part(label{event.KindCode, m}, w.script.commented(rest))
		return
	}
	body := strings.TrimRight(c.source, "\r\n")
	if end := c.source[len(body):]; end != "" {
		m.put(keyQuire, markEnd, end)
	}
	if m.isInactive(w.script) {
		w.part(label{event.KindCode, m}, w.script.commented(body))
		return
	}
	if w.script.Language == python {
		body = hideMagics(body)
	}
	w.part(label{event.KindCode, m}, eachLine(body, w.script.escape))
}

// foreign writes a cell of code that the program's language does not understand.
func (w *writer) foreign(c *cell, language string, m metadata) {
	m[keyLanguage] = encode(language)
	w.part(label{event.KindCode, m}, w.script.commented(c.source))
}

// text writes a cell of text, between the quotes that its metadata asks for if that
// reads as the same.
func (w *writer) text(c *cell, l label) {
	quotes := l.metadata.str(keyQuotes)
	delete(l.metadata, keyQuotes)
	if isQuotes(quotes) && w.script.Language == python {
		body := quotes + "\n" + c.source + "\n" + quotes[len(quotes)-3:]
		if inner, ok := cutQuotes(body, quotes); ok && inner == c.source && w.quotable(c.source) {
			w.part(l, body)
			return
		}
	}
	w.part(l, w.script.commented(c.source))
}

// quotable reports whether a text is what it is in a string of Python, and no line
// of it begins a cell.
func (w *writer) quotable(text string) bool {
	if strings.ContainsAny(text, "\\\r") {
		return false
	}
	for _, line := range lines(text) {
		if bare, _ := cutEnd(line); w.script.escapes(bare) > 0 {
			return false
		}
	}
	return true
}

// part writes a marker with a label and the body behind it.
func (w *writer) part(l label, body string) {
	w.b.WriteString(w.script.comment + " %%")
	depth := 0
	if n := string(l.metadata[keyDepth]); len(n) == 1 && n[0] >= '1' && n[0] <= '9' {
		depth = int(n[0] - '0')
		delete(l.metadata, keyDepth)
	}
	w.b.WriteString(strings.Repeat("%", depth) + l.String() + "\n")
	if body != "" {
		w.b.WriteString(body + "\n")
	}
}
