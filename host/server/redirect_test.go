package server_test

import (
	"net/url"
	"strings"
	"testing"
)

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
