package server_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/host/server"
)

// asker is the author of a request in the tables below, in the order of their columns.
// Co-owner, editor, runner and viewer are people with a role in the notebook, and
// the runtime is the notebook's own, and so is the assistant. A stranger has no role there, and elsewhere is
// the key of an editor of another notebook.
var askers = []string{"server", "co-owner", "editor", "runner", "viewer", "runtime", "assistant", "stranger", "elsewhere", "none"}

func tokenOf(t *testing.T, asker, book string) string {
	switch asker {
	case "server":
		return ownerToken
	case "runtime":
		return runtime(t, book, "r1")
	case "assistant":
		return assistant(t, book, "a1")
	case "elsewhere":
		return key(t, "other", access.Editor)
	case "none":
		return ""
	}
	return person(t, asker)
}

// permissions is the status that each asker gets from each route, with the body of the request.
var permissions = map[server.Pattern]struct{ statuses, body string }{
	{"GET", "/{$}"}:               {"200 200 200 200 200 200 200 200 200 200", ""},
	{"GET", "/nb/{id}"}:           {"200 200 200 200 200 200 200 200 200 200", ""},
	{"GET", "/nb/{id}/{slug...}"}: {"200 200 200 200 200 200 200 200 200 200", ""},
	{"GET", "/assets/{path...}"}:  {"200 200 200 200 200 200 200 200 200 200", ""},
	{"GET", "/shell"}:             {"200 200 200 200 200 200 200 200 200 200", ""},
	{"GET", "/frame/{$}"}:         {"200 200 200 200 200 200 200 200 200 200", ""},
	{"GET", "/artifacts/{link}"}:  {"403 403 403 403 403 403 403 403 403 403", ""},
	{"GET", "/exports/{link}"}:    {"403 403 403 403 403 403 403 403 403 403", ""}, // there is no cookie
	{"GET", "/{file}"}:            {"200 200 200 200 200 200 200 200 200 200", ""},
	{"GET", "/login"}:             {"200 200 200 200 200 200 200 200 200 200", ""},
	{"POST", "/login"}:            {"403 403 403 403 403 403 403 403 403 403", ""},
	{"GET", "/logout"}:            {"200 200 200 200 200 200 200 200 200 200", ""},
	{"GET", "/metrics"}:           {"200 403 403 403 403 403 403 403 403 401", ""},

	{"GET", "/api/audit"}:             {"200 403 403 403 403 403 403 403 403 401", ""},
	{"GET", "/api/health"}:            {"200 200 200 200 200 200 200 200 200 200", ""},
	{"GET", "/api/version"}:           {"200 200 200 200 200 200 200 200 200 200", ""},
	{"GET", "/api/proof"}:             {"400 400 400 400 400 400 400 400 400 400", ""},
	{"GET", "/api/openapi.json"}:      {"200 200 200 200 200 200 200 200 200 200", ""},
	{"GET", "/api/me"}:                {"200 200 200 200 200 200 200 200 200 401", ""},
	{"POST", "/api/links"}:            {"201 403 403 403 403 403 403 403 403 401", ""},
	{"POST", "/api/tokens"}:           {"201 403 403 403 403 403 403 403 403 401", `{"name":"ci","notebook":"BOOK","role":"viewer","expiresIn":60}`},
	{"GET", "/api/tokens"}:            {"200 403 403 403 403 403 403 403 403 401", ""},
	{"DELETE", "/api/tokens/{token}"}: {"404 403 403 403 403 403 403 403 403 401", ""},
	{"POST", "/api/logout"}:           {"204 204 204 204 204 204 204 204 204 401", ""},

	{"GET", "/api/notebooks"}:         {"200 200 200 200 200 403 403 200 403 401", ""},
	{"POST", "/api/notebooks"}:        {"201 201 201 201 201 403 403 201 403 401", `{"title":"New"}`},
	{"POST", "/api/notebooks/import"}: {"201 201 201 201 201 403 403 201 403 401", `{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[]}`},

	{"GET", "/api/notebooks/{id}"}:            {"200 200 200 200 200 200 200 404 404 401", ""},
	{"PATCH", "/api/notebooks/{id}"}:          {"200 200 403 403 403 403 403 404 404 401", `{"title":"New"}`},
	{"DELETE", "/api/notebooks/{id}"}:         {"204 204 403 403 403 403 403 404 404 401", ""},
	{"POST", "/api/notebooks/{id}/purge"}:     {"204 204 403 403 403 403 403 404 404 401", ""},
	{"POST", "/api/notebooks/{id}/restore"}:   {"200 200 403 403 403 403 403 404 404 401", ""},
	{"POST", "/api/notebooks/{id}/duplicate"}: {"201 201 201 201 201 403 403 404 404 401", `{}`},
	{"GET", "/api/notebooks/{id}/export"}:     {"200 200 200 200 200 200 200 404 404 401", ""},
	// A program with a token needs no link.
	{"POST", "/api/notebooks/{id}/export/link"}: {"400 400 400 400 400 400 400 404 404 401", `{}`},
	{"GET", "/api/notebooks/{id}/view"}:         {"200 200 200 200 200 200 200 404 404 401", ""},
	{"GET", "/api/notebooks/{id}/log"}:          {"200 200 200 200 200 200 200 404 404 401", ""},
	{"GET", "/api/notebooks/{id}/sync"}:         {"101 101 101 101 101 101 101 404 404 401", ""},
	{"DELETE", "/api/notebooks/{id}/runtime"}:   {"204 204 204 403 403 403 403 404 404 401", ""},

	{"POST", "/api/notebooks/{id}/artifacts"}:             {"201 201 201 201 403 201 201 404 404 401", "bytes"},
	{"GET", "/api/notebooks/{id}/artifacts/{hash}"}:       {"200 200 200 200 200 200 200 404 404 401", ""},
	{"POST", "/api/notebooks/{id}/artifacts/{hash}/link"}: {"201 201 201 201 201 201 201 404 404 401", `{"type":"image/png","name":"plot.png"}`},

	// The server of this test launches no runtimes: those who may request one are told so.
	{"GET", "/api/notebooks/{id}/limits"}:           {"503 503 503 503 503 503 503 404 404 401", ""},
	{"POST", "/api/notebooks/{id}/runtime/limit"}:   {"403 403 403 403 403 204 204 404 404 401", `{"limit":"memory","value":"1 GiB"}`},
	{"PUT", "/api/notebooks/{id}/limits"}:           {"503 503 403 403 403 403 403 404 404 401", `{"memory":"1G"}`},
	{"GET", "/api/notebooks/{id}/trust"}:            {"503 503 503 503 503 503 503 404 404 401", ""},
	{"PUT", "/api/notebooks/{id}/trust"}:            {"503 503 403 403 403 403 403 404 404 401", `{"trusted":true}`},
	{"POST", "/api/notebooks/{id}/runtime/restart"}: {"503 503 503 503 403 403 503 404 404 401", ""},
}

