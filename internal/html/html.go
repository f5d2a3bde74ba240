// Package html writes a notebook as one page that needs nothing else: a file to
// send, to keep and to print.
//
// The content of a notebook is untrusted, and the page is opened as a local file of its
// reader. So nothing in it runs and nothing is fetched: Markdown and HTML are sanitised,
// pictures are data in the page, and a policy in its head blocks anything that passes
// the sanitiser. The page has no script of our own either.
package html

import (
	_ "embed"
	"fmt"
	"html"
	"io"
	"strconv"
	"strings"

	"github.com/quirehq/quire/core/event"
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
	b        strings.Builder
	book     *notebook.Notebook
	language string // of cells without a language
	code     *highlighter
	cleaner  *cleaner

	open    func(event.Artifact) (io.ReadCloser, error)
	inlined int64 // bytes of artifacts in the page
}

func newPage(n *notebook.Notebook) (*page, error) {
	code, err := newHighlighter()
	if err != nil {
		return nil, err
	}
	return &page{book: n, language: notebook.Language(n.Metadata()), code: code, cleaner: newCleaner(code)}, nil
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
		text, err = p.cleaner.markdown(source, attachmentsOf(c))
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
