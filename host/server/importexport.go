package server

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/quirehq/quire/core/artifact"
	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/ipynb"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/plain"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server/csp"
	"github.com/quirehq/quire/host/server/problem"
	"github.com/quirehq/quire/host/server/transfer"
)

// The types of files. A page of another site cannot send any of them without a preflight request.
const (
	typeJupyter  = "application/x-ipynb+json"
	typeJSON     = "application/json"
	typePython   = "text/x-python"
	typeMarkdown = "text/markdown"
	typeBytes    = "application/octet-stream" // a program of another language
	typeHTML     = "text/html"
)

// format is a format of files that hold notebooks.
type format struct {
	ending string // of a file's name, without a dot
	kind   string // the type of its content
	what   string // the name of such a file, for users
	read   func([]byte) ([]event.Payload, error)
	write  writeFile
	plain  bool // holds no attachments of cells
}

// AttachmentsLeftOut is the header of an export with the number of attached files that it lacks.
const AttachmentsLeftOut = "Quire-Attachments-Left-Out"

// writeFile writes a notebook as a file, with its artifacts.
type writeFile func(context.Context, io.Writer, *notebook.Notebook, artifact.Source) error

// without returns a writeFile for a format without outputs.
func without(export func(*notebook.Notebook) ([]byte, error)) writeFile {
	return func(_ context.Context, w io.Writer, n *notebook.Notebook, _ artifact.Source) error {
		data, err := export(n)
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	}
}

// format returns the format of a name, the ending of its files, if notebooks can be read, or
// written, in it.
func (s *Server) format(name string, reading bool) (format, error) {
	name = strings.ToLower(name)
	switch name {
	case "ipynb":
		return format{name, typeJupyter, "a Jupyter notebook", ipynb.Import, ipynb.Write, false}, nil
	case "md":
		return format{name, typeMarkdown, "Markdown", plain.ImportMarkdown, without(plain.ExportMarkdown), true}, nil
	case "html":
		return format{name, typeHTML, "a page", nil, s.pageFile(), false}, nil
	}
	script, ok := plain.ScriptOf("." + name)
	if !ok {
		return format{}, problem.New(protocol.CodeInvalid, plain.NoFormat(name, reading))
	}
	f := format{
		name, typeBytes, "a program",
		func(data []byte) ([]event.Payload, error) { return plain.ImportPercent(data, script) },
		without(func(n *notebook.Notebook) ([]byte, error) { return plain.ExportPercent(n, script) }),
		true,
	}
	if script == plain.Python {
		f.kind = typePython
	}
	return f, nil
}

// pageFile returns the writer of pages of HTML, nil if there is none.
func (s *Server) pageFile() writeFile {
	if s.cfg.Page == nil {
		return nil
	}
	return func(ctx context.Context, w io.Writer, n *notebook.Notebook, from artifact.Source) error {
		data, err := s.cfg.Page(ctx, n, from)
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	}
}

func (s *Server) exportNotebook() endpoint {
	return endpoint{
		status: http.StatusOK, gives: typeJupyter, serve: s.export,
		also: []string{typePython, typeMarkdown, typeHTML, typeBytes},
	}
}

// export writes the notebook as a file. It is an attachment: a browser must save it and not show it,
// because a stranger may have written its content.
func (s *Server) export(c *call) error {
	name := cmp.Or(c.r.PathValue("format"), c.r.FormValue("format"), "ipynb")
	f, err := s.format(name, false)
	if err != nil {
		return err
	}
	if f.write == nil {
		return problem.New(protocol.CodeInvalid, "this server writes no files of the format "+f.ending)
	}
	book, err := s.copyOf(c)
	if err != nil {
		return err
	}
	held := book.Size()
	if f.kind == typeHTML {
		held += min(artifactBytes(book), maxInlined)
	}
	release, err := s.memory.take(c.r.Context(), answerTimes*held)
	if err != nil {
		return err
	}
	defer release()
	out := &download{w: c.w, deadlines: transfer.DeadlinesOf(c.w), begin: func() {
		sendFile(c.w.Header(), book.Title(), f)
		if count := plain.Attachments(book); f.plain && count > 0 {
			c.w.Header().Set(AttachmentsLeftOut, strconv.Itoa(count))
		}
	}}
	err = f.write(c.r.Context(), out, book, s.artifacts.Of(c.book.ID))
	switch {
	case err == nil || out.gone: // a client that has left needs no answer
		return nil
	case !out.begun:
		return fmt.Errorf("export notebook %s: %w", c.book.ID, err)
	}
	s.log.Error("export cut off", "notebook", c.book.ID, "error", err)
	panic(http.ErrAbortHandler) // the client must not take a part for all of it
}

// maxInlined bounds, roughly, the bytes of artifacts inside a page of HTML.
const maxInlined = 64 << 20

