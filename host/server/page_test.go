package server_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/quirehq/quire/host/server"
)

// testApp is a page as its build leaves it.
func testApp() fstest.MapFS {
	app := fstest.MapFS{}
	for name, data := range map[string]string{
		".keep": "", "index.html": "the page", "frame.html": "the frame", "icon.svg": "<svg/>", "sw.js": "worker",
		"index.html.br": "the page in br", "index.html.gz": "the page in gzip",
		"assets/index-1.js": "script", "assets/index-1.js.br": "script in br", "assets/index-1.js.gz": "script in gzip",
		"assets/core-1.wasm": "core", "assets/core-1.wasm.gz": "core in gzip", "assets/style-1.css": "style",
		"assets/KaTeX-1.woff2": "font", "assets/strange-1.xyz": "strange",
	} {
		app[name] = &fstest.MapFile{Data: []byte(data)}
	}
	return app
}

func TestAC40ThePageIsForThoseWhoAreSignedIn(t *testing.T) {
	w := newWorld(t)
	c := w.signIn(t)
	bad := *c
	bad.Value += "x"
	for _, path := range []string{"/", "/?search=fish", "/nb/b1", "/nb/b1/", "/nb/b1/fish-and-chips", "/nb/b1/a/b"} {
		if got := w.do(t, request{method: "GET", path: path, cookie: c}).want(t, 200); got.body != "the page" {
			t.Errorf("%s: got %q, want the page", path, got.body)
		}
		out := w.do(t, request{method: "GET", path: path}).want(t, 200)
		wrong := w.do(t, request{method: "GET", path: path, cookie: &bad}).want(t, 200)
		if !strings.Contains(out.body, "not signed in") || !strings.Contains(out.body, `value="`+path+`"`) || wrong.body != out.body {
			t.Errorf("%s: got %q and %q, want how to sign in and come back", path, out.body, wrong.body)
		}
	}
}

func TestAC45TheShellIsThePageWithoutANotebook(t *testing.T) {
	w := newWorld(t)
	for _, c := range []*http.Cookie{nil, w.signIn(t)} {
		shell := w.do(t, request{method: "GET", path: "/shell", cookie: c}).want(t, 200)
		if shell.body != "the page" || !strings.Contains(shell.header.Get("Content-Security-Policy"), "require-trusted-types-for") {
			t.Errorf("got %q by %v, want the page by its policy", shell.body, shell.header)
		}
	}
	worker := w.do(t, request{method: "GET", path: "/sw.js"}).want(t, 200)
	if policy := worker.header.Get("Content-Security-Policy"); !strings.Contains(policy, "connect-src 'self'") || worker.header.Get("Cache-Control") != "no-cache" {
		t.Errorf("got %v, want a worker that may fetch and that the browser asks for each time", worker.header)
	}
}

func TestAServerWithoutAPageSaysHowToBuildIt(t *testing.T) {
	w := newWorld(t, func(c *server.Config) { c.App = nil })
	a := w.do(t, request{method: "GET", path: "/", token: ownerToken}).want(t, 200)
	if !strings.Contains(a.body, "make web") {
		t.Errorf("got %q, want how to build it", a.body)
	}
	out := w.do(t, request{method: "GET", path: "/"}).want(t, 200)
	if strings.Contains(out.body, "make web") || !strings.Contains(out.body, "quire link") {
		t.Errorf("got %q, want how to sign in first", out.body)
	}
	for _, path := range []string{"/frame/", "/assets/index-1.js", "/icon.svg", "/index.html", "/.keep"} {
		w.do(t, request{method: "GET", path: path}).want(t, 404).problem(t)
	}
}

func TestOnlyTheFilesOfThePageAreServed(t *testing.T) {
	w := newWorld(t)
	for _, path := range []string{
		"/index.html", "/frame.html", "/frame", "/frame/x", "/.keep", "/assets/", "/assets", "/assets/none.js", "/nothing", "/assets/.keep",
		"/assets/..%2findex.html", "/..%2findex.html", "/assets/%2e%2e/index.html", "/index.html.br", "/index.html.gz", "/assets/index-1.js/", "/assets/index-1.js.br",
		"/nb", "/nb/",
	} {
		a := w.do(t, request{method: "GET", path: path, token: ownerToken})
		if a.status != 404 && a.status != 307 {
			t.Errorf("%s: got %d %s, want 404", path, a.status, a.body)
		}
		if to := a.header.Get("Location"); to != "" && to != "/index.html" {
			t.Errorf("%s: got sent to %q", path, to)
		}
	}
}

func TestABrowserIsToldInAPageThatThereIsNothing(t *testing.T) {
	w := newWorld(t)
	for _, path := range []string{"/nope", "/nope/deeper", "/assets/none.js", "/nb"} {
		a := w.do(t, request{method: "GET", path: path, header: map[string]string{"Accept": "text/html,*/*;q=0.8"}}).want(t, 404)
		if !strings.Contains(a.body, "<h1>There is nothing here</h1>") || !strings.Contains(a.body, `<a href="/">Your notebooks</a>`) {
			t.Errorf("%s: got %s, want a page that leads on", path, a.body)
		}
	}
	w.do(t, request{method: "GET", path: "/api/nope", header: map[string]string{"Accept": "text/html"}}).want(t, 404).problem(t)
	w.do(t, request{method: "GET", path: "/nope"}).want(t, 404).problem(t)
}

