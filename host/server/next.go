package server

import (
	"net/url"
	"path"
	"strings"
)

// maxNext bounds the paths that a sign-in leads back to.
const maxNext = 2048

// localPath returns the page of ours to show once somebody has signed in: the one
// that they had asked for, or the first one if that is none of ours. What a browser
// might read as another site is none.
func localPath(next string) string {
	const first = "/"
	// Browsers take \ for / and leave out tabs and ends of lines, wherever they are.
	if len(next) > maxNext || strings.ContainsFunc(next, func(c rune) bool { return c <= ' ' || c >= 0x7f || c == '\\' }) {
		return first
	}
	u, err := url.Parse(next)
	if err != nil || !strings.HasPrefix(next, first) || u.Scheme != "" || u.Opaque != "" || u.Host != "" || u.User != nil {
		return first
	}
	// The path is clean also where something in it is written as %2f or %5c.
	name, isNotebook := strings.CutPrefix(u.Path, "/nb/")
	if u.Path != first && (!isNotebook || name == "" || path.Clean(u.Path) != strings.TrimSuffix(u.Path, "/")) {
		return first
	}
	if strings.ContainsFunc(u.Path, func(c rune) bool { return c < ' ' || c == 0x7f || c == '\\' }) {
		return first
	}
	back := url.URL{Path: u.Path, RawPath: u.RawPath, RawQuery: u.RawQuery}
	return back.String()
}

// linkToken returns the token of what somebody has pasted: a link, or its token.
func linkToken(pasted string) string {
	pasted = strings.TrimSpace(pasted)
	if u, err := url.Parse(pasted); err == nil {
		if token := u.Query().Get("token"); token != "" {
			return token
		}
	}
	return pasted
}
