package server

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/ipynb"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/plain"
	"github.com/quirehq/quire/core/replica"
)

// The types of files, none of which a page of another site may send unasked.
const (
	typeJupyter  = "application/x-ipynb+json"
	typeJSON     = "application/json"
	typePython   = "text/x-python"
	typeMarkdown = "text/markdown"
	typeBytes    = "application/octet-stream" // a program of another language
	typeHTML     = "text/html"
)

// format is how files hold notebooks.
type format struct {
	ending string // of a file's name, without a dot
	kind   string // the type of its content
	what   string // what such a file is, for people
	read   func([]byte) ([]event.Payload, error)
	write  func(*notebook.Notebook) ([]byte, error)
}

// format returns the format that has a name, which is how the names of its files end.
func (s *Server) format(name string) (format, error) {
	name = strings.ToLower(name)
	switch name {
	case "ipynb":
		return format{name, typeJupyter, "a Jupyter notebook", ipynb.Import, ipynb.Export}, nil
	case "md":
		return format{name, typeMarkdown, "Markdown", plain.ImportMarkdown, plain.ExportMarkdown}, nil
	case "html":
		return format{name, typeHTML, "a page", nil, s.cfg.Page}, nil
	}
	script, ok := plain.ScriptOf("." + name)
	if !ok {
		return format{}, problem(replica.CodeInvalid, "format must be ipynb, py, md or html, or the ending of another language's programs")
	}
	f := format{
		name, typeBytes, "a program",
		func(data []byte) ([]event.Payload, error) { return plain.ImportPercent(data, script) },
		func(n *notebook.Notebook) ([]byte, error) { return plain.ExportPercent(n, script) },
	}
	if script == plain.Python {
		f.kind = typePython
	}
	return f, nil
}

func (s *Server) exportNotebook() endpoint {
	return endpoint{
		status: http.StatusOK, gives: typeJupyter, serve: s.export,
		also: []string{typePython, typeMarkdown, typeHTML, typeBytes},
	}
}

// export writes the notebook as a file. It is an attachment: a browser must save
// it and not show it, since what is in it comes from anybody.
func (s *Server) export(c *call) error {
	name := c.r.FormValue("format")
	if name == "" {
		name = "ipynb"
	}
	f, err := s.format(name)
	if err != nil {
		return err
	}
	if f.write == nil {
		return problem(replica.CodeInvalid, "this server writes no files of the format "+f.ending)
	}
	book, err := s.copyOf(c)
	if err != nil {
		return err
	}
	data, err := f.write(book)
	if err != nil {
		return fmt.Errorf("export notebook %s: %w", c.book.ID, err)
	}
	sendFile(c.w.Header(), book.Title(), f)
	_, _ = c.w.Write(data) // one who left before the answer needs none
	return nil
}

// copyOf returns a copy of the notebook that a request is for, as it is now.
func (s *Server) copyOf(c *call) (*notebook.Notebook, error) {
	ctx := c.r.Context()
	room, err := s.rooms.use(ctx, c.book.ID)
	if err != nil {
		return nil, err
	}
	defer s.rooms.release(room)
	var book *notebook.Notebook
	err = room.View(ctx, func(n *notebook.Notebook) { book = n.Clone() })
	return book, err
}

// sendFile sets the headers of a file. Should a browser show a page all the same, it
// is in a place of its own, where nothing runs.
func sendFile(h http.Header, title string, f format) {
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": fileName(title) + "." + f.ending}))
	switch f.kind {
	case typePython, typeMarkdown, typeHTML:
		h.Set("Content-Type", f.kind+"; charset=utf-8")
	default:
		h.Set("Content-Type", f.kind)
	}
	if f.kind == typeHTML {
		h.Set("Content-Security-Policy", "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; "+
			"base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	}
}

// maxFileName is how many characters of a title name a file.
const maxFileName = 100

// fileName returns a name for a file, which is no path and not hidden, and has no
// character that a system has something against.
func fileName(title string) string {
	name := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '-'
		}
		return r
	}, title)
	if runes := []rune(name); len(runes) > maxFileName {
		name = string(runes[:maxFileName])
	}
	name = strings.Trim(name, " .-")
	if name == "" {
		return "notebook"
	}
	return name
}

func (s *Server) importNotebook() endpoint {
	e := typed(http.StatusCreated, func(c *call, _ none) (directory.Listing, error) {
		data, err := io.ReadAll(c.r.Body)
		if err != nil {
			return directory.Listing{}, err
		}
		f, err := s.format(formatOf(c.r, data))
		if err != nil {
			return directory.Listing{}, err
		}
		if f.read == nil {
			return directory.Listing{}, problem(replica.CodeInvalid, "files of the format "+f.ending+" cannot be read")
		}
		payloads, err := f.read(data)
		if err != nil {
			return directory.Listing{}, problemWith(http.StatusUnprocessableEntity, replica.CodeInvalid,
				"the file is not "+f.what+" that can be read: "+err.Error())
		}
		return s.create(c, titleFirst(payloads, c.r.FormValue("title"))...)
	})
	e.accepts = []string{typeJupyter, typeJSON, typePython, typeMarkdown, typeBytes}
	return e
}

// formatOf returns the name of the format that a request says its file has, or else
// the file itself: what begins as JSON is a Jupyter notebook, what has the marker of
// a cell a program.
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

// titleFirst puts a title before what a file says, unless the file has its own
// and no other is asked for.
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
