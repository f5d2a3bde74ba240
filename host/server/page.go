package server

import (
	"context"
	"net/http"
	"time"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/view"
	"github.com/quirehq/quire/host/server/htmlpage"
	"github.com/quirehq/quire/host/server/origin"
	"github.com/quirehq/quire/host/server/signin"
	"github.com/quirehq/quire/host/server/webapp"
)

// page answers with the page of the application, or with the page to sign in.
func (s *Server) page() endpoint {
	return endpoint{status: http.StatusOK, gives: "text/html", serve: func(c *call) error {
		switch {
		case c.who.HasPage() && s.app.Built():
			return s.sendPage(c)
		case c.who.HasPage():
			return htmlpage.Write(c.w, http.StatusOK, "Quire", notBuilt)
		case origin.FromOtherSite(c.r):
			return askAgain(c.w)
		}
		return signin.WriteForm(c.w, c.r.URL.RequestURI())
	}}
}

const (
	// paintWait bounds the time that a page waits for its notebook. After that the page is sent
	// without it, shows that it loads, and requests the rows itself.
	paintWait = 400 * time.Millisecond
	// maxPaint bounds, roughly, the bytes of cells that a first paint shows.
	maxPaint = 2 << 20
)

// sendPage answers with the page of a notebook, which has a first paint. A principal who may not
// read the notebook, or a request for none, gets the page that is the same for all: it reveals
// nothing of the notebook.
func (s *Server) sendPage(c *call) error {
	if !s.app.TakesFirstPaint() || c.r.PathValue("id") == "" {
		return s.app.SendIndex(c.w, c.r)
	}
	paint, err := s.firstPaint(c)
	if err != nil || len(paint) == 0 {
		return s.app.SendIndex(c.w, c.r)
	}
	return s.app.SendNotebook(c.w, c.r, paint)
}

// firstPaint returns the first cells of the notebook that a request names. If they cannot be read
// the page is still sent: it requests them again and shows the error.
func (s *Server) firstPaint(c *call) ([]byte, error) {
	if err := s.permit(c, need{who: inNotebook, action: access.Read}); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(c.r.Context(), paintWait)
	defer cancel()
	book, err := s.bookOf(ctx, c.book.ID)
	if err != nil {
		return nil, err
	}
	release, err := s.memory.takeFor(ctx, book, maxPaint)
	if err != nil {
		return nil, err
	}
	defer release()
	rows := view.First(s.shownTo(c.role, book), viewCells, maxPaint)
	rows.Status.Role = c.role
	return webapp.FirstPaint(c.book.ID, rows)
}

// notBuilt is the page of a program that was built without the application's page.
const notBuilt = `<p>You are signed in, but this program was built without its page. In its source, <code>make web</code> builds the page and ` +
	`<code>make build</code> a program that has it.</p>` +
	`<p>All else works: <code>quire new</code> makes a notebook, <code>quire exec</code> runs its cells, <code>quire watch</code> ` +
	`follows what happens in it, and <code>quire help</code> lists what else there is.</p>`

// askAgain makes the browser repeat a request that a page of another site has caused, this time
// from a page of this server, so that it sends its cookie. To show a user their own page needs
// no more proof than that.
func askAgain(w http.ResponseWriter) error {
	w.Header().Set("Refresh", "0")
	return htmlpage.Write(w, http.StatusOK, "Quire", `<p>One moment.</p>`)
}

func (s *Server) asset() endpoint {
	return publicFile(func(c *call) error { return s.app.SendAsset(c.w, c.r, c.r.PathValue("path")) })
}

// shell answers with the page without a notebook, which its service worker caches.
func (s *Server) shell() endpoint {
	return publicFile(func(c *call) error { return s.app.SendIndex(c.w, c.r) })
}

func (s *Server) file() endpoint {
	return publicFile(func(c *call) error { return s.app.SendFile(c.w, c.r, c.r.PathValue("file")) })
}

func (s *Server) frame() endpoint {
	return publicFile(func(c *call) error { return s.app.SendFrame(c.w, c.r) })
}

func publicFile(serve func(*call) error) endpoint {
	return endpoint{status: http.StatusOK, gives: "*/*", missing: true, serve: serve}
}
