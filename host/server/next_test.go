package server_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/quirehq/quire/host/server"
)

func TestAC39ASignInLeadsBackToPagesOfOursOnly(t *testing.T) {
	for next, want := range map[string]string{
		"":                           "/",
		"/":                          "/",
		"/?search=fish&sort=title":   "/?search=fish&sort=title",
		"/nb/b1":                     "/nb/b1",
		"/nb/b1/":                    "/nb/b1/",
		"/nb/b1/fish-and-chips?x=1":  "/nb/b1/fish-and-chips?x=1",
		"/nb/b1/%D0%BF%D1%80":        "/nb/b1/%D0%BF%D1%80",
		"/nb/b1/100%25":              "/nb/b1/100%25",
		"/nb/b1?next=//evil.example": "/nb/b1?next=//evil.example",
	} {
		if got := server.LocalPath(next); got != want {
			t.Errorf("%q: got %q, want %q", next, got, want)
		}
	}
	hostile := []string{
		"//evil.example", "///evil.example", "////evil.example/nb/b1", `/\evil.example`, `\/evil.example`, `\\evil.example`, `/\/evil.example`,
		"http://evil.example", "https://evil.example/nb/b1", "http:evil.example", "http:/evil.example", "http:///evil.example", "HTTP://evil.example",
		"javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc/passwd", "ftp://evil.example",
		" //evil.example", "\t//evil.example", "/\t/evil.example", "/\n/evil.example", "/\r/evil.example", "\x00//evil.example", "/nb/b1\r\nSet-Cookie: a=b",
		"/nb/b1\x7f", "/nb//evil.example", "/nb/../..//evil.example", "/nb/../api/me", "/nb/b1/../../login", "/nb/./b1", "/nb/..", "/nb/.", "/nb/",
		"/nb/%2e%2e/%2e%2e/api", "/nb/%2E%2E", "/%2f/evil.example", "/%2f%2fevil.example", "/nb/%2fevil.example", "/nb/b1%2f%2fevil.example",
		"/%5cevil.example", "/nb/%5c%5cevil.example", "/nb/b1/%0d%0aSet-Cookie:a=b", "/nb/%00", "/%09/evil.example",
		"%2f", "%2fnb/b1", "evil.example", "nb/b1", "./nb/b1", "../nb/b1", "?x", "#x", "@evil.example", "/@evil.example", "user:pass@evil.example",
		"//user@evil.example", "/nb", "/login?token=x", "/api/logout", "/api/notebooks", "/metrics", "/assets/index-1.js", "/frame/",
		"/nb/%zz", "/nb/é", "/nb/\u2028", "／／evil.example", "/。/evil.example", "http://[::1", "/nb/b1\\", ":", "://", "//", `\`, ";//evil.example",
		"/;@evil.example", "https:evil.example/nb/b1", "blob:http://evil.example/x", "about:blank", "view-source:x", "mailto:a@b", "/" + strings.Repeat("x", 3000),
		"/nb/" + strings.Repeat("x", 3000),
	}
	for _, next := range hostile {
		if got := server.LocalPath(next); got != "/" {
			t.Errorf("%q: got %q, want the first page", next, got)
		}
	}
}

func FuzzLocalPath(f *testing.F) {
	for _, seed := range []string{"/nb/b1?x", "//evil.example", `/\evil`, "/nb/%2f", "/nb/a%00", "%2f"} {
		f.Add(seed)
	}
	base, err := url.Parse("http://127.0.0.1:8642/login")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, next string) {
		got := server.LocalPath(next)
		to, err := base.Parse(got)
		if err != nil || to.Host != base.Host || to.Scheme != base.Scheme || to.User != nil {
			t.Errorf("%q: got %q, which is %v and %v", next, got, to, err)
		}
		if !strings.HasPrefix(got, "/") || strings.HasPrefix(got, "//") || strings.Contains(got, `\`) {
			t.Errorf("%q: got %q, which a browser may take for another site", next, got)
		}
	})
}

func TestAC39ASignInComesBackToThePageThatWasAskedFor(t *testing.T) {
	w := newWorld(t)
	a := w.do(t, request{method: "POST", path: w.Link() + "&next=" + url.QueryEscape("/nb/b1/fish?x=1")}).want(t, 200)
	if got, want := data(t, a, "next"), "/nb/b1/fish?x=1"; got != want {
		t.Errorf("got sent to %q, want %q", got, want)
	}
	a = w.do(t, request{method: "POST", path: w.Link() + "&next=" + url.QueryEscape("//evil.example")}).want(t, 200)
	if got, want := data(t, a, "next"), "/"; got != want {
		t.Errorf("got sent to %q, want %q", got, want)
	}
	used := w.do(t, request{method: "POST", path: "/login?token=no&next=/nb/b1"}).want(t, 403)
	if !strings.Contains(used.body, `name="next" value="/nb/b1"`) {
		t.Errorf("got %s, want another try to lead there too", used.body)
	}
}

func TestALinkMayBePastedInstead(t *testing.T) {
	w := newWorld(t)
	for _, pasted := range []func(path string) string{
		func(path string) string { return w.url + path },
		func(path string) string { return "  " + w.url + path + "\n" },
		func(path string) string { return path },
		func(path string) string { return strings.TrimPrefix(path, "/login?token=") },
		func(path string) string { return " " + strings.TrimPrefix(path, "/login?token=") },
	} {
		text := pasted(w.Link())
		a := w.do(t, request{method: "POST", path: "/login?next=/nb/b1&token=" + url.QueryEscape(text)})
		if a.status != 200 || data(t, a, "next") != "/nb/b1" {
			t.Errorf("%q: got %d %s, want a sign-in that leads to the notebook", text, a.status, a.body)
		}
	}
}

func TestThePageToSignInHoldsNothingThatACallerWrote(t *testing.T) {
	w := newWorld(t)
	for _, path := range []string{
		`/nb/"><script>alert(1)</script>`, `/nb/x?"><script>alert(1)</script>`, `/nb/x?q=%22onfocus=alert(1)`, `/?"autofocus`,
	} {
		a := w.do(t, request{method: "GET", path: strings.ReplaceAll(path, " ", "%20")})
		if strings.Contains(a.body, "<script") || strings.Contains(a.body, `x?"`) || strings.Contains(a.body, `/?"`) {
			t.Errorf("%s: got %s", path, a.body)
		}
	}
}
