package server

import (
	"net/http"

	"github.com/quirehq/quire/host/server/csp"
	"github.com/quirehq/quire/host/server/htmlpage"
	"github.com/quirehq/quire/host/server/origin"
	"github.com/quirehq/quire/host/server/signin"
)

// page answers with the page of the application, or with the page to sign in.
func (s *Server) page() endpoint {
	return endpoint{status: http.StatusOK, gives: "text/html", serve: func(c *call) error {
		switch {
		case c.who.HasPage() && s.app.has(indexFile):
			csp.Set(c.w.Header(), csp.Page(c.r))
			return s.sendFirst(c)
		case c.who.HasPage():
			return htmlpage.Write(c.w, http.StatusOK, "Quire", notBuilt)
		case origin.FromOtherSite(c.r):
			return askAgain(c.w)
		}
		return signin.WriteForm(c.w, c.r.URL.RequestURI())
	}}
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
