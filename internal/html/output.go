package html

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"slices"
	"strings"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

// outputs adds the outputs of a cell.
func (p *page) outputs(c *notebook.Cell) error {
	var b strings.Builder
	for i := 0; i < len(c.Outputs); i++ {
		id := c.Outputs[i]
		v := p.book.Output(id).Value()
		for i+1 < len(c.Outputs) && p.continues(c.Outputs[i], c.Outputs[i+1]) {
			i++
			more := p.book.Output(c.Outputs[i]).Value()
			if err := p.inline(&more); err != nil {
				return fmt.Errorf("output %s: %w", c.Outputs[i], err)
			}
			v.Text, v.Artifacts = v.Text+more.Text, more.Artifacts
		}
		text, err := p.output(&v)
		if err != nil {
			return fmt.Errorf("output %s: %w", id, err)
		}
		b.WriteString(text)
	}
	p.add("<div class=\"q-mark\"></div>\n")
	p.folded(c.HideOutputs, "Output", "<div class=\"q-outputs\">\n"+b.String()+"</div>\n")
	return nil
}

// continues reports whether an output continues the stream of the previous one in the same run:
// their texts are shown as one.
func (p *page) continues(before, id event.OutputID) bool {
	x, y := p.book.Output(before), p.book.Output(id)
	v, w := x.Value(), y.Value()
	return x.Run == y.Run && v.Kind == event.OutputStream && w.Kind == event.OutputStream && v.Stream == w.Stream && len(v.Artifacts) == 0
}

// output returns an output as HTML.
func (p *page) output(v *event.Output) (string, error) {
	if err := p.inline(v); err != nil {
		return "", err
	}
	missing := notes(v.Artifacts)
	switch v.Kind {
	case event.OutputStream:
		class := "q-stream"
		if v.Stream == event.Stderr {
			class = "q-stream q-stderr"
		}
		return printed(class, v.Text) + missing, nil
	case event.OutputError:
		return "<pre class=\"q-error\">\n" + terminal(traceOf(v.Error)) + "</pre>\n", nil
	case event.OutputMarkdown:
		text, err := p.cleaner.markdown(v.Text, nil)
		return "<div class=\"q-text\">\n" + text + "</div>\n", err
	}
	shown, err := p.display(v)
	if shown == "" && missing == "" && err == nil {
		shown = note("This output cannot be shown here: " + strings.Join(slices.Sorted(maps.Keys(v.Data)), ", "))
	}
	return shown + missing, err
}

// longText is the number of lines from which a text is in a scrolling box.
const longText = 100

// printed returns a text as HTML, complete, in a scrolling box if it is long.
func printed(class, text string) string {
	attributes := ""
	if strings.Count(text, "\n") > longText {
		class += " q-long"
		attributes = " tabindex=\"0\""
	}
	return "<pre class=\"" + class + "\"" + attributes + ">\n" + terminal(strings.TrimSuffix(text, "\n")) + "</pre>\n"
}

// traceOf returns the lines of an error, its trace if it has one.
func traceOf(e *event.Error) string {
	switch {
	case e == nil:
		return ""
	case len(e.Trace) > 0:
		return strings.Join(e.Trace, "\n")
	}
	return e.Name + ": " + e.Message
}

// notes lists the artifacts of an output that are not in the page.
func notes(artifacts map[string]event.Artifact) string {
	var b strings.Builder
	for _, mime := range slices.Sorted(maps.Keys(artifacts)) {
		b.WriteString(note(fmt.Sprintf("%s of %d bytes is not in this file: sha256 %s", mime, artifacts[mime].Size, artifacts[mime].Hash)))
	}
	return b.String()
}

func note(text string) string { return "<p class=\"q-note\">" + html.EscapeString(text) + "</p>\n" }

// display returns the best representation of an output that the page can show, empty if there is
// none.
func (p *page) display(v *event.Output) (string, error) {
	if source := textOf(v, "text/html"); source != "" {
		// HTML that depends on scripts has no visible content.
		if clean := p.cleaner.html(source, nil); hasContent(clean) {
			return "<div class=\"q-html\">\n" + clean + "\n</div>\n", nil
		}
	}
	if source := textOf(v, "text/markdown"); source != "" {
		text, err := p.cleaner.markdown(source, nil)
		return "<div class=\"q-text\">\n" + text + "</div>\n", err
	}
	for _, mime := range pictures {
		if uri := dataURI(mime, textOf(v, mime)); uri != "" && textOf(v, mime) != "" {
			return picture(v, mime, uri), nil
		}
	}
	if source := textOf(v, "text/latex"); source != "" {
		if tex, display, ok := latexFormula(source); ok {
			return "<div class=\"q-latex\">" + setFormula(tex, display) + "</div>\n", nil
		}
		return "<pre class=\"q-latex\">" + html.EscapeString(source) + "</pre>\n", nil
	}
	if value := v.Data["application/json"]; len(value) > 0 {
		var b bytes.Buffer
		if json.Indent(&b, value, "", "  ") == nil {
			return "<pre class=\"q-stream\">" + p.code.highlight(b.String(), "json") + "</pre>\n", nil
		}
	}
	if _, ok := v.Data["text/plain"]; ok {
		return printed("q-stream", textOf(v, "text/plain")), nil
	}
	return "", nil
}

// textOf returns the data of a MIME type if it is text, empty otherwise.
func textOf(v *event.Output, mime string) string {
	var s string
	_ = json.Unmarshal(v.Data[mime], &s) // other data counts as missing
	return s
}

// hasContent reports whether sanitised HTML has visible content.
func hasContent(clean string) bool {
	if strings.Contains(clean, "<img src=") || strings.Contains(clean, "<hr") {
		return true
	}
	for clean != "" {
		text, rest, _ := strings.Cut(clean, "<")
		if strings.TrimSpace(text) != "" {
			return true
		}
		_, clean, _ = strings.Cut(rest, ">")
	}
	return false
}

// picture returns a picture in the size of its metadata.
func picture(v *event.Output, mime, uri string) string {
	var size map[string]struct{ Width, Height float64 }
	if raw, err := json.Marshal(v.Metadata); err == nil {
		_ = json.Unmarshal(raw, &size) // other metadata is ignored
	}
	alt := textOf(v, "text/plain")
	if alt == "" || len(alt) > 200 || strings.HasPrefix(alt, "<") {
		alt = "Output"
	}
	attributes := ""
	if s := size[mime]; s.Width > 0 && s.Width < 1e4 {
		attributes += fmt.Sprintf(" width=\"%.0f\"", s.Width)
	}
	return "<p class=\"q-picture\"><img src=\"" + uri + "\" alt=\"" + html.EscapeString(alt) + "\"" + attributes + "></p>\n"
}
