package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

// showNotebook writes a notebook for people: each cell with its source and what
// came of it. Terminal says that the text must not steer one.
func showNotebook(w io.Writer, id string, n *notebook.Notebook, terminal bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s  %s, at %d\n", cleanLine(n.Title()), id, cells(len(n.Cells())), n.Seq())
	for i, cell := range n.Cells() {
		b.WriteByte('\n')
		showCell(&b, i+1, n, n.Cell(cell))
	}
	text := b.String()
	if terminal {
		text = clean(text)
	}
	_, err := io.WriteString(w, text)
	return err
}

func cells(n int) string {
	if n == 1 {
		return "1 cell"
	}
	return fmt.Sprintf("%d cells", n)
}

func showCell(b *strings.Builder, position int, n *notebook.Notebook, c *notebook.Cell) {
	fmt.Fprintf(b, "@%d  %s  %s\n", position, c.ID, strings.Join(cellMarks(n, c), "  "))
	indent(b, "  | ", c.Source())
	for _, id := range c.Outputs {
		v := n.Output(id).Value()
		indent(b, "    ", outputText(&v))
	}
}

// cellMarks are what the head of a cell says of it.
func cellMarks(n *notebook.Notebook, c *notebook.Cell) []string {
	marks := []string{string(c.Kind)}
	if c.Language != "" {
		marks[0] += " " + c.Language
	}
	if c.Count > 0 {
		marks = append(marks, fmt.Sprintf("[%d]", c.Count))
	}
	if r := n.Run(c.Run); r != nil {
		marks = append(marks, runMark(r))
	}
	return marks
}

func runMark(r *notebook.Run) string {
	switch {
	case r.State != notebook.RunFinished:
		return string(r.State)
	case r.Took > 0:
		return string(r.Status) + " in " + (time.Duration(r.Took) * time.Millisecond).String()
	}
	return string(r.Status) + because(r.Reason)
}

// indent writes each line of a text behind a prefix.
func indent(b *strings.Builder, prefix, text string) {
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		b.WriteString(strings.TrimRight(prefix+line, " "))
		b.WriteByte('\n')
	}
}

// shownNotebook is the JSON form of a notebook for scripts.
type shownNotebook struct {
	ID    string      `json:"id"`
	Title string      `json:"title"`
	Seq   event.Seq   `json:"seq"`
	Cells []shownCell `json:"cells"`
}

// shownCell is a cell of a [shownNotebook].
type shownCell struct {
	ID       event.CellID   `json:"id"`
	Kind     event.CellKind `json:"kind"`
	Language string         `json:"language,omitempty"`
	Source   string         `json:"source"`
	Count    int            `json:"count,omitempty"`
	Run      *shownRun      `json:"run,omitempty"`
	Outputs  []event.Output `json:"outputs"`
}

// shownRun is the latest run of a [shownCell].
type shownRun struct {
	ID     event.RunID       `json:"id"`
	State  notebook.RunState `json:"state"`
	Status event.RunStatus   `json:"status,omitempty"`
	Reason string            `json:"reason,omitempty"`
	Took   int64             `json:"took,omitempty"`
}

// showJSON writes a notebook for scripts.
func showJSON(w io.Writer, id string, n *notebook.Notebook) error {
	out := shownNotebook{ID: id, Title: n.Title(), Seq: n.Seq(), Cells: []shownCell{}}
	for _, cell := range n.Cells() {
		out.Cells = append(out.Cells, shownCellOf(n, n.Cell(cell)))
	}
	return writeJSON(w, out)
}

func shownCellOf(n *notebook.Notebook, c *notebook.Cell) shownCell {
	s := shownCell{
		ID: c.ID, Kind: c.Kind, Language: c.Language, Source: c.Source(), Count: c.Count, Outputs: []event.Output{},
	}
	if r := n.Run(c.Run); r != nil {
		s.Run = &shownRun{ID: r.ID, State: r.State, Status: r.Status, Reason: r.Reason, Took: r.Took}
	}
	for _, id := range c.Outputs {
		s.Outputs = append(s.Outputs, n.Output(id).Value())
	}
	return s
}

// writeJSON writes a value for scripts and people alike.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
