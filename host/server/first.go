package server

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"time"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/view"
	"github.com/quirehq/quire/host/server/csp"
)

const (
	// firstMark stands in the page's file where a notebook's first screen goes.
	firstMark = "<!-- first -->"
	// preloadFile has the links to what a notebook's page is made of, and others are not.
	preloadFile = "preload.html"
	// firstWait is how long a page waits for the notebook. One that takes longer is
	// asked for by the page itself, which meanwhile says so.
	firstWait = 400 * time.Millisecond
	// firstLimit is how many bytes of rows a page carries at most.
	firstLimit = 512 << 10
	// maxFirst is about how many bytes of cells it shows, with rows or without.
	maxFirst = 2 << 20
)

// firstParts returns what is before and behind the place of a notebook's first
// screen in the page's file, with links to what such a page needs at once. Nothing is behind if there is no such place.
func firstParts(fsys fs.FS) (before, behind []byte, err error) {
	page, err := fs.ReadFile(fsys, indexFile)
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", indexFile, err)
	}
	before, behind, _ = bytes.Cut(page, []byte(firstMark))
	links, err := fs.ReadFile(fsys, preloadFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("read %s: %w", preloadFile, err)
	}
	before = bytes.Replace(before, []byte("</head>"), append(links, "</head>"...), 1)
	return before, behind, nil
}

// sendFirst answers with the page of a notebook that shows its first cells before
// any script runs, and has their rows for the script. Who may not read the
// notebook, or asks for none, gets the page that all get: it says nothing of it.
func (s *Server) sendFirst(c *call) error {
	if len(s.app.behind) == 0 || c.r.PathValue("id") == "" {
		return s.app.send(c, indexFile)
	}
	screen, err := s.firstScreen(c)
	if err != nil || len(screen) == 0 {
		return s.app.send(c, indexFile)
	}
	h := c.w.Header()
	h.Set("Content-Type", typeOf(indexFile))
	h.Set("Permissions-Policy", csp.UnusedFeatures())
	h.Set("Cache-Control", "private, no-store")
	h.Set("Vary", "Accept-Encoding")
	return writePacked(c, s.app.before, screen, s.app.behind)
}

// firstScreen returns the cells and the rows of the notebook that a request names.
// That it cannot be read is no fault of the page, which asks again and says why.
func (s *Server) firstScreen(c *call) ([]byte, error) {
	if err := s.permit(c, need{who: inNotebook, action: access.Read}); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(c.r.Context(), firstWait)
	defer cancel()
	book, err := s.bookOf(ctx, c.book.ID)
	if err != nil {
		return nil, err
	}
	giveBack, err := s.scale.takeFor(ctx, book, maxFirst)
	if err != nil {
		return nil, err
	}
	defer giveBack()
	rows := view.First(s.shownTo(c.role, book), viewCells, maxFirst)
	rows.Status.Role = c.role
	return firstHTML(c.book.ID, rows)
}

// firstHTML returns a notebook's first screen, and its rows as JSON, which has no
// character that could end the element it is in.
func firstHTML(id string, rows *view.Batch) ([]byte, error) {
	var b bytes.Buffer
	writeScreen(&b, rows)
	data, err := json.Marshal(rows)
	if err != nil {
		return nil, err
	}
	if len(data) <= firstLimit {
		fmt.Fprintf(&b, `<script type="application/json" id="first-rows" data-notebook="%s">%s</script>`, escaped(id), data)
	}
	return b.Bytes(), nil
}

// writePacked answers with the parts of a body, compressed if the client takes that.
func writePacked(c *call, parts ...[]byte) error {
	if !accepts(c.r.Header.Get("Accept-Encoding"), "gzip") {
		return writeParts(c.w, parts)
	}
	var b bytes.Buffer
	packer, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		return err
	}
	for _, part := range parts {
		_, _ = packer.Write(part) // a buffer takes everything
	}
	if err := packer.Close(); err != nil {
		return err
	}
	c.w.Header().Set("Content-Encoding", "gzip")
	return writeParts(c.w, [][]byte{b.Bytes()})
}

func writeParts(w http.ResponseWriter, parts [][]byte) error {
	w.WriteHeader(http.StatusOK)
	for _, part := range parts {
		if _, err := w.Write(part); err != nil {
			return nil // who left before the answer needs none
		}
	}
	return nil
}
