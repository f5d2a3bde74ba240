package webapp

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"

	"github.com/quirehq/quire/core/view"
	"github.com/quirehq/quire/host/server/csp"
)

const (
	// paintMark marks the place of a first paint in the index.
	paintMark = "<!-- first -->"
	// preloadFile has links to the files that only the page of a notebook loads.
	preloadFile = "preload.html"
	// rowsLimit bounds the bytes of rows that a page carries.
	rowsLimit = 512 << 10
)

// splitIndex returns the index before and behind the place of a first paint, with links to the
// files that the page of a notebook needs at once. Nothing is behind if there is no such place.
func splitIndex(fsys fs.FS) (before, behind []byte, err error) {
	page, err := fs.ReadFile(fsys, indexFile)
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", indexFile, err)
	}
	before, behind, _ = bytes.Cut(page, []byte(paintMark))
	links, err := fs.ReadFile(fsys, preloadFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("read %s: %w", preloadFile, err)
	}
	before = bytes.Replace(before, []byte("</head>"), append(links, "</head>"...), 1)
	return before, behind, nil
}

// TakesFirstPaint reports whether the index has a place for a first paint.
func (a *App) TakesFirstPaint() bool { return len(a.behind) > 0 }

// SendNotebook answers with the page of a notebook, which shows a first paint before any script
// runs. Nothing of it is cached.
func (a *App) SendNotebook(w http.ResponseWriter, r *http.Request, paint []byte) error {
	h := w.Header()
	csp.Set(h, csp.Page(r))
	h.Set("Content-Type", typeOf(indexFile))
	h.Set("Permissions-Policy", csp.UnusedFeatures())
	h.Set("Cache-Control", "private, no-store")
	h.Set("Vary", "Accept-Encoding")
	return writePacked(w, r, a.before, paint, a.behind)
}

// writePacked answers with the parts of a body, compressed if the client accepts that.
func writePacked(w http.ResponseWriter, r *http.Request, parts ...[]byte) error {
	if !accepts(r.Header.Get("Accept-Encoding"), "gzip") {
		return writeParts(w, parts)
	}
	var b bytes.Buffer
	packer, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		return err
	}
	for _, part := range parts {
		_, _ = packer.Write(part) // a buffer returns no error
	}
	if err := packer.Close(); err != nil {
		return err
	}
	w.Header().Set("Content-Encoding", "gzip")
	return writeParts(w, [][]byte{b.Bytes()})
}

func writeParts(w http.ResponseWriter, parts [][]byte) error {
	w.WriteHeader(http.StatusOK)
	for _, part := range parts {
		if _, err := w.Write(part); err != nil {
			return nil // a client that has left needs no answer
		}
	}
	return nil
}

// FirstPaint returns the first cells of a notebook as HTML, and their rows as JSON, which has no
// character that could end its element.
func FirstPaint(notebook string, rows *view.Batch) ([]byte, error) {
	var b bytes.Buffer
	writeScreen(&b, rows)
	data, err := json.Marshal(rows)
	if err != nil {
		return nil, err
	}
	if len(data) <= rowsLimit {
		fmt.Fprintf(&b, `<script type="application/json" id="first-rows" data-notebook="%s">%s</script>`, escaped(notebook), data)
	}
	return b.Bytes(), nil
}
