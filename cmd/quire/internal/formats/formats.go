// Package formats has the files that notebooks are read from and written to. The name of a file says its format.
package formats

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
	"github.com/quirehq/quire/host/terminal"
	"github.com/quirehq/quire/internal/html"
)

// Name returns the name of the format that a file's name ends with: that of a
// Jupyter file where it has none, as - for stdin.
func Name(file string, reading bool) (string, error) {
	if base := filepath.Base(file); base == "." || base == ".." { // a directory, which reading finds out
		return "ipynb", nil
	}
	switch ext := strings.ToLower(filepath.Ext(file)); ext {
	case "":
		return "ipynb", nil
	case ".markdown":
		return "md", nil
	case ".htm":
		return Check("html", reading)
	default:
		return Check(strings.TrimPrefix(ext, "."), reading)
	}
}

// Check returns the name of a format if notebooks can be read, or written, in such a one.
func Check(name string, reading bool) (string, error) {
	name = strings.ToLower(name)
	_, script := plain.ScriptOf("." + name)
	if script || name == "ipynb" || name == "md" || name == "html" && !reading {
		return name, nil
	}
	return "", terminal.Fail(terminal.Usage, "%s", plain.NoFormat(name, reading))
}

// Import reads a notebook from a file, in the format that its name ends with.
func Import(file string, data []byte) ([]event.Payload, error) {
	format, err := Name(file, true)
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

// Export writes a notebook, with its artifacts, in the format that a file's name ends
// with.
func Export(ctx context.Context, w io.Writer, file string, n *notebook.Notebook, from artifact.Source) error {
	format, err := Name(file, false)
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
		data, err = Page(ctx, n, from)
	default:
		script, _ := plain.ScriptOf("." + format)
		data, err = plain.ExportPercent(n, script)
	}
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}

// LeftOut returns how many attached files a file of a name does not hold.
func LeftOut(file string, n *notebook.Notebook) int {
	format, err := Name(file, false)
	if err != nil || format == "ipynb" || format == "html" {
		return 0
	}
	return plain.Attachments(n)
}

// Page writes a notebook as a page of HTML.
func Page(ctx context.Context, n *notebook.Notebook, from artifact.Source) ([]byte, error) {
	o := html.Options{}
	if from != nil {
		o.Open = func(a event.Artifact) (io.ReadCloser, error) { return from.Open(ctx, a) }
	}
	return html.Export(n, o)
}

// FoldInto folds payloads into a notebook that has no other user.
func FoldInto(n *notebook.Notebook, payloads []event.Payload) error {
	for _, p := range payloads {
		e := &event.Event{Seq: n.Seq() + 1, ID: event.ID{Client: "file", N: uint64(n.Seq()) + 1}, Payload: p}
		if _, err := n.Admit(e, nil); err != nil {
			return err
		}
	}
	return nil
}

// Fold returns a notebook of payloads.
func Fold(payloads []event.Payload) (*notebook.Notebook, error) {
	n := notebook.New()
	if err := FoldInto(n, payloads); err != nil {
		return nil, err
	}
	return n, nil
}

// All returns the formats of files, each once.
func All() []string {
	list := []string{"ipynb", "md", "html"}
	for _, extension := range plain.Extensions() {
		list = append(list, strings.TrimPrefix(extension, "."))
	}
	return list
}
