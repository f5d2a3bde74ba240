package server

import (
	"io"
	"net/http"
)

// The pages. They hold nothing that comes from outside, need no script and no
// style, and are shown under a policy that allows neither.
const (
	pageHead = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">" +
		"<title>Quire</title><main>"
	signedIn = "<h1>Quire</h1><p>You are signed in.</p>" +
		"<p>In this version notebooks are used from the command line: <code>quire new</code> makes one, <code>quire exec</code> " +
		"runs its cells, <code>quire watch</code> follows what happens in it, and <code>quire help</code> lists what else there is.</p>"
	signedOut = "<h1>Quire</h1><p>You are not signed in.</p>" +
		"<p>Open the link that the server printed when it started, or get a new one with <code>quire link</code>.</p>"
	linkUsed = "<h1>This link does not work any more</h1><p>A link signs in once, within a day, and until the server stops.</p>" +
		"<p>Get a new one with <code>quire link</code>.</p>"
	pageTail = "</main></html>\n"
)

func (s *Server) page() endpoint {
	return endpoint{status: http.StatusOK, gives: "text/html", serve: func(c *call) error {
		if c.who.known() {
			return writePage(c.w, http.StatusOK, signedIn)
		}
		return writePage(c.w, http.StatusOK, signedOut)
	}}
}

func writePage(w http.ResponseWriter, status int, body string) error {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, pageHead+body+pageTail) // one who left before the answer needs none
	return nil
}