// admitted returns the first asker whom a route does not turn away.
func admitted(t *testing.T, route server.Pattern) string {
	t.Helper()
	for i, status := range strings.Fields(permissions[route].statuses) {
		if !slices.Contains([]string{"401", "403", "404"}, status) {
			return askers[i]
		}
	}
	t.Fatalf("%s %s turns everybody away", route.Method, route.Path)
	return ""
}

func TestAC26EveryRouteAsksForARole(t *testing.T) {
	w, books := newWorld(t, withArtifacts(t, t.TempDir())), 0
	for _, route := range w.Routes() {
		row, ok := permissions[route]
		if !ok {
			t.Errorf("%s %s has no row in the table of permissions; add one", route.Method, route.Path)
			continue
		}
		for i, want := range strings.Fields(row.statuses) {
			t.Run(fmt.Sprintf("%s %s by %s", route.Method, route.Path, askers[i]), func(t *testing.T) {
				books++
				book := fmt.Sprintf("b%d", books)
				w.bookWithRuntime(t, book)
				if strings.Contains(route.Path, "{hash}") {
					w.upload(t, book, png)
				}
				a := w.do(t, requestFor(t, route, askers[i], book, row.body))
				if got := fmt.Sprint(a.status); got != want {
					t.Errorf("got %s, want %s: %s", got, want, a.body)
				}
				if a.status >= 400 && route.Path != "/login" {
					a.problem(t)
				}
			})
		}
	}
	if got, want := len(permissions), len(w.Routes()); got != want {
		t.Errorf("got %d rows of permissions for %d routes", got, want)
	}
}

// bookWithRuntime makes a notebook whose runtime r1 has started.
func (w *world) bookWithRuntime(t *testing.T, id string) {
	w.book(id)
	p := w.joinAs(t, id, runtime(t, id, "r1"), helloOf("runtime", "r1"))
	p.committed(p.push(&event.RuntimeStarted{Runtime: "r1", Takes: event.TakesCode})[0])
	_ = p.Close()
}

func requestFor(t *testing.T, route server.Pattern, asker, book, body string) request {
	q := request{
		method: route.Method, token: tokenOf(t, asker, book),
		path: strings.NewReplacer(
			"{id}", book, "{$}", "", "{slug...}", "a-title", "{path...}", "index-1.js", "{file}", "icon.svg",
			"{hash}", artifactOf(png).Hash, "{link}", "none.none",
		).Replace(route.Path),
		body: strings.ReplaceAll(body, "BOOK", book),
	}
	if strings.HasSuffix(route.Path, "/sync") {
		q.header = socketHeader()
	}
	return q
}

// socketHeader asks for a WebSocket.
func socketHeader() map[string]string {
	return map[string]string{
		"Connection": "Upgrade", "Upgrade": "websocket",
		"Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
	}
}

func TestAC23WhatOneMayNotSeeLooksLikeWhatIsNotThere(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	for _, route := range w.Routes() {
		if !strings.HasPrefix(route.Path, "/api/notebooks/{id}") {
			continue
		}
		body := permissions[route].body
		hidden := w.do(t, requestFor(t, route, "stranger", "b1", body))
		missing := w.do(t, requestFor(t, route, "stranger", "none", body))
		if hidden.status != missing.status || hidden.body != missing.body {
			t.Errorf("%s %s: got %d %s, want the same as for none, %d %s",
				route.Method, route.Path, hidden.status, hidden.body, missing.status, missing.body)
		}
	}
}

func TestAnotherMethodOrPathIsAnsweredWithAProblem(t *testing.T) {
	w := newWorld(t)
	a := w.do(t, request{method: "PUT", path: "/api/notebooks", token: ownerToken}).want(t, 405)
	a.problem(t)
	if got, want := a.header.Get("Allow"), "GET, POST"; got != want {
		t.Errorf("got Allow %q, want %q", got, want)
	}
	w.do(t, request{method: "GET", path: "/api/nothing", token: ownerToken}).want(t, 404).problem(t)
	w.do(t, request{method: "GET", path: "/api/notebooks/x/sync", token: ownerToken}).want(t, 404).problem(t)
}
