package server_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/host/server"
)

// exportLink asks for a link to an export of b1 as a browser does.
func (w *world) exportLink(t *testing.T, c *http.Cookie, format string) server.ExportLink {
	t.Helper()
	var l server.ExportLink
	q := request{method: "POST", path: "/api/notebooks/b1/export/link", cookie: c, body: `{"format":"` + format + `"}`}
	q.header = map[string]string{"Origin": w.url}
	w.do(t, q).want(t, 201).into(t, &l)
	return l
}

// opened is the request of a browser when a user opens a link of the page in another tab.
func opened(l server.ExportLink, c *http.Cookie) request {
	return request{
		method: "GET", path: l.URL, cookie: c, alone: true,
		header: map[string]string{"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document", "Accept": "text/html"},
	}
}

func TestAC49ALinkToAnExportIsTheOtherHalfForOneFile(t *testing.T) {
	w := newWorld(t, new(record).use)
	w.book("b1")
	w.join(t, "b1", ownerToken, "c1").titled("Fish")
	c := w.signIn(t)
	for format, kind := range map[string]string{"": "application/x-ipynb+json", "py": "text/x-python; charset=utf-8", "md": "text/markdown; charset=utf-8"} {
		l := w.exportLink(t, c, format)
		if !strings.HasPrefix(l.URL, "/exports/") {
			t.Errorf("got %q, want a path below /exports/", l.URL)
		}
		for range 2 {
			got := w.do(t, opened(l, c)).want(t, 200)
			if got.header.Get("Content-Type") != kind || !strings.HasPrefix(got.header.Get("Content-Disposition"), "attachment; filename=Fish.") {
				t.Errorf("%q: got %v, want a file to save of type %s", format, got.header, kind)
			}
		}
	}
	if got, want := len(asked(t, w, "?kind=export")), 6; got != want {
		t.Errorf("got %d exports on record, want %d", got, want)
	}
	w.do(t, request{method: "POST", path: "/api/notebooks/b1/export/link", token: ownerToken, body: `{}`}).want(t, 400)
	bad := request{method: "POST", path: "/api/notebooks/b1/export/link", cookie: c, body: `{"format":"exe"}`, header: map[string]string{"Origin": w.url}}
	w.do(t, bad).want(t, 400).problem(t)
}

func TestAC49ALinkToAnExportIsOfNoUseToOthers(t *testing.T) {
	w := newWorld(t, new(record).use)
	w.book("b1")
	w.book("b2")
	mine, other := w.signIn(t), w.signIn(t)
	l := w.exportLink(t, mine, "py")
	text, signature, _ := strings.Cut(strings.TrimPrefix(l.URL, "/exports/"), ".")
	claims, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	forged := func(old, with string) string {
		changed := strings.Replace(string(claims), old, with, 1)
		if changed == string(claims) {
			t.Fatalf("got no %q in %s", old, claims)
		}
		return base64.RawURLEncoding.EncodeToString([]byte(changed)) + "." + signature
	}
	good := text + "." + signature
	for what, q := range map[string]request{
		"without a cookie":       {path: good},
		"another browser":        {path: good, cookie: other},
		"a cookie that is none":  {path: good, cookie: &http.Cookie{Name: mine.Name, Value: "x"}},
		"a token":                {path: good, token: ownerToken},
		"a person's token":       {path: good, token: person(t, "viewer")},
		"another notebook":       {path: forged(`"b1"`, `"b2"`), cookie: mine},
		"another format":         {path: forged(`"py"`, `"md"`), cookie: mine},
		"a later end":            {path: forged(`"e":`, `"e":9`), cookie: mine},
		"no signature":           {path: text, cookie: mine},
		"an empty signature":     {path: text + ".", cookie: mine},
		"a signature of nothing": {path: "." + signature, cookie: mine},
		"a token in its place":   {path: strings.TrimPrefix(key(t, "b1", access.Viewer), "qt_"), cookie: mine},
	} {
		q.method, q.path, q.alone = "GET", "/exports/"+q.path, true
		if got := w.do(t, q); got.status != 403 || strings.Contains(got.body, "cell") {
			t.Errorf("%s: got %d %s, want 403", what, got.status, got.body)
		}
	}
	if got := len(asked(t, w, "?kind=export")); got != 0 {
		t.Errorf("got %d exports on record, want none", got)
	}
	for _, path := range []string{"/artifacts/" + good, "/login?token=" + good} {
		method := "GET"
		if strings.HasPrefix(path, "/login") {
			method = "POST"
		}
		w.do(t, request{method: method, path: path}).want(t, 403)
	}
	w.do(t, request{method: "GET", path: "/api/me", token: "qt_" + good}).want(t, 401)
	w.do(t, opened(l, mine)).want(t, 200)
}

func TestAC49ALinkToAnExportEnds(t *testing.T) {
	now := newClock()
	for what, end := range map[string]struct {
		end  func(w *world, c *http.Cookie)
		want int
	}{
		"after ten minutes": {func(*world, *http.Cookie) { now.add(10 * time.Minute) }, 403},
		"with its notebook": {func(w *world, _ *http.Cookie) {
			w.do(t, request{method: "DELETE", path: "/api/notebooks/b1", token: ownerToken}).want(t, 204)
		}, 404},
		"with its sign-in": {func(w *world, c *http.Cookie) {
			w.do(t, request{method: "POST", path: "/api/logout", cookie: c, header: map[string]string{"Origin": w.url}}).want(t, 204)
		}, 401},
	} {
		w := newWorld(t, now.use)
		w.book("b1")
		c := w.signIn(t)
		l := w.exportLink(t, c, "")
		if want := now.Now().Add(10 * time.Minute).UTC(); !l.Expires.Equal(want) {
			t.Errorf("got that it expires at %v, want %v", l.Expires, want)
		}
		now.add(10*time.Minute - time.Second)
		w.do(t, opened(l, c)).want(t, 200)
		end.end(w, c)
		if got := w.do(t, opened(l, c)); got.status != end.want {
			t.Errorf("%s: got %d %s, want %d", what, got.status, got.body, end.want)
		}
	}
}
