package server

import (
	_ "embed" // the script of the page that signs out
	"html"
	"net/http"

	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server/origin"
	"github.com/quirehq/quire/host/server/problem"
)

// The scripts of the pages that sign a browser in. Each page runs one, by its digest.
const (
	// confirmScript presses the button for the owner's own program, which opens the link
	// with a fragment that no other link has.
	confirmScript = `if(location.hash==="#open")document.forms[0].requestSubmit()`
	// keepScript keeps the half of the sign-in that is for this origin: for the page, and
	// for its service worker, which has no localStorage. That is there before the page, whose
	// first cells come with it then; where it takes long the page asks for them.
	keepScript = `const{half,next}=document.querySelector("main").dataset;` +
		`try{localStorage.setItem("quire.key",half)}catch{}` +
		`const kept=async()=>{await(await caches.open("quire-key")).put("/key",new Response(half));` +
		`const s=navigator.serviceWorker;await s.register("/sw.js",{updateViaCache:"none"});await s.ready};` +
		`Promise.race([kept(),new Promise(r=>setTimeout(r,2000))]).catch(()=>{}).then(()=>location.replace(next))`
)

// logoutScript signs out, and clears what the browser keeps. What a page of another tab has
// not sent yet it would write again, so that those pages leave first.
//
//go:embed logout.js
var logoutScript string

const (
	askSignOut = `<p>This browser forgets the notebooks that it keeps for when the server is away, in all tabs.</p>` +
		`<p id="pending" hidden><strong>Text that was typed here has not reached the server yet. It is lost if you sign out now.</strong> ` +
		`Open the notebook, and wait until it says that it is saved.</p>` +
		`<p id="failed" hidden>The server does not answer, so that the sign-in is still good. Look whether it runs, and try again.</p>` +
		`<p><button type="button">Sign out</button> <a href="/">Stay</a></p>`
	confirm = `<p>This link signs this browser in as the owner of the server, who can run programs on its machine.</p>`
	needsJS = `<noscript><p>Quire needs JavaScript, which is off here.</p></noscript>`
)

func (s *Server) confirmLogin() endpoint {
	return endpoint{status: http.StatusOK, gives: "text/html", serve: func(c *call) error {
		next, token := localPath(c.r.FormValue("next")), linkToken(c.r.FormValue("token"))
		if token == "" {
			return writePage(c.w, http.StatusOK, "Sign in to Quire", signedOut, signInForm(next))
		}
		return writeScripted(c.w, "Sign in to Quire", confirmScript, "", confirm, confirmForm(token, next), needsJS)
	}}
}

// confirmForm asks whether to use a link. To open it changes nothing: programs that show
// a preview of links do so too.
func confirmForm(token, next string) string {
	return `<form method="post" action="/login"><input type="hidden" name="token" value="` + html.EscapeString(token) + `">` +
		`<input type="hidden" name="next" value="` + html.EscapeString(next) + `"><button autofocus>Sign in</button></form>`
}

// confirmLogout answers with a page that signs out when its button is pressed.
func (s *Server) confirmLogout() endpoint {
	return endpoint{status: http.StatusOK, gives: "text/html", serve: func(c *call) error {
		return writeScripted(c.w, "Sign out?", logoutScript, "", askSignOut, needsJS)
	}}
}

func (s *Server) login() endpoint {
	return endpoint{status: http.StatusOK, gives: "text/html", serve: s.signIn}
}

// signIn exchanges the token of a link for a cookie and its other half. A good link works
// however many bad ones were tried.
func (s *Server) signIn(c *call) error {
	next := localPath(c.r.FormValue("next"))
	token := linkToken(c.r.FormValue("token"))
	good, err := s.auth.links.use(token)
	if err != nil {
		return err
	}
	if good {
		half, err := s.auth.setCookie(c.w, c.r)
		if err != nil {
			s.auth.links.giveBack(token)
			return err
		}
		s.recordAct(Act{Kind: actSignIn, Actor: ownerPrincipal().actor, From: origin.Address(c.r)})
		data := ` data-half="` + half + `" data-next="` + html.EscapeString(next) + `"`
		return writeScripted(c.w, "Signed in", keepScript, data, comeAgain, needsJS)
	}
	from := origin.Address(c.r)
	if !s.limits.failures.take(from) {
		c.w.Header().Set("Retry-After", "3")
		return writePage(c.w, http.StatusTooManyRequests, "Too many links that do not work", linkLater, signInForm(next))
	}
	title, text, why := "This link is not known", linkUnknown, "an unknown link"
	if s.auth.links.wasGood(token) {
		title, text, why = "This link does not work any more", linkUsed, "a link that was used or has ended"
	}
	s.log.Info("sign-in failed", "from", from, "reason", why)
	s.recordAct(Act{Kind: actSignIn, From: from, Failed: why})
	return writePage(c.w, http.StatusForbidden, title, text, signInForm(next))
}

// signOut ends the session of the browser that asks, and its sockets with it, and has the
// browser forget what it keeps. Who shows a token has none.
func (s *Server) signOut(c *call, _ none) (none, error) {
	if !c.who.cookie {
		return none{}, nil
	}
	c.w.Header().Set("Clear-Site-Data", `"cache", "storage"`)
	return none{}, s.auth.endCookie(c.w, c.r)
}

// errSignInAgain is the answer to a browser that asks for what would outlast its sign-in,
// long after that.
func errSignInAgain() error {
	return problem.New(protocol.CodeForbidden, "a browser may do this for ten minutes after it has signed in: sign in again with `quire link`, or do it there")
}
