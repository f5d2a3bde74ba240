package server

import (
	"crypto/sha256"
	"encoding/base64"
	"html"
	"io"
	"net/http"
	"strings"

	"github.com/quirehq/quire/host/server/csp"
	"github.com/quirehq/quire/host/server/origin"
	"github.com/quirehq/quire/host/server/problem"
)

// The pages that need no build. They run no script, and what they show from outside
// is a path of ours to go back to.
const (
	// pageStyle has the colours and measures of the page's own.
	pageStyle = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif;color:light-dark(#1d1c1a,#ecebe8);background:light-dark(#fbfaf8,#17181a)}` +
		`body{margin:15vh auto;max-width:32rem;padding:0 1.5rem}` +
		`main{padding:1.5rem 2rem 2rem;border:1px solid light-dark(#e2dfd8,#34383c);border-radius:10px;background:light-dark(#fff,#1e2022)}` +
		`main:before{content:"Quire";font-weight:600;color:light-dark(#2f5fb3,#8db4f5)}h1{margin:.25rem 0 .75rem;font-size:1.5rem;line-height:1.25}` +
		`code{white-space:nowrap;padding:.1em .3em;border-radius:4px;background:light-dark(#f3f1ed,#282b2e)}` +
		`a{color:light-dark(#2f5fb3,#8db4f5)}form{display:flex;flex-wrap:wrap;gap:.5rem}label{flex:1 0 100%}` +
		`input,button{font:inherit;padding:.4rem .75rem;border:1px solid light-dark(#8a867c,#7f868d);border-radius:6px}` +
		`input{flex:1 1 12rem;min-width:0;color:inherit;background:transparent}` +
		`button{color:light-dark(#fff,#10203a);background:light-dark(#2f5fb3,#8db4f5);border-color:transparent}` +
		`:focus-visible{outline:2px solid light-dark(#2f5fb3,#8db4f5);outline-offset:2px}` +
		`@media(pointer:coarse){input,button{box-sizing:border-box;min-height:40px}}` +
		`@media(prefers-contrast:more){main,input{border-color:currentColor}}` +
		`@media(forced-colors:active){:focus-visible{outline-color:Highlight}button{border-color:ButtonBorder}}`
	signedOut = `<p>You are not signed in. Open the link that <code>quire serve</code> printed when it started, or get a new one ` +
		`with <code>quire link</code>.</p>`
	linkUsed    = `<p>It was used, or is older than a day: a link signs in once. Get a new one with <code>quire link</code>.</p>`
	linkLater   = `<p>Wait a minute. A link that is good works meanwhile: get one with <code>quire link</code>.</p>`
	linkUnknown = `<p>This server has made no such link since it was started. Look whether it was copied whole, or get a new one with ` +
		`<code>quire link</code>.</p>`
	notBuilt = `<p>You are signed in, but this program was built without its page. In its source, <code>make web</code> builds the page and ` +
		`<code>make build</code> a program that has it.</p>` +
		`<p>All else works: <code>quire new</code> makes a notebook, <code>quire exec</code> runs its cells, <code>quire watch</code> ` +
		`follows what happens in it, and <code>quire help</code> lists what else there is.</p>`
	comeAgain = `<p>One moment.</p>`
)

// page answers with the page that people use notebooks with, or how to sign in first.
func (s *Server) page() endpoint {
	return endpoint{status: http.StatusOK, gives: "text/html", serve: func(c *call) error {
		switch {
		case c.who.hasPage() && s.app.has(indexFile):
			csp.Set(c.w.Header(), csp.Page(c.r))
			return s.sendFirst(c)
		case c.who.hasPage():
			return writePage(c.w, http.StatusOK, "Quire", notBuilt)
		case origin.FromOtherSite(c.r):
			return writeAgain(c.w)
		}
		return writePage(c.w, http.StatusOK, "Sign in to Quire", signedOut, signInForm(localPath(c.r.URL.RequestURI())))
	}}
}

// writeAgain makes the browser ask once more, this time from a page of ours, so that
// it sends its cookie. To show somebody a page of theirs needs no more proof than that.
func writeAgain(w http.ResponseWriter) error {
	w.Header().Set("Refresh", "0")
	return writePage(w, http.StatusOK, "Quire", comeAgain)
}

// signInForm takes a link that cannot be clicked where this browser is, and leads on.
func signInForm(next string) string {
	return `<form method="post" action="/login"><label for="token">Or paste the link here:</label>` +
		`<input id="token" name="token" required autofocus autocomplete="off" spellcheck="false">` +
		`<input type="hidden" name="next" value="` + html.EscapeString(next) + `"><button>Sign in</button></form>`
}

// forPeople reports whether a browser asks for a page, and not a program for data.
func forPeople(r *http.Request) bool {
	return r.Method == http.MethodGet && !strings.HasPrefix(r.URL.Path, "/api/") && strings.Contains(r.Header.Get("Accept"), "text/html")
}

// writeProblem says to people what a problem says to programs.
func writeProblem(w http.ResponseWriter, p *problem.Problem) error {
	title, text := "This did not work", p.Detail
	if p.Status == http.StatusNotFound {
		title, text = "There is nothing here", "the address may be cut off, or be of something that is gone"
	}
	return writePage(w, p.Status, title, "<p>"+html.EscapeString(sentence(text))+"</p>", `<p><a href="/">Your notebooks</a></p>`)
}

// sentence begins a text with a capital and ends it with a full stop.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	text = strings.ToUpper(text[:1]) + text[1:]
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}

func writePage(w http.ResponseWriter, status int, title string, parts ...string) error {
	return writeHTML(w, status, title, "", "", parts...)
}

// writeScripted answers with a page that runs one script, whose main element has attributes
// with what that needs.
func writeScripted(w http.ResponseWriter, title, script, attributes string, parts ...string) error {
	return writeHTML(w, http.StatusOK, title, script, attributes, parts...)
}

func writeHTML(w http.ResponseWriter, status int, title, script, attributes string, parts ...string) error {
	policy := []string{"default-src 'none'", "style-src " + digestOf(pageStyle), "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"}
	if script != "" {
		policy = append(policy, "script-src "+digestOf(script), "connect-src 'self'", "worker-src 'self'")
		parts = append(parts, "<script>"+script+"</script>")
	}
	csp.Set(w.Header(), csp.Join(policy...))
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	head := `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
		`<meta name="referrer" content="strict-origin">` + // else what a form sends has no origin
		`<title>` + title + `</title><style>` + pageStyle + `</style><main` + attributes + `><h1>` + title + `</h1>`
	// One who left before the answer needs none.
	_, _ = io.WriteString(w, head+strings.Join(parts, "")+"</main></html>\n")
	return nil
}

// digestOf is how a policy names a script or a style that is in the page.
func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
