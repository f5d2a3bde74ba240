package plain

import (
	"regexp"
	"slices"
	"strings"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

// ExportPercent writes a notebook as a program in the py:percent form. Text and cells in another language are comments.
// It leaves out outputs, attachments and the metadata of the notebook other than its title and kernel. There is no
// error yet.
func ExportPercent(n *notebook.Notebook, s Script) ([]byte, error) {
	b := contentOf(n)
	w := writer{script: s, language: b.head.defaultLanguage()}
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

// writer builds a program.
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
		m.set(keyQuire, markEnd, end)
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

// foreign writes a code cell in another language than the program's.
func (w *writer) foreign(c *cell, language string, m metadata) {
	m[keyLanguage] = encode(language)
	w.part(label{event.KindCode, m}, w.script.commented(c.source))
}

// text writes a text cell, between the quotes of its metadata if it will be read back unchanged.
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

// isQuotes reports whether a text may be written between quotes.
func isQuotes(s string) bool { return slices.Contains(docQuotes, s) }

// quotable reports whether a Python string literal of a text has the same value, and no line of it begins a cell.
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

// part writes a marker with a label, and its body.
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

// codingLine is a line that names the encoding of a file, where Python and Ruby look for it.
var codingLine = regexp.MustCompile(`^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)`)

// safeCoding matches encodings in which a comment in UTF-8 ends where it ends in UTF-8. In others, such as
// unicode_escape or utf-7, its text may be lines of code.
var safeCoding = regexp.MustCompile(`(?i)^(?:utf[-_]?8(?:[-_](?:sig|unix|dos|mac))?|u8|ascii|us[-_]ascii|latin[-_]?1|iso[-_]?8859[-_]\d+)$`)

// namesCoding reports whether a line names an encoding that is not safe.
func namesCoding(line string) bool {
	at := codingLine.FindStringSubmatch(line)
	return at != nil && !safeCoding.MatchString(at[1])
}

// ownCoding is the line with the encoding of all files, so that no later line can name another.
const ownCoding = "# -*- coding: utf-8 -*-\n"

// withCoding returns a program in which no text of a cell or a header names the encoding.
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

// safePreamble returns the lines before a header that are for the system and an editor, or nothing if one of them is
// code in the language or names an unsafe encoding.
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
