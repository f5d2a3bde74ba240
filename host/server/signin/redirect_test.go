package signin

import (
	"net/url"
	"strings"
	"testing"
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
		if got := localPath(next); got != want {
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
		if got := localPath(next); got != "/" {
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
		got := localPath(next)
		to, err := base.Parse(got)
		if err != nil || to.Host != base.Host || to.Scheme != base.Scheme || to.User != nil {
			t.Errorf("%q: got %q, which is %v and %v", next, got, to, err)
		}
		if !strings.HasPrefix(got, "/") || strings.HasPrefix(got, "//") || strings.Contains(got, `\`) {
			t.Errorf("%q: got %q, which a browser may take for another site", next, got)
		}
	})
}
