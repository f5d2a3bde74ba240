package signin

import (
	"cmp"
	_ "embed" // the script of the page that signs out
	"html"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/quirehq/quire/host/server/htmlpage"
	"github.com/quirehq/quire/host/server/origin"
)

// The scripts of the pages that sign a browser in. Each page runs one, which its policy names by
// its digest.
const (
	// confirmScript presses the button if the owner's own program has opened the link: it adds a
	// fragment that no other link has.
	confirmScript = `if(location.hash==="#open")document.forms[0].requestSubmit()`
	// keepScript stores the half of the sign-in that is for this origin: for the page, and for
	// its service worker, which has no localStorage. The worker is installed before the page is
	// loaded, so that the answer has the first cells; if that takes long, the page requests them.
	keepScript = `const{half,next}=document.querySelector("main").dataset;` +
		`try{localStorage.setItem("quire.key",half)}catch{}` +
		`const kept=async()=>{await(await caches.open("quire-key")).put("/key",new Response(half));` +
		`const s=navigator.serviceWorker;await s.register("/sw.js",{updateViaCache:"none"});await s.ready};` +
		`Promise.race([kept(),new Promise(r=>setTimeout(r,2000))]).catch(()=>{}).then(()=>location.replace(next))`
)

// logoutScript signs out, and clears the storage of the browser. Pages in other tabs leave first:
// they would store their unsent edits again.
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

const (
	signedOut = `<p>You are not signed in. Open the link that <code>quire serve</code> printed when it started, or get a new one ` +
		`with <code>quire link</code>.</p>`
	linkUsed    = `<p>It was used, or is older than a day: a link signs in once. Get a new one with <code>quire link</code>.</p>`
	linkLater   = `<p>Wait a minute. A link that is good works meanwhile: get one with <code>quire link</code>.</p>`
	linkUnknown = `<p>This server has made no such link since it was started. Look whether it was copied whole, or get a new one with ` +
		`<code>quire link</code>.</p>`
)

// WriteForm answers with the page to sign in, which then leads to a path of this server.
func WriteForm(w http.ResponseWriter, next string) error {
	return htmlpage.Write(w, http.StatusOK, "Sign in to Quire", signedOut, form(localPath(next)))
}

// form takes a link that was opened elsewhere, and leads on to a path.
func form(next string) string {
	return `<form method="post" action="/login"><label for="token">Or paste the link here:</label>` +
		`<input id="token" name="token" required autofocus autocomplete="off" spellcheck="false">` +
		`<input type="hidden" name="next" value="` + html.EscapeString(next) + `"><button>Sign in</button></form>`
}

// Confirm answers a request for a link with a page that asks whether to use it. Opening a link
// changes nothing, because programs that show a preview of links open them too.
func (s *Service) Confirm(w http.ResponseWriter, r *http.Request) error {
	next, token := localPath(r.FormValue("next")), linkToken(r.FormValue("token"))
	if token == "" {
		return WriteForm(w, next)
	}
	form := `<form method="post" action="/login"><input type="hidden" name="token" value="` + html.EscapeString(token) + `">` +
		`<input type="hidden" name="next" value="` + html.EscapeString(next) + `"><button autofocus>Sign in</button></form>`
	return htmlpage.WriteScripted(w, "Sign in to Quire", confirmScript, "", s.says(token), form, needsJS)
}

// says returns whom a link signs in. One that is not good gets its reason when it is used.
func (s *Service) says(token string) string {
	link, ok := s.links.find(token)
	if !ok || link.of.isOwner() {
		return confirm
	}
	return `<p>This link signs this browser in as ` + html.EscapeString(cmp.Or(link.of.Name, link.of.ID)) + `.</p>`
}

// linkToken returns the token of a text that a user has pasted: a link, or its token.
func linkToken(pasted string) string {
	pasted = strings.TrimSpace(pasted)
	if u, err := url.Parse(pasted); err == nil {
		if token := u.Query().Get("token"); token != "" {
			return token
		}
	}
	return pasted
}

// SignIn exchanges the token of a link for a cookie and its other half. A good link works
// however many bad ones were tried.
func (s *Service) SignIn(w http.ResponseWriter, r *http.Request) error {
	next := localPath(r.FormValue("next"))
	token := linkToken(r.FormValue("token"))
	of, good, err := s.links.use(token)
	if err != nil {
		return err
	}
	if good {
		half, err := s.begin(w, r, of)
		if err != nil {
			s.links.giveBack(token, of)
			return err
		}
		s.cfg.Attempted(r, of.principal().Actor, "")
		data := ` data-half="` + half + `" data-next="` + html.EscapeString(next) + `"`
		return htmlpage.WriteScripted(w, "Signed in", keepScript, data, `<p>One moment.</p>`, needsJS)
	}
	if !s.cfg.MayFail(origin.Address(r)) {
		w.Header().Set("Retry-After", "3")
		return htmlpage.Write(w, http.StatusTooManyRequests, "Too many links that do not work", linkLater, form(next))
	}
	title, text, reason := "This link is not known", linkUnknown, "an unknown link"
	if s.links.wasGood(token) {
		title, text, reason = "This link does not work any more", linkUsed, "a link that was used or has ended"
	}
	s.cfg.Attempted(r, "", reason)
	return htmlpage.Write(w, http.StatusForbidden, title, text, form(next))
}

// begin signs a person in with the browser that gets an answer, and returns the half of the sign-in
// that its page is to store.
func (s *Service) begin(w http.ResponseWriter, r *http.Request, of Person) (half string, err error) {
	session, half, err := s.sessions.create(of)
	if err == nil {
		http.SetCookie(w, s.cookieOf(r, session, int(sessionLife/time.Second)))
	}
	return half, err
}

// ConfirmSignOut answers with a page that signs out when its button is pressed.
func (s *Service) ConfirmSignOut(w http.ResponseWriter) error {
	return htmlpage.WriteScripted(w, "Sign out?", logoutScript, "", askSignOut, needsJS)
}