// artifactBytes returns the size of the artifacts of a notebook's outputs.
func artifactBytes(book *notebook.Notebook) (bytes int64) {
	for _, cell := range book.Cells() {
		for _, id := range book.Cell(cell).Outputs {
			for _, a := range book.Output(id).Value().Artifacts {
				bytes += a.Size
			}
		}
	}
	return bytes
}

// download is a file that is sent to a client, for as long as it makes progress.
type download struct {
	w         io.Writer
	deadlines transfer.Deadlines
	begin     func() // sets the headers
	begun     bool
	gone      bool // the client takes no more
}

// Write implements [io.Writer].
func (d *download) Write(p []byte) (int, error) {
	if !d.begun {
		d.begin()
		d.begun = true
	}
	d.deadlines.Extend()
	n, err := d.w.Write(p)
	d.gone = d.gone || err != nil
	return n, err
}

// copyOf returns a copy of the current state of the notebook of a call.
func (s *Server) copyOf(c *call) (*notebook.Notebook, error) {
	ctx := c.r.Context()
	opened, err := s.rooms.Use(ctx, c.book.ID)
	if err != nil {
		return nil, err
	}
	defer s.rooms.Release(opened)
	var book *notebook.Notebook
	if err := opened.View(ctx, func(n *notebook.Notebook) { book = n.Clone() }); err != nil {
		return nil, err
	}
	return s.shownTo(c.role, book), nil
}

// sendFile sets the headers of a file. If a browser shows a page all the same, it has an opaque
// origin in which nothing runs.
func sendFile(h http.Header, title string, f format) {
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": transfer.TitleName(title) + "." + f.ending}))
	switch f.kind {
	case typePython, typeMarkdown, typeHTML:
		h.Set("Content-Type", f.kind+"; charset=utf-8")
	default:
		h.Set("Content-Type", f.kind)
	}
	if f.kind == typeHTML {
		csp.Set(h, csp.Export())
	}
}

// importTimes is the memory that the import of a file takes, as a multiple of its size.
const importTimes = 6

func (s *Server) importNotebook() endpoint {
	e := typed(http.StatusCreated, func(c *call, _ none) (directory.Listing, error) {
		data, err := io.ReadAll(c.r.Body)
		if err != nil {
			return directory.Listing{}, err
		}
		release, err := s.memory.take(c.r.Context(), importTimes*int64(len(data)))
		if err != nil {
			return directory.Listing{}, err
		}
		defer release()
		f, err := s.format(formatOf(c.r, data), true)
		if err != nil {
			return directory.Listing{}, err
		}
		if f.read == nil {
			return directory.Listing{}, problem.New(protocol.CodeInvalid, plain.NoFormat(f.ending, true))
		}
		payloads, err := f.read(data)
		if err != nil {
			return directory.Listing{}, problem.WithStatus(http.StatusUnprocessableEntity, protocol.CodeInvalid,
				"the file is not "+f.what+" that can be read: "+err.Error())
		}
		payloads = titleFirst(payloads, c.r.FormValue("title"))
		return s.createWith(c, s.untrusted(s.offload(payloads)), payloads...)
	})
	e.accepts = []string{typeJupyter, typeJSON, typePython, typeMarkdown, typeBytes}
	return e
}

// offload stores the parts of a file that are too large for a log as artifacts of the notebook
// that is made of it.
func (s *Server) offload(payloads []event.Payload) func(context.Context, string) error {
	return func(ctx context.Context, notebook string) error {
		if s.cfg.Artifacts.Bytes == nil {
			return nil
		}
		return ipynb.Offload(ctx, payloads, s.artifacts.Of(notebook))
	}
}

// formatOf returns the name of the format of a file: the one that the request names, or else the one
// that the file looks like. A file that begins like JSON is a Jupyter notebook, and one with the
// marker of a cell a program.
func formatOf(r *http.Request, data []byte) string {
	if name := r.FormValue("format"); name != "" {
		return name
	}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch kind {
	case typePython:
		return "py"
	case typeMarkdown:
		return "md"
	case typeBytes:
		if !bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n\ufeff"), []byte("{")) && bytes.Contains(data, []byte("# %%")) {
			return "py"
		}
	}
	return "ipynb"
}

// titleFirst puts a title before the other payloads of a file, unless the file has one and the
// request asks for no other.
func titleFirst(payloads []event.Payload, title string) []event.Payload {
	if len(payloads) > 0 {
		if _, ok := payloads[0].(*event.NotebookTitled); ok {
			if title == "" {
				return payloads
			}
			payloads = payloads[1:]
		}
	}
	if title == "" {
		title = "Untitled"
	}
	return append([]event.Payload{&event.NotebookTitled{Title: title}}, payloads...)
}
