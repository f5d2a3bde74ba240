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
func formatName(file string, reading bool) (string, error) {
	if base := filepath.Base(file); base == "." || base == ".." { // a directory, which reading finds out
		return "ipynb", nil
	}
	switch ext := strings.ToLower(filepath.Ext(file)); ext {
	case "":
		return "ipynb", nil
	case ".markdown":
		return "md", nil
	case ".htm":
		return checkFormat("html", reading)
	default:
		return checkFormat(strings.TrimPrefix(ext, "."), reading)
	}
}

// checkFormat returns the name of a format if notebooks can be read, or written, in such a one.
func checkFormat(name string, reading bool) (string, error) {
	name = strings.ToLower(name)
	_, script := plain.ScriptOf("." + name)
	if script || name == "ipynb" || name == "md" || name == "html" && !reading {
		return name, nil
	}
	return "", fail(exitUsage, "%s", plain.NoFormat(name, reading))
}

// importBook reads a notebook from a file, in the format that its name ends with.
func importBook(file string, data []byte) ([]event.Payload, error) {
	format, err := formatName(file, true)
	if err != nil {
		return nil, err
	}
	switch format {
	case "ipynb":
		return ipynb.Import(data)
	case "md":
		return plain.ImportMarkdown(data)
	}
	script, _ := plain.ScriptOf("." + format)
	return plain.ImportPercent(data, script)
}

// exportBook writes a notebook, with what it has outside the log, in the format that a
// file's name ends with.
func exportBook(ctx context.Context, w io.Writer, file string, n *notebook.Notebook, from artifact.Source) error {
	format, err := formatName(file, false)
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

// leftOut returns how many attached files a file of a name does not hold.
func leftOut(file string, n *notebook.Notebook) int {
	format, err := formatName(file, false)
	if err != nil || format == "ipynb" || format == "html" {
		return 0
	}
	return plain.Attachments(n)
}

// exportPage writes a notebook as a page of HTML.
func exportPage(ctx context.Context, n *notebook.Notebook, from artifact.Source) ([]byte, error) {
	o := html.Options{}
	if from != nil {
		o.Open = func(a event.Artifact) (io.ReadCloser, error) { return from.Open(ctx, a) }
	}
	return html.Export(n, o)
}
