// Package celltext writes cells and their outputs as text that language models read.
//
// Text is complete up to a bound in bytes, beyond which its middle is left out and said to be. Control sequences are
// removed, tables are those of text/plain, and an error has its trace. Pictures are returned beside the text. The
// package decides nothing about what a model may see: its callers do.
package celltext

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/quirehq/quire/core/assist"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

// Limits bound the text of one cell, in bytes. Zero values are the defaults.
type Limits struct {
	Source  int // of its source: 100,000
	Outputs int // of all its outputs: 30,000
}

func (l Limits) orDefaults() Limits {
	return Limits{Source: cmp.Or(l.Source, 100_000), Outputs: cmp.Or(l.Outputs, 30_000)}
}

// Cell returns a cell with its source and outputs, between tags that name it, and the pictures of the outputs.
func Cell(n *notebook.Notebook, c *notebook.Cell, l Limits) (string, []assist.Image) {
	l = l.orDefaults()
	var b strings.Builder
	fmt.Fprintf(&b, "<cell id=%q kind=%q", c.ID, c.Kind)
	if language := Language(n, c); language != "" {
		fmt.Fprintf(&b, " language=%q", language)
	}
	if state := State(n, c); state != "" {
		fmt.Fprintf(&b, " state=%q", state)
	}
	b.WriteString(">\n")
	b.WriteString(Fold(c.Source(), l.Source))
	outputs, images := Outputs(n, c.ShownOutputs(), l.Outputs)
	if outputs != "" {
		b.WriteString("\n<outputs>\n")
		b.WriteString(strings.TrimSuffix(outputs, "\n"))
		b.WriteString("\n</outputs>")
	}
	b.WriteString("\n</cell>")
	return b.String(), images
}

// Language returns the language of a cell's source, empty for text.
func Language(n *notebook.Notebook, c *notebook.Cell) string {
	switch c.Kind {
	case event.KindCode:
		return cmp.Or(c.Language, notebook.Language(n.Metadata()))
	case event.KindSQL:
		return cmp.Or(c.Language, "sql")
	}
	return ""
}

// State returns how far the latest run of a cell is, in a word, or how it ended, empty if it never ran.
func State(n *notebook.Notebook, c *notebook.Cell) string {
	run := n.Run(c.Run)
	switch {
	case run == nil:
		return ""
	case run.State == notebook.RunFinished:
		return string(run.Status)
	case run.State == notebook.RunStarted:
		return "running"
	}
	return "queued"
}

// Outputs returns outputs as one text of at most about most bytes, and their pictures.
func Outputs(n *notebook.Notebook, ids []event.OutputID, most int) (string, []assist.Image) {
	var parts []string
	var images []assist.Image
	for _, id := range ids {
		o := n.Output(id)
		if o == nil {
			continue
		}
		v := o.Value()
		text, picture := Output(&v)
		if text != "" {
			parts = append(parts, strings.TrimRight(text, "\n"))
		}
		if picture != nil {
			images = append(images, *picture)
		}
	}
	return strings.Join(fair(parts, most), "\n"), images
}

// fair folds parts such that all together have about most bytes: short ones stay whole, and the rest is shared.
func fair(parts []string, most int) []string {
	left, open := most, len(parts)
	share := 0
	for open > 0 {
		share = left / open
		still, used := 0, 0
		for _, p := range parts {
			if len(p) > share {
				still++
			} else {
				used += len(p)
			}
		}
		if still == open || still == 0 {
			break
		}
		left, open = most-used, still
	}
	folded := make([]string, len(parts))
	for i, p := range parts {
		folded[i] = Fold(p, max(share, 200))
	}
	return folded
}

// Fold returns a text of at most about most bytes: its beginning and its end, with a note between of what is left out.
// It cuts at line ends where there are some near, and never within a character.
func Fold(text string, most int) string {
	if len(text) <= most {
		return text
	}
	head := cutBack(text, most/2)
	tail := cutForward(text, len(text)-most/2)
	left := text[head:tail]
	if left == "" {
		return text
	}
	return fmt.Sprintf("%s\n[… %d lines, %d bytes left out …]\n%s",
		strings.TrimSuffix(text[:head], "\n"), 1+strings.Count(strings.Trim(left, "\n"), "\n"), len(left), text[tail:])
}

// cutBack returns a place to cut at or before an offset.
func cutBack(text string, at int) int {
	if line := strings.LastIndexByte(text[:at], '\n') + 1; line > at/2 {
		return line
	}
	for at > 0 && !startsRune(text[at]) {
		at--
	}
	return at
}

// cutForward returns a place to cut at or after an offset.
func cutForward(text string, at int) int {
	if line := strings.IndexByte(text[at:], '\n'); line >= 0 && line < (len(text)-at)/2 {
		return at + line + 1
	}
	for at < len(text) && !startsRune(text[at]) {
		at++
	}
	return at
}

func startsRune(b byte) bool { return b&0xC0 != 0x80 }
