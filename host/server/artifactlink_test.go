package server_test

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/host/server"
)

// link makes a link to an artifact.
func (w *world) link(t *testing.T, book string, a event.Artifact, body string) server.ArtifactLink {
	t.Helper()
	var l server.ArtifactLink
	q := request{method: "POST", path: download(book, a, "/link").path, token: ownerToken, body: body}
	w.do(t, q).want(t, 201).into(t, &l)
	return l
}

func TestAR24ALinkLetsAnybodyReadOneArtifactWithoutACookie(t *testing.T) {
	w := newArtifactWorld(t)
	a := w.upload(t, "b1", png)
	l := w.link(t, "b1", a, `{"type":"image/png","name":"../../plot.png"}`)
	if !strings.HasPrefix(l.URL, "/artifacts/") {
		t.Errorf("got %q, want a path below /artifacts/", l.URL)
	}
	for _, method := range []string{"GET", "HEAD"} {
		got := w.do(t, request{method: method, path: l.URL, header: map[string]string{"Origin": "null", "Sec-Fetch-Site": "cross-site"}}).want(t, 200)
		if method == "GET" && got.body != png {
			t.Errorf("got %q", got.body)
		}
		checkHeaders(t, method, got, with(map[string]string{
			"Content-Security-Policy":      "default-src 'none'; sandbox; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
			"Cross-Origin-Resource-Policy": "cross-origin", "Access-Control-Allow-Origin": "*",
			"Content-Type": "image/png", "Content-Disposition": "inline; filename=plot.png",
			"Cache-Control": got.header.Get("Cache-Control"),
		}))
	}
	part := w.do(t, request{method: "GET", path: l.URL, header: map[string]string{"Range": "bytes=1-3"}}).want(t, 206)
	if part.body != "PNG" {
		t.Errorf("got %q", part.body)
	}
	w.do(t, request{method: "POST", path: l.URL}).want(t, 405)
}

func TestAR24ALinkIsGoodForSomeMinutesWhateverBecomesOfWhoMadeIt(t *testing.T) {
	now := newClock()
	w := newArtifactWorld(t, now.use)
	a := w.upload(t, "b1", png)
	var l server.ArtifactLink
	w.do(t, request{method: "POST", path: download("b1", a, "/link").path, token: person(t, "viewer"), body: `{}`}).want(t, 201).into(t, &l)
	if want := now.Now().Add(10 * time.Minute).UTC(); !l.Expires.Equal(want) {
		t.Errorf("got that it expires at %v, want %v", l.Expires, want)
	}
	w.store.grant("b1", "viewer", "")
	now.add(9 * time.Minute)
	got := w.do(t, request{method: "GET", path: l.URL}).want(t, 200)
	if kept, want := got.header.Get("Cache-Control"), "private, max-age=60, immutable"; kept != want {
		t.Errorf("got %q, want %q", kept, want)
	}
	now.add(time.Minute)
	p := w.do(t, request{method: "GET", path: l.URL}).want(t, 403)
	if !strings.Contains(p.problem(t).Detail, "expired") {
		t.Errorf("got %s", p.body)
	}
	checkHeaders(t, "expired", p, closed())
}

func TestAR24WhatWasChangedIsNoLink(t *testing.T) {
	w := newArtifactWorld(t)
	a, other := w.upload(t, "b1", png), w.upload(t, "b1", "other")
	l := w.link(t, "b1", a, `{"type":"text/plain"}`)
	text, signature, _ := strings.Cut(strings.TrimPrefix(l.URL, "/artifacts/"), ".")
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
	token := strings.TrimPrefix(key(t, "b1", access.Viewer), "qt_")
	for _, link := range []string{
		"", text, text + ".", "." + signature, text + "." + signature[1:], text + "." + strings.ToUpper(signature), text + "x." + signature,
		forged(a.Hash, other.Hash), forged(`"n":"b1"`, `"n":"b2"`), forged("text/plain", "text/html"), forged(`"e":`, `"e":9`),
		text + "." + signature + "=", text + "." + signature + "." + signature, token,
	} {
		got := w.do(t, request{method: "GET", path: "/artifacts/" + link})
		if got.status != 403 && (link != "" || got.status != 404) {
			t.Errorf("%q: got %d %s, want 403", link, got.status, got.body)
		}
		checkHeaders(t, link, got, closed())
	}
	w.do(t, request{method: "GET", path: "/api/notebooks/b1", token: "qt_" + text + "." + signature}).want(t, 401)
}

func TestAR24ALinkEndsWithItsNotebook(t *testing.T) {
	w := newArtifactWorld(t)
	l := w.link(t, "b1", w.upload(t, "b1", png), `{}`)
	w.do(t, request{method: "DELETE", path: "/api/notebooks/b1", token: ownerToken}).want(t, 204)
	checkHeaders(t, "deleted", w.do(t, request{method: "GET", path: l.URL}).want(t, 404), closed())
}

func TestAR24ALinkIsNotMadeOfWhatIsTooLong(t *testing.T) {
	w := newArtifactWorld(t)
	a := w.upload(t, "b1", png)
	q := request{method: "POST", path: download("b1", a, "/link").path, token: ownerToken}
	q.body = `{"type":"` + strings.Repeat("x", 256) + `"}`
	w.do(t, q).want(t, 400).problem(t)
	if l := w.link(t, "b1", a, `{"name":"`+strings.Repeat("ж", 20_000)+`.png"}`); len(l.URL) > 1000 {
		t.Errorf("got a link of %d bytes", len(l.URL))
	}
}
