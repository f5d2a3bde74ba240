package webapp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/quirehq/quire/core/ansi"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/view"
)

// tallScreen is the number of lines that a tall window shows: a first paint has no more.
const tallScreen = 110

// writeScreen writes the first cells as the script of the page will show them, in the classes of
// web/src/shell/firstScreen.css. It stops behind the first element whose height is not known
// here, so that nothing moves when the script takes over.
func writeScreen(b *bytes.Buffer, rows *view.Batch) {
	s := screen{b: b, runs: map[event.RunID]view.Run{}, outputs: map[event.OutputID]event.Output{}}
	for _, r := range rows.Runs {
		s.runs[r.ID] = r
	}
	for _, o := range rows.Outputs {
		s.outputs[o.ID] = o.Value
	}
	title := rows.Notebook.Title
	if strings.TrimSpace(title) == "" {
		title = "Untitled"
	}
	fmt.Fprintf(b, `<div id="first" class="first" inert><div class="first-head"><i class="first-back"></i><b class="first-title">%s</b></div>`, escaped(title))
	b.WriteString(`<div class="first-view"><div class="first-list">`)
	for _, c := range rows.Cells {
		if s.lines > tallScreen || !s.cell(c) {
			break
		}
	}
	b.WriteString(`</div></div></div>`)
}

// screen is a first paint that is being written.
type screen struct {
	b       *bytes.Buffer
	runs    map[event.RunID]view.Run
	outputs map[event.OutputID]event.Output
	lines   int
}

// cell writes a cell, and reports whether its height is known.
func (s *screen) cell(c view.Cell) bool {
	s.b.WriteString(`<div class="first-cell"><div class="first-gutter">`)
	if c.Kind != event.KindMarkdown && c.Kind != event.KindRaw {
		s.gutter(c)
	}
	s.b.WriteString(`</div><div class="first-content">`)
	known := s.source(c)
	if known && len(c.Outputs) > 0 {
		known = s.cellOutputs(c)
	}
	s.b.WriteString(`</div></div>`)
	return known
}

// gutter writes the execution count of a cell, and the space for the state of its latest run.
func (s *screen) gutter(c view.Cell) {
	count := " "
	if c.Count > 0 {
		count = fmt.Sprint(c.Count)
	}
	if r, ok := s.runs[c.Run]; ok && r.Finished == 0 {
		count = "*"
	}
	fmt.Fprintf(s.b, `<span class="first-count">[%s]</span><i class="first-run"></i>`, count)
	if _, ok := s.runs[c.Run]; ok {
		s.b.WriteString(`<i class="first-state"></i>`)
	}
}

func (s *screen) source(c view.Cell) bool {
	source := c.Text.Source
	switch {
	case c.HideSource:
		s.b.WriteString(`<div class="first-folded"></div>`)
		return true
	case c.Kind == event.KindMarkdown:
		writeProse(s.b, source)
		s.lines += 2 + strings.Count(source, "\n")
		return true
	}
	wraps := ""
	if c.Kind == event.KindAI || c.Kind == event.KindRaw {
		wraps = " first-wraps"
	}
	fmt.Fprintf(s.b, `<pre class="first-source%s" data-kind="%s">%s</pre>`, wraps, escaped(string(c.Kind)), s.text(source))
	return c.Kind != event.KindAI // an AI cell has a note below
}

// text returns the lines of a text that fit, escaped. An empty text has one line.
func (s *screen) text(text string) string {
	lines := strings.SplitAfterN(clipped(text), "\n", tallScreen+2)
	if len(lines) > tallScreen {
		lines = lines[:tallScreen]
	}
	s.lines += 2 + len(lines)
	text = strings.Join(lines, "")
	if text == "" || strings.HasSuffix(text, "\n") {
		text += "\u200b" // else the last line has no height
	}
	// HTML drops a line end that follows the tag directly.
	return "\n" + escaped(text)
}

func (s *screen) cellOutputs(c view.Cell) bool {
	if c.HideOutputs {
		return false
	}
	s.b.WriteString(`<div class="first-outputs">`)
	defer s.b.WriteString(`</div>`)
	var above event.Output
	for _, id := range c.Outputs {
		o := s.outputs[id]
		text, ok := plainText(o)
		if !ok {
			return false
		}
		joined := above.Kind == event.OutputStream && o.Kind == event.OutputStream && above.Stream == o.Stream
		s.output(text, joined)
		if strings.Count(text, "\n") > shortOutput {
			return false // the page cuts it, by the height of the window
		}
		above = o
	}
	return true
}

// shortOutput is the number of lines up to which the page never cuts an output.
const shortOutput = 15

func (s *screen) output(text string, joined bool) {
	class := "first-output"
	if joined {
		class += " first-joined"
	}
	fmt.Fprintf(s.b, `<pre class="%s">%s</pre>`, class, s.text(ansi.Plain(clipped(strings.TrimSuffix(text, "\n")))))
}

// clipped returns at most as much of a text as a screen could show.
func clipped(text string) string {
	const most = 64 << 10
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}

// plainText returns the text of an output that the page shows as plain text.
func plainText(o event.Output) (string, bool) {
	if len(o.Artifacts) > 0 {
		return "", false
	}
	switch o.Kind {
	case event.OutputStream:
		return o.Text, true
	case event.OutputDisplay, event.OutputResult:
		var text string
		if plain, ok := o.Data["text/plain"]; ok && len(o.Data) == 1 && json.Unmarshal(plain, &text) == nil {
			return text, true
		}
	}
	return "", false
}

// writeProse writes Markdown in a simple way: headings and paragraphs are elements, and the rest
// is shown as it was typed until the script renders it.
func writeProse(b *bytes.Buffer, source string) {
	b.WriteString(`<div class="first-prose">`)
	for part := range strings.SplitSeq(strings.TrimSpace(clipped(source)), "\n\n") {
		lines := strings.Split(strings.Trim(part, "\n"), "\n")
		if slices.Equal(lines, []string{""}) {
			continue
		}
		if level, rest := headingOf(lines[0]); level > 0 {
			fmt.Fprintf(b, `<h%d>%s</h%d>`, level, escaped(rest), level)
			lines = lines[1:]
		}
		if len(lines) > 0 {
			fmt.Fprintf(b, `<p>%s</p>`, escaped(strings.Join(lines, "\n")))
		}
	}
	b.WriteString(`</div>`)
}

// headingOf returns the level and the text of a heading; the level is 0 for another line.
func headingOf(line string) (level int, text string) {
	rest := strings.TrimLeft(line, "#")
	level = len(line) - len(rest)
	if level < 1 || level > 6 || !strings.HasPrefix(rest, " ") {
		return 0, ""
	}
	return level, strings.TrimSpace(rest)
}

func escaped(text string) string { return html.EscapeString(text) }
