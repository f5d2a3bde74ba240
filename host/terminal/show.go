package terminal

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/quirehq/quire/core/artifact"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

// Show writes a notebook for users: each cell with its source and its outputs. Terminal
// reports that the text is for a terminal, which it must not control. With open, texts
// that are artifacts are written whole.
func Show(w io.Writer, id string, n *notebook.Notebook, terminal bool, open OpenArtifact) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s  %s, at %d\n", CleanLine(n.Title()), id, cells(len(n.Cells())), n.Seq())
	for _, rt := range runtimesOf(n) {
		if rt.Brought != "" {
			fmt.Fprintf(&b, "%s is run by %s%s\n", rt.Takes, CleanLine(cmp.Or(rt.Name, "runtime "+string(rt.ID))), CleanLine(broughtBy(rt.Brought)))
		}
	}
	for i, cell := range n.Cells() {
		b.WriteByte('\n')
		if err := showCell(&b, i+1, n, n.Cell(cell), open); err != nil {
			return err
		}
	}
	text := b.String()
	if terminal {
		text = Clean(text)
	}
	_, err := io.WriteString(w, text)
	return err
}

// runtimesOf returns the runtimes that have not stopped.
func runtimesOf(n *notebook.Notebook) (all []*notebook.Runtime) {
	for _, takes := range event.Kinds() {
		if rt := n.Runtime(takes); rt != nil && rt.State != notebook.RuntimeStopped {
			all = append(all, rt)
		}
	}
	return all
}

// ShowDeleted writes the deleted cells for users.
func ShowDeleted(w io.Writer, n *notebook.Notebook) error {
	var b strings.Builder
	for i, c := range n.Deleted() {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s  %s\n", c.ID, strings.Join(cellMarks(n, c), "  "))
		indent(&b, "  | ", c.Source())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func cells(n int) string {
	if n == 1 {
		return "1 cell"
	}
	return fmt.Sprintf("%d cells", n)
}

func showCell(b *strings.Builder, position int, n *notebook.Notebook, c *notebook.Cell, open OpenArtifact) error {
	fmt.Fprintf(b, "@%d  %s  %s\n", position, c.ID, strings.Join(cellMarks(n, c), "  "))
	indent(b, "  | ", c.Source())
	shown := c.ShownOutputs()
	for i := 0; i < len(shown); i++ {
		v := n.Output(shown[i]).Value()
		if err := inWhole(&v, open); err != nil {
			return err
		}
		for i+1 < len(shown) && goesOn(n, shown[i], shown[i+1]) {
			i++
			more := n.Output(shown[i]).Value()
			if err := inWhole(&more, open); err != nil {
				return err
			}
			v = joinedText(&v, &more)
		}
		indent(b, "    ", outputText(&v))
	}
	return nil
}

// joinedText returns two outputs of one stream as one. Of a text that was kept in two parts
// the artifact has the second.
func joinedText(v, more *event.Output) event.Output {
	joined := *v
	if len(more.Artifacts) == 0 {
		joined.Text += more.Text
		return joined
	}
	joined.Text = fmt.Sprintf("%s\n%s\n[all that follows its first %d bytes: %s]",
		strings.TrimSuffix(v.Text, "\n"), strings.TrimSuffix(more.Text, "\n"), len(v.Text), artifactList(more.Artifacts))
	return joined
}

// goesOn reports whether an output is of the same stream of the same run as the one before
// it: their texts are one.
func goesOn(n *notebook.Notebook, before, id event.OutputID) bool {
	x, y := n.Output(before), n.Output(id)
	v, w := x.Value(), y.Value()
	return x.Run == y.Run && v.Kind == event.OutputStream && w.Kind == event.OutputStream && v.Stream == w.Stream && len(v.Artifacts) == 0
}

// inWhole puts the plain text of an output that is an artifact in the place of its excerpt.
func inWhole(v *event.Output, open OpenArtifact) error {
	a, ok := v.Artifacts[artifact.Plain]
	if !ok || open == nil {
		return nil
	}
	r, err := open(a)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(r)
	if err = errors.Join(err, r.Close()); err != nil {
		return fmt.Errorf("read artifact %s: %w", a.Hash, err)
	}
	v.Artifacts = maps.Clone(v.Artifacts)
	delete(v.Artifacts, artifact.Plain)
	if v.Kind == event.OutputStream {
		v.Text = string(text)
		return nil
	}
	v.Data = maps.Clone(v.Data)
	v.Data[artifact.Plain], err = artifact.Value(artifact.Plain, text)
	return err
}

// cellMarks returns the marks in the head of a cell.
func cellMarks(n *notebook.Notebook, c *notebook.Cell) []string {
	marks := []string{string(c.Kind)}
	if c.Language != "" {
		marks[0] += " " + c.Language
	}
	if c.Count > 0 {
		marks = append(marks, fmt.Sprintf("[%d]", c.Count))
	}
	if r := n.Run(c.Run); r != nil {
		mark := runMark(r, isShown(n, c, r.Reason))
		if r.State == notebook.RunPending && isExecuting(n, c) {
			mark = fmt.Sprintf("%s, and %s again", notebook.RunStarted, mark)
		}
		marks = append(marks, mark)
	}
	return marks
}

// isExecuting reports whether a cell executes, which may be an earlier run than its last.
func isExecuting(n *notebook.Notebook, c *notebook.Cell) bool {
	return slices.ContainsFunc(n.Queue(), func(id event.RunID) bool {
		r := n.Run(id)
		return r.Cell == c.ID && r.State == notebook.RunStarted
	})
}

// isShown reports whether a reason is among the errors that a cell shows: an engine that
// died is one.
func isShown(n *notebook.Notebook, c *notebook.Cell, reason string) bool {
	return slices.ContainsFunc(c.ShownOutputs(), func(id event.OutputID) bool {
		v := n.Output(id).Value()
		return v.Error != nil && v.Error.Message == reason
	})
}

// runMark returns the state of a run, and the reason of its end unless that is shown below.
func runMark(r *notebook.Run, shown bool) string {
	if r.State != notebook.RunFinished {
		return string(r.State)
	}
	mark := string(r.Status)
	if took := r.Duration(); took > 0 {
		mark += " in " + (time.Duration(took) * time.Millisecond).String()
	}
	if r.Took > 0 && r.Status == event.StatusOK || shown {
		return mark
	}
	return mark + because(whyEnded(r.Cause, r.Reason))
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
