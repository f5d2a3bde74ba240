package main

import (
	"strings"

	"github.com/quirehq/quire/internal/terminal"
)

// clean takes out of a text what could steer a terminal: control characters other
// than line ends and tabs, and escape sequences other than those for colours. A
// text comes from whoever wrote in the notebook.
func clean(s string) string {
	out, rest := cleanPart(s)
	out, _ = cleanPart(out + visible(strings.ToValidUTF8(rest, "\ufffd")))
	return out
}

// cleanLine is clean for what must stay one line, such as a title.
func cleanLine(s string) string {
	return strings.Join(strings.Fields(clean(s)), " ")
}

// maxEscape is the most bytes that a sequence for colours may have.
const maxEscape = terminal.MaxEscape

// cleanPart is clean for a text that goes on: what s ends within is the rest, to be put
// before what comes.
func cleanPart(s string) (out, rest string) { return terminal.Clean(s) }

// visible shows an escape character as a picture of one.
func visible(s string) string { return terminal.Visible(s) }

// colour returns the length of the sequence for colours that s begins with, 0 if it
// begins with none. Whole is false if s ends before that can be told.
func colour(s string) (n int, whole bool) { return terminal.Colour(s) }
