// Package html writes a notebook as one page that needs nothing else: a file to
// send, to keep and to print.
//
// The content of a notebook is untrusted, and the page is opened as a local file of its
// reader. So nothing in it runs and nothing is fetched: Markdown and HTML are sanitised,
// pictures are data in the page, and a policy in its head blocks anything that passes
// the sanitiser. The page has no script of our own either.
package html

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang/names"
	"github.com/quirehq/quire/core/notebook"
)

// Policy is the content security policy in the head of the page. A server should send it too.
const Policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

// Options are the options of an export. The zero value is useful.
type Options struct {
	Title string // of a notebook without a title; "Untitled" if empty
	// Open opens artifacts of outputs: up to 16 MiB of each and 64 MiB in all are included in the
	// page. The error fs.ErrNotExist says that one is missing. Without Open, and beyond the bounds,
	// the page names the artifacts.
	Open func(event.Artifact) (io.ReadCloser, error)
}

//go:embed style.css
var style string

// Export writes a notebook as a page of HTML.
func Export(n *notebook.Notebook, o Options) ([]byte, error) {
	p, err := newPage(n)
	if err != nil {
		return nil, err
	}
	p.open = o.Open
	title := n.Title()
	if title == "" {
		title = o.Title
	}
	if title == "" {
		title = "Untitled"
	}
	p.head(title)
	if !p.beginsWithHeading(n) {
		p.add("<header><h1>", html.EscapeString(title), "</h1></header>\n")
	}
	for _, id := range n.Cells() {
		if err := p.cell(n.Cell(id)); err != nil {
			return nil, fmt.Errorf("cell %s: %w", id, err)
		}
	}
	p.add("</main>\n</body>\n</html>\n")
	return []byte(p.b.String()), nil
}

// page is a page under construction.
type page struct {
	b         strings.Builder
	book      *notebook.Notebook
	language  string // of cells without a language
	code      *highlighter
	sanitiser *sanitiser

	open    func(event.Artifact) (io.ReadCloser, error)
	inlined int64 // bytes of artifacts in the page
}

func newPage(n *notebook.Notebook) (*page, error) {
	code, err := newHighlighter()
	if err != nil {
		return nil, err
	}
	return &page{book: n, language: notebook.Language(n.Metadata()), code: code, sanitiser: newSanitiser(code)}, nil
}

func (p *page) add(parts ...string) {
	for _, part := range parts {
		p.b.WriteString(part)
	}
}

func (p *page) head(title string) {
	p.add("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
		"<meta http-equiv=\"Content-Security-Policy\" content=\"", html.EscapeString(Policy), "\">\n",
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
		"<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n",
		"<meta name=\"generator\" content=\"Quire\">\n",
		"<title>", html.EscapeString(title), "</title>\n<style>\n", style, "</style>\n</head>\n<body>\n<main>\n")
}

// beginsWithHeading reports whether the first cell has the notebook's title.
func (p *page) beginsWithHeading(n *notebook.Notebook) bool {
	if len(n.Cells()) == 0 {
		return false
	}
	first := n.Cell(n.Cells()[0])
	return first.Kind == event.KindMarkdown && !first.HideSource && strings.HasPrefix(strings.TrimSpace(first.Source()), "# ")
}

// cell adds a cell. An empty one adds nothing.
func (p *page) cell(c *notebook.Cell) error {
	source := strings.Trim(c.Source(), "\r\n")
	if strings.TrimSpace(source) == "" && len(c.Outputs) == 0 {
		return nil
	}
	p.add("<section class=\"q-cell q-is-", string(c.Kind), "\">\n")
	if strings.TrimSpace(source) != "" {
		if err := p.source(c, source); err != nil {
			return err
		}
	}
	if len(c.Outputs) > 0 && c.Kind != event.KindMarkdown && c.Kind != event.KindRaw {
		if err := p.outputs(c); err != nil {
			return err
		}
	}
	p.add("</section>\n")
	return nil
}

// source adds the source of a cell.
func (p *page) source(c *notebook.Cell, source string) error {
	text := ""
	var err error
	switch c.Kind {
	case event.KindMarkdown, event.KindAI:
		text, err = p.sanitiser.markdown(source, attachmentsOf(c))
		text = "<div class=\"q-text\">\n" + text + "</div>\n"
	case event.KindRaw:
		text = "<pre class=\"q-source\">" + html.EscapeString(source) + "</pre>\n"
	default:
		text = "<pre class=\"q-source\"><code>" + p.code.highlight(source, p.lexerOf(c)) + "</code></pre>\n"
	}
	if err != nil {
		return err
	}
	p.add("<div class=\"q-mark\">", mark(c), "</div>\n")
	p.folded(c.HideSource, "Source", text)
	return nil
}

// attachmentsOf returns the attachments in a cell's Jupyter metadata.
func attachmentsOf(c *notebook.Cell) attachments {
	var kept struct {
		Attachments attachments `json:"attachments"`
	}
	_ = json.Unmarshal(c.Metadata["ipynb"], &kept) // invalid metadata has none
	return kept.Attachments
}

// lexerOf returns the name of a cell's language.
func (p *page) lexerOf(c *notebook.Cell) string {
	if c.Kind == event.KindSQL {
		return names.SQL
	}
	return cmp.Or(c.Language, p.language)
}

// mark returns the label beside a cell.
func mark(c *notebook.Cell) string {
	switch {
	case c.Kind == event.KindAI:
		return "AI"
	case (c.Kind == event.KindCode || c.Kind == event.KindSQL) && c.Count > 0:
		return "[" + strconv.Itoa(c.Count) + "]"
	case c.Kind == event.KindCode || c.Kind == event.KindSQL:
		return "[&nbsp;]"
	}
	return ""
}

// folded adds a text that is visible, or collapsed.
func (p *page) folded(hide bool, name, text string) {
	if !hide {
		p.add("<div class=\"q-body\">\n", text, "</div>\n")
		return
	}
	p.add("<details class=\"q-body\"><summary>", name, "</summary>\n", text, "</details>\n")
}

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
		text, err := p.sanitiser.markdown(v.Text, nil)
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

// traceOf returns an error with its trace and its place.
func traceOf(e *event.Error) string {
	if e == nil {
		return ""
	}
	return strings.Join(e.Lines(), "\n")
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
		if clean := p.sanitiser.html(source, nil); hasContent(clean) {
			return "<div class=\"q-html\">\n" + clean + "\n</div>\n", nil
		}
	}
	if source := textOf(v, "text/markdown"); source != "" {
		text, err := p.sanitiser.markdown(source, nil)
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

// latexFormula returns the formula in a LaTeX output without its delimiters, and whether it is one.
func latexFormula(source string) (tex string, display, ok bool) {
	s := strings.TrimSpace(source)
	for _, pair := range []struct {
		begin, end string
		display    bool
	}{{"$$", "$$", true}, {`\[`, `\]`, true}, {`\(`, `\)`, false}, {"$", "$", false}} {
		if inner, found := strings.CutPrefix(s, pair.begin); found && len(s) > len(pair.begin) {
			if inner, found = strings.CutSuffix(inner, pair.end); found {
				return strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(inner), `\displaystyle`)), pair.display, true
			}
		}
	}
	if _, found := environmentOf(s); found {
		return s, true, true
	}
	return "", false, false
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
