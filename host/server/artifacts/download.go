package artifacts

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

// Delivery is an artifact as a client asks for it.
type Delivery struct {
	event.Artifact
	Type string        // the type that the client claims it has; empty if none
	Name string        // of the file; may be empty
	Keep time.Duration // for which the client may cache it
	Open bool          // to pages of other origins too
}

// Send answers a request with an artifact, or with a range of it.
func (s *Service) Send(w http.ResponseWriter, r *http.Request, d Delivery) error {
	content, size, err := s.cfg.Bytes.Open(r.Context(), d.Hash)
	if err != nil {
		return fmt.Errorf("artifact %s: %w", d.Hash, err)
	}
	defer content.Close()
	if size != d.Size {
		return fmt.Errorf("artifact %s: got %d bytes, want %d", d.Hash, size, d.Size)
	}
	head := make([]byte, min(size, sniffed))
	if _, err := io.ReadFull(content, head); err != nil {
		return fmt.Errorf("artifact %s: %w", d.Hash, err)
	}
	served, shown := servedAs(d.Type, head)
	answer := &answer{ResponseWriter: w, deadlines: transfer.DeadlinesOf(w)}
	d.setHeaders(w.Header(), served, shown)
	http.ServeContent(answer, r, "", time.Time{}, content)
	s.cfg.Metrics.Sent.Add(float64(answer.sent))
	if answer.unsatisfied {
		resetHeaders(w.Header())
		return problem.WithStatus(http.StatusRequestedRangeNotSatisfiable, protocol.CodeInvalid,
			fmt.Sprintf("the artifact has %d bytes, and none where the range is", size))
	}
	return nil
}

// setHeaders sets the headers of bytes that a stranger may have made. If a browser shows them,
// then in an opaque origin in which nothing runs and nothing is loaded.
func (d Delivery) setHeaders(h http.Header, served string, shown bool) {
	h.Set("Content-Type", served)
	h.Set("Content-Disposition", transfer.Disposition(shown, d.Name))
	h.Set("ETag", `"`+d.Hash+`"`)
	h.Set("Cache-Control", fmt.Sprintf("private, max-age=%d, immutable", int(d.Keep.Seconds())))
	// A user who signs in as another must not get it from the cache of the browser.
	h.Set("Vary", "Authorization, Cookie")
	csp.Set(h, csp.Artifact())
	if d.Open {
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	}
}

// resetHeaders makes the headers of an artifact fit for a problem.
func resetHeaders(h http.Header) {
	for _, name := range []string{"Content-Disposition", "ETag", "Content-Length", "Vary", "Access-Control-Allow-Origin"} {
		h.Del(name)
	}
	csp.SetDefaults(h)
}

// answer writes bytes for as long as the client makes progress. For a range that does not exist
// it writes nothing, so that the answer can be a problem.
type answer struct {
	http.ResponseWriter
	deadlines   transfer.Deadlines
	sent        int64
	unsatisfied bool
}

// WriteHeader implements [http.ResponseWriter].
func (a *answer) WriteHeader(status int) {
	if status == http.StatusRequestedRangeNotSatisfiable {
		a.unsatisfied = true
		return
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write implements [io.Writer].
func (a *answer) Write(p []byte) (int, error) {
	if a.unsatisfied {
		return len(p), nil
	}
	a.deadlines.Extend()
	n, err := a.ResponseWriter.Write(p)
	a.sent += int64(n)
	return n, err
}

// piece is the number of bytes that are sent before the deadlines are extended.
const piece = 64 << 10

// ReadFrom implements [io.ReaderFrom], so that the kernel may send a file without a copy.
func (a *answer) ReadFrom(r io.Reader) (sent int64, err error) {
	to, direct := readerFrom(a.ResponseWriter)
	from, limited := r.(*io.LimitedReader)
	if !direct || !limited || a.unsatisfied {
		return io.Copy(struct{ io.Writer }{a}, r)
	}
	for from.N > 0 && err == nil {
		a.deadlines.Extend()
		part := &io.LimitedReader{R: from.R, N: min(from.N, piece)}
		var n int64
		if n, err = to.ReadFrom(part); n == 0 {
			break
		}
		from.N -= n
		sent += n
	}
	a.sent += sent
	return sent, err
}

// readerFrom returns the first writer below those that only observe, if it can read from a
// file itself.
func readerFrom(w http.ResponseWriter) (io.ReaderFrom, bool) {
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
