// Package htmlpage writes the small pages that need no build: for signing in and out, for
// errors, and for a server that was built without its page.
//
// It promises that such a page runs no script but the one that it is given, and loads nothing.
// Text from outside must be escaped by the caller.
package htmlpage

import (
	"crypto/sha256"
	"encoding/base64"
	"html"
	"io"
	"net/http"
	"strings"

	"github.com/quirehq/quire/host/server/csp"
	"github.com/quirehq/quire/host/server/problem"
)

// Wanted reports whether a browser asks for a page, rather than a program for data.
func Wanted(r *http.Request) bool {
	return r.Method == http.MethodGet && !strings.HasPrefix(r.URL.Path, "/api/") && strings.Contains(r.Header.Get("Accept"), "text/html")
}

// Write answers with a page: a title and parts of HTML.
func Write(w http.ResponseWriter, status int, title string, parts ...string) error {
	return write(w, status, title, "", "", parts...)
}

// WriteScripted answers with a page that runs one script. The attributes of its main element
// hold the data of the script.
func WriteScripted(w http.ResponseWriter, title, script, attributes string, parts ...string) error {
	return write(w, http.StatusOK, title, script, attributes, parts...)
}

// WriteProblem answers with a problem as a page for people.
func WriteProblem(w http.ResponseWriter, p *problem.Problem) error {
	title, text := "This did not work", p.Detail
	if p.Status == http.StatusNotFound {
		title, text = "There is nothing here", "the address may be cut off, or be of something that is gone"
	}
	return Write(w, p.Status, title, "<p>"+html.EscapeString(sentence(text))+"</p>", `<p><a href="/">Your notebooks</a></p>`)
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

func write(w http.ResponseWriter, status int, title, script, attributes string, parts ...string) error {
	policy := []string{"default-src 'none'", "style-src " + digestOf(style), "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"}
	if script != "" {
		policy = append(policy, "script-src "+digestOf(script), "connect-src 'self'", "worker-src 'self'")
		parts = append(parts, "<script>"+script+"</script>")
	}
	csp.Set(w.Header(), csp.Join(policy...))
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	head := `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
		`<meta name="referrer" content="strict-origin">` + // else the requests of forms have no origin
		`<title>` + title + `</title><style>` + style + `</style><main` + attributes + `><h1>` + title + `</h1>`
	_, _ = io.WriteString(w, head+strings.Join(parts, "")+"</main></html>\n") // a client that has left needs no answer
	return nil
}

// digestOf returns the name by which a policy allows an inline script or style.
func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// style has the colours and measures of the application's page.
const style = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif;color:light-dark(#1d1c1a,#ecebe8);background:light-dark(#fbfaf8,#17181a)}` +
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
