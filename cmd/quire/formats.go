package main

import (
	"context"
	"io"
	"path/filepath"
	"strings"

	"github.com/quirehq/quire/core/artifact"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/ipynb"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/plain"
	"github.com/quirehq/quire/internal/html"
)

// formatName returns the name of the format that a file's name ends with: that of a
// Jupyter file where it says nothing, as - for stdin.
func formatName(file string) (string, error) {
	switch ext := strings.ToLower(filepath.Ext(file)); ext {
	case "":
		return "ipynb", nil
	case ".markdown":
		return "md", nil
	case ".htm":
		return "html", nil
	default:
		return checkFormat(strings.TrimPrefix(ext, "."))
	}
}

// checkFormat returns the name of a format if there is such a one.
func checkFormat(name string) (string, error) {
	name = strings.ToLower(name)
	_, script := plain.ScriptOf("." + name)
	if script || name == "ipynb" || name == "md" || name == "html" {
		return name, nil
	}
	return "", fail(exitUsage, "there is no format %q: want ipynb, py, md or html, or the ending of another language's programs", name)
}

// importBook reads a notebook from a file, in the format that its name ends with.
func importBook(file string, data []byte) ([]event.Payload, error) {
	format, err := formatName(file)
	if err != nil {
		return nil, err
	}
	switch format {
	case "ipynb":
		return ipynb.Import(data)
	case "md":
		return plain.ImportMarkdown(data)
	case "html":
		return nil, fail(exitUsage, "pages of HTML are written and not read: want ipynb, py or md")
	}
	script, _ := plain.ScriptOf("." + format)
	return plain.ImportPercent(data, script)
}

// exportBook writes a notebook, with what it has outside the log, in the format that a
// file's name ends with.
func exportBook(ctx context.Context, w io.Writer, file string, n *notebook.Notebook, from artifact.Source) error {
	format, err := formatName(file)
	if err != nil {
		return err
	}
	var data []byte
	switch format {
	case "ipynb":
		return ipynb.Write(ctx, w, n, from)
	case "md":
		data, err = plain.ExportMarkdown(n)
	case "html":
		data, err = exportPage(ctx, n, from)
	default:
		script, _ := plain.ScriptOf("." + format)
		data, err = plain.ExportPercent(n, script)
	}
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}

// exportPage writes a notebook as a page of HTML.
func exportPage(ctx context.Context, n *notebook.Notebook, from artifact.Source) ([]byte, error) {
	o := html.Options{}
	if from != nil {
		o.Open = func(a event.Artifact) (io.ReadCloser, error) { return from.Open(ctx, a) }
	}
	return html.Export(n, o)
}
