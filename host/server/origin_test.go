package server_test

import (
	"errors"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server"
)

func TestAC21OnlyItsOwnNamesReachTheServer(t *testing.T) {
	w := newWorld(t, func(c *server.Config) { c.Hosts = []string{"Quire.example.org", "box:9000"} })
	_, port, _ := strings.Cut(strings.TrimPrefix(w.url, "http://"), ":")
	tests := []struct {
		host string
		want int
	}{
		{"127.0.0.1:" + port, 200},
		{"localhost:" + port, 200},
		{"LOCALHOST:" + port, 200},
		{"[::1]:" + port, 200},
		{"127.1.2.3:" + port, 200},
		{"quire.example.org", 200},
		{"quire.example.org:443", 200},
		{"box:9000", 200},
		{"box:9001", 421},
		{"box", 421},
		{"localhost", 421},
		{"localhost:1", 421},
		{"evil.example:" + port, 421},
		{"localhost.evil.example:" + port, 421},
		{"127.0.0.1.evil.example:" + port, 421},
		{"evil-quire.example.org", 421},
		{"quire.example.org.evil.example", 421},
		{"192.168.0.1:" + port, 421},
		{"0.0.0.0:" + port, 421},
	}
	for _, test := range tests {
		for _, path := range []string{"/api/health", "/api/nothing"} {
			want := test.want
			if path == "/api/nothing" && want == 200 {
				want = 404
			}
			a := w.do(t, request{method: "GET", path: path, header: map[string]string{"Host": test.host}})
			if a.status != want {
				t.Errorf("%s of %s: got %d, want %d", path, test.host, a.status, want)
			}
		}
	}
}

func TestAC21AForeignNameReachesNoSocketEither(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	header := socketHeader()
	header["Host"] = "evil.example"
	w.do(t, request{method: "GET", path: "/api/notebooks/b1/sync", token: ownerToken, header: header}).want(t, 421).problem(t)
}

func TestAC22PagesOfOthersChangeNothingAndOpenNoSocket(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	host := strings.TrimPrefix(w.url, "http://")
	_, port, _ := strings.Cut(host, ":")
	cookie := w.signIn(t)
	tests := []struct {
		name, origin, site string
		ok                 bool
	}{
		{"a program", "", "", true},
		{"our page", "http://" + host, "same-origin", true},
		{"our page through TLS", "https://" + host, "", true},
		{"the address bar", "", "none", true},
		{"another site", "http://evil.example", "cross-site", false},
		{"another port", "http://127.0.0.1:1", "same-site", false},
		{"no origin but another site", "", "cross-site", false},
		{"no origin but another port", "", "same-site", false},
		{"null", "null", "", false},
		{"a look-alike", "http://" + host + ".evil.example", "", false},
		{"a user name", "http://" + host + "@evil.example", "", false},
		{"a path", "http://" + host + "/x", "", false},
		{"another scheme", "ftp://" + host, "", false},
		{"no scheme", host, "", false},
		{"rubbish", "http://%zz", "", false},
		{"our host without the port", "http://127.0.0.1", "", false},
		{"another of our names", "http://localhost:" + port, "", false},
		{"a password", "http://user:pass@" + host, "", false},
		{"a trailing slash", "http://" + host + "/", "", false},
		{"a query", "http://" + host + "?x", "", false},
		{"a fragment", "http://" + host + "#x", "", false},
		{"a file", "file://", "", false},
		{"an extension", "chrome-extension://abcdefgh", "", false},
		{"two in one", "http://" + host + " http://" + host, "", false},
		{"our page, which another site has navigated", "http://" + host, "cross-site", false},
		{"a word that no browser says", "", "same-origin, none", false},
		{"another case", "http://" + host, "Same-Origin", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			header := map[string]string{}
			if test.origin != "" {
				header["Origin"] = test.origin
			}
			if test.site != "" {
				header["Sec-Fetch-Site"] = test.site
			}
			w.do(t, request{method: "GET", path: "/api/me", token: ownerToken, header: header}).want(t, 200)
			changed, opened := 201, 101
			if !test.ok {
				changed, opened = 403, 403
			}
			w.do(t, request{method: "POST", path: "/api/links", token: ownerToken, header: header}).want(t, changed)
			sync := maps.Clone(header)
			maps.Copy(sync, socketHeader())
			w.do(t, request{method: "GET", path: "/api/notebooks/b1/sync", token: ownerToken, header: sync}).want(t, opened)
			if test.origin == "" { // a program that has got hold of both halves
				changed, opened = 403, 403
			}
			w.do(t, request{method: "POST", path: "/api/links", cookie: cookie, header: header}).want(t, changed)
			w.do(t, request{method: "GET", path: "/api/notebooks/b1/sync", cookie: cookie, header: sync}).want(t, opened)
		})
	}
}

