package signin

import (
	"net/url"
	"path"
	"strings"
)

// maxNext bounds the paths to which a sign-in leads back.
const maxNext = 2048

// localPath validates the redirect after a sign-in: it returns the path if it is one of this
// application, else that of the first page. A path that a browser might read as another
// origin is not one of this application.
func localPath(next string) string {
	const first = "/"
	// Browsers read \ as / and ignore tabs and line ends, wherever they are.
	if len(next) > maxNext || strings.ContainsFunc(next, func(c rune) bool { return c <= ' ' || c >= 0x7f || c == '\\' }) {
		return first
	}
	u, err := url.Parse(next)
	if err != nil || !strings.HasPrefix(next, first) || u.Scheme != "" || u.Opaque != "" || u.Host != "" || u.User != nil {
		return first
	}
	// The decoded path is checked, because it may have / or \ as %2f or %5c.
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