func TestFilesHaveTheTypesThatBrowsersWant(t *testing.T) {
	w := newWorld(t)
	for path, want := range map[string]string{
		"/":                     "text/html; charset=utf-8",
		"/frame/":               "text/html; charset=utf-8",
		"/icon.svg":             "image/svg+xml",
		"/assets/index-1.js":    "text/javascript; charset=utf-8",
		"/assets/core-1.wasm":   "application/wasm",
		"/assets/style-1.css":   "text/css; charset=utf-8",
		"/assets/KaTeX-1.woff2": "font/woff2",
		"/assets/strange-1.xyz": "application/octet-stream",
	} {
		for _, encoding := range []string{"identity", "br, gzip"} {
			a := w.do(t, request{method: "GET", path: path, token: ownerToken, header: map[string]string{"Accept-Encoding": encoding}}).want(t, 200)
			if got := a.header.Get("Content-Type"); got != want {
				t.Errorf("%s as %s: got type %q, want %q", path, encoding, got, want)
			}
		}
	}
}

func TestFilesAreSentInTheBestFormThatIsThereAndTaken(t *testing.T) {
	w := newWorld(t)
	const script = "/assets/index-1.js"
	for _, c := range []struct{ path, accept, body, encoding, vary string }{
		{script, "gzip, deflate, br, zstd", "script in br", "br", "Accept-Encoding"},
		{script, "gzip;q=1, BR;q=0.1", "script in br", "br", "Accept-Encoding"},
		{script, "gzip, br;q=0", "script in gzip", "gzip", "Accept-Encoding"},
		{script, "gzip; q=0.0, br ; q = 0", "script", "", "Accept-Encoding"},
		{script, "br;q=x", "script", "", "Accept-Encoding"},
		{script, "brotli, xgzip", "script", "", "Accept-Encoding"},
		{script, "identity", "script", "", "Accept-Encoding"},
		{"/assets/core-1.wasm", "br, gzip", "core in gzip", "gzip", "Accept-Encoding"},
		{"/assets/style-1.css", "br, gzip", "style", "", ""},
		{"/", "br", "the page in br", "br", "Accept-Encoding"},
	} {
		a := w.do(t, request{method: "GET", path: c.path, token: ownerToken, header: map[string]string{"Accept-Encoding": c.accept}}).want(t, 200)
		if a.body != c.body || a.header.Get("Content-Encoding") != c.encoding || a.header.Get("Vary") != c.vary {
			t.Errorf("%s as %q: got %q and %v, want %q", c.path, c.accept, a.body, a.header, c.body)
		}
	}
	head := w.do(t, request{method: "HEAD", path: script, header: map[string]string{"Accept-Encoding": "br"}}).want(t, 200)
	if got, want := head.header.Get("Content-Length"), "12"; got != want || head.body != "" {
		t.Errorf("got %q bytes and %q, want %s and no body", got, head.body, want)
	}
}

func TestAC43AssetsAreKeptForAYearAndAllElseIsAskedForAnew(t *testing.T) {
	app := testApp()
	w := newWorld(t, func(c *server.Config) { c.App = app })
	a := w.do(t, request{method: "GET", path: "/assets/index-1.js"}).want(t, 200)
	if got, want := a.header.Get("Cache-Control"), "public, max-age=31536000, immutable"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	tags := map[string]bool{}
	for _, path := range []string{"/", "/frame/", "/icon.svg"} {
		q := request{method: "GET", path: path, token: ownerToken, header: map[string]string{}}
		a := w.do(t, q).want(t, 200)
		tag := a.header.Get("ETag")
		if got := a.header.Get("Cache-Control"); got != "no-cache" || tag == "" || tags[tag] {
			t.Errorf("%s: got %q and tag %s, want no-cache and a tag of its own", path, got, tag)
		}
		tags[tag] = true
		q.header["If-None-Match"] = tag
		if again := w.do(t, q).want(t, 304); again.body != "" || again.header.Get("Content-Security-Policy") != a.header.Get("Content-Security-Policy") {
			t.Errorf("%s: got %q and %v", path, again.body, again.header)
		}
		q.header["If-None-Match"] = `"other"`
		w.do(t, q).want(t, 200)
		maps.Copy(q.header, map[string]string{"If-None-Match": tag, "Accept-Encoding": "br"})
		if path == "/" {
			w.do(t, q).want(t, 200) // the compressed page is another one
		}
	}
	app["index.html"].Data = []byte("the next page")
	if next := newWorld(t, func(c *server.Config) { c.App = app }); tags[next.do(t, request{method: "GET", path: "/", token: ownerToken}).header.Get("ETag")] {
		t.Error("got the same tag for another page")
	}
}

func TestAC40OneWhoComesFromAnotherSiteIsAskedOnceMore(t *testing.T) {
	w := newWorld(t)
	c := w.signIn(t)
	from := func(site string) request {
		return request{method: "GET", path: "/nb/b1", header: map[string]string{"Sec-Fetch-Site": site}}
	}
	for _, site := range []string{"cross-site", "same-site"} {
		a := w.do(t, from(site)).want(t, 200)
		if a.header.Get("Refresh") != "0" || strings.Contains(a.body, "not signed in") {
			t.Errorf("%s: got %v %s, want to be asked again", site, a.header, a.body)
		}
		q := from(site)
		q.cookie = c
		if a := w.do(t, q).want(t, 200); a.header.Get("Refresh") != "" || a.body != "the page" {
			t.Errorf("%s with a cookie: got %v %s, want the page", site, a.header, a.body)
		}
	}
	for _, site := range []string{"same-origin", "none"} {
		if a := w.do(t, from(site)).want(t, 200); a.header.Get("Refresh") != "" || !strings.Contains(a.body, "not signed in") {
			t.Errorf("%s: got %v %s, want how to sign in", site, a.header, a.body)
		}
	}
}
