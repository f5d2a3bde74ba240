package server

import (
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server/csp"
	"github.com/quirehq/quire/host/server/problem"
	"github.com/quirehq/quire/host/server/transfer"
)

// delivery is an artifact on its way to a client.
type delivery struct {
	event.Artifact
	asked, name string        // what type it is said to have, and what the file is called
	keep        time.Duration // how long the client may
	strangers   bool          // pages of other origins may load and read it
}

// send answers with an artifact, or with a part of it.
func (a *artifacts) send(c *call, found delivery) error {
	content, size, err := a.Bytes.Open(c.r.Context(), found.Hash)
	if err != nil {
		return fmt.Errorf("artifact %s: %w", found.Hash, err)
	}
	defer content.Close()
	if size != found.Size {
		return fmt.Errorf("artifact %s: got %d bytes, want %d", found.Hash, size, found.Size)
	}
	head := make([]byte, min(size, sniffed))
	if _, err := io.ReadFull(content, head); err != nil {
		return fmt.Errorf("artifact %s: %w", found.Hash, err)
	}
	served, shown := servedAs(found.asked, head)
	w := &answerer{ResponseWriter: c.w, deadlines: transfer.DeadlinesOf(c.w)}
	found.setHeaders(c.w.Header(), served, shown)
	http.ServeContent(w, c.r, "", time.Time{}, content)
	a.metrics.sent.Add(float64(w.sent))
	if w.unsatisfied {
		forgetArtifact(c.w.Header())
		return problem.WithStatus(http.StatusRequestedRangeNotSatisfiable, protocol.CodeInvalid,
			fmt.Sprintf("the artifact has %d bytes, and none where the range is", size))
	}
	return nil
}

// setHeaders sets the headers of what strangers may have made. A browser shows it,
// if at all, in an origin of its own where nothing runs and nothing is loaded.
func (d delivery) setHeaders(h http.Header, served string, shown bool) {
	h.Set("Content-Type", served)
	h.Set("Content-Disposition", transfer.Disposition(shown, d.name))
	h.Set("ETag", `"`+d.Hash+`"`)
	h.Set("Cache-Control", fmt.Sprintf("private, max-age=%d, immutable", int(d.keep.Seconds())))
	// Who signs in as another must not get it from the browser's store.
	h.Set("Vary", "Authorization, Cookie")
	csp.Set(h, csp.Artifact())
	if d.strangers {
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	}
}

// forgetArtifact makes the headers fit for an answer that is another.
func forgetArtifact(h http.Header) {
	for _, name := range []string{"Content-Disposition", "ETag", "Content-Length", "Vary", "Access-Control-Allow-Origin"} {
		h.Del(name)
	}
	csp.SetDefaults(h)
}

// answerer writes an answer that may take as long as it likes while it is taken. Of a
// range that is not there it writes nothing, so that the answer can be a problem.
type answerer struct {
	http.ResponseWriter
	deadlines   transfer.Deadlines
	sent        int64
	unsatisfied bool
}

// WriteHeader implements [http.ResponseWriter].
func (w *answerer) WriteHeader(status int) {
	if status == http.StatusRequestedRangeNotSatisfiable {
		w.unsatisfied = true
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements [io.Writer].
func (w *answerer) Write(p []byte) (int, error) {
	if w.unsatisfied {
		return len(p), nil
	}
	w.deadlines.Extend()
	n, err := w.ResponseWriter.Write(p)
	w.sent += int64(n)
	return n, err
}

// piece is how much is sent before the time at which a connection is cut off is moved.
const piece = 64 << 10

// ReadFrom implements [io.ReaderFrom] for what sends a file without looking at it.
func (w *answerer) ReadFrom(r io.Reader) (sent int64, err error) {
	to, direct := directly(w.ResponseWriter)
	from, limited := r.(*io.LimitedReader)
	if !direct || !limited || w.unsatisfied {
		return io.Copy(struct{ io.Writer }{w}, r)
	}
	for from.N > 0 && err == nil {
		w.deadlines.Extend()
		part := &io.LimitedReader{R: from.R, N: min(from.N, piece)}
		var n int64
		if n, err = to.ReadFrom(part); n == 0 {
			break
		}
		from.N -= n
		sent += n
	}
	w.sent += sent
	return sent, err
}

// directly returns what is below the writers that only look on, if that can read
// from a file itself.
func directly(w http.ResponseWriter) (io.ReaderFrom, bool) {
	for {
		if to, ok := w.(io.ReaderFrom); ok {
			return to, true
		}
		over, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return nil, false
		}
		w = over.Unwrap()
	}
}