func TestAC22ACookieAloneProvesNoOrigin(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	cookie := w.signIn(t)
	for _, route := range w.Routes() {
		q := requestFor(t, route, "none", "b1", permissions[route].body)
		q.cookie = cookie
		if route.Method == http.MethodGet && q.header == nil || strings.HasSuffix(route.Path, "/login") {
			continue
		}
		w.do(t, q).want(t, 403).problem(t)
	}
	own := map[string]string{"Origin": w.url}
	w.do(t, request{method: "POST", path: "/api/links", cookie: cookie, header: own}).want(t, 201)
	maps.Copy(own, socketHeader())
	w.do(t, request{method: "GET", path: "/api/notebooks/b1/sync", cookie: cookie, header: own}).want(t, 101)
}

func TestAC30BodiesOfOtherTypesAreRefused(t *testing.T) {
	w := newWorld(t)
	w.bookWithRuntime(t, "b1")
	for _, route := range w.Routes() {
		body := permissions[route].body
		if body == "" || strings.HasSuffix(route.Path, "/artifacts") { // which takes any
			continue
		}
		for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "application/jsonx", ";"} {
			q := requestFor(t, route, admitted(t, route), "b1", body)
			q.header = map[string]string{"Content-Type": kind}
			if a := w.do(t, q); a.status != 415 {
				t.Errorf("%s %s with %q: got %d, want 415", route.Method, route.Path, kind, a.status)
			}
		}
	}
}

func TestAC30BodiesAreBounded(t *testing.T) {
	w := newWorld(t, func(c *server.Config) { c.Limits.JSON, c.Limits.Import = 1000, 2000 })
	large := func(n int) string { return `{"title":"` + strings.Repeat("x", n) + `"}` }
	post := request{method: "POST", path: "/api/notebooks", token: ownerToken}
	post.body = large(900)
	w.do(t, post).want(t, 201)
	post.body = large(1000)
	w.do(t, post).want(t, 413).problem(t)
	post.path, post.body = "/api/notebooks/import", large(2000)
	w.do(t, post).want(t, 413).problem(t)
	post.body = large(1000)
	w.do(t, post).want(t, 422).problem(t)
}

func TestBodiesThatAreNotWhatARouteTakesAreRefused(t *testing.T) {
	w := newWorld(t)
	for _, body := range []string{`{`, `[]`, `{"title":1}`, `{"title":"a","more":1}`, `{"title":"a"} {}`, `{"title":"a"}x`, `{}`} {
		a := w.do(t, request{method: "POST", path: "/api/notebooks", token: ownerToken, body: body}).want(t, 400)
		if got, want := a.problem(t).Code, protocol.CodeInvalid; got != want {
			t.Errorf("%s: got code %q, want %q", body, got, want)
		}
	}
	if n := len(w.store.books); n != 0 {
		t.Errorf("got %d notebooks, want none", n)
	}
}

func TestAC31RequestsAreLimitedByPrincipal(t *testing.T) {
	w := newWorld(t, func(c *server.Config) { c.Limits.Requests, c.Limits.Burst = 1e-9, 3 })
	ada, bob := person(t, "ada"), person(t, "bob")
	for range 3 {
		w.do(t, request{method: "GET", path: "/api/me", token: ada}).want(t, 200)
	}
	a := w.do(t, request{method: "GET", path: "/api/me", token: ada}).want(t, 429)
	if a.problem(t).Code != protocol.CodeUnavailable || a.header.Get("Retry-After") == "" {
		t.Errorf("got %v %s, want code unavailable and when to come back", a.header, a.body)
	}
	w.do(t, request{method: "GET", path: "/api/me", token: bob}).want(t, 200)
}

func TestAC34WhatAServerCannotDoIsToldToItsLogOnly(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	for _, fault := range []any{errors.New("disk sdb1 is on fire"), "disk sdb1 is on fire"} { // the second panics
		w.store.fail(fault)
		a := w.do(t, request{method: "GET", path: "/api/notebooks/b1", token: ownerToken}).want(t, 500)
		if got, want := a.problem(t).Code, protocol.CodeInternal; got != want {
			t.Errorf("got code %q, want %q", got, want)
		}
		if strings.Contains(a.body, "sdb1") {
			t.Errorf("got %s, want no causes", a.body)
		}
	}
	if got, want := strings.Count(w.log.String(), "disk sdb1 is on fire"), 2; got != want {
		t.Errorf("got %d lines of log, want %d", got, want)
	}
	w.do(t, request{method: "GET", path: "/api/notebooks/b1", token: ownerToken}).want(t, 200)
}
