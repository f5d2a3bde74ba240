package server_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/host/server"
)

// methodsOf returns the methods that each path of the table takes.
func methodsOf(routes []server.Pattern) map[string][]string {
	paths := map[string][]string{}
	for _, r := range routes {
		paths[r.Path] = append(paths[r.Path], r.Method)
	}
	return paths
}

func TestAC26AMethodThatTheTableDoesNotHaveDoesNothing(t *testing.T) {
	w := newWorld(t, withArtifacts(t, t.TempDir()))
	w.bookWithRuntime(t, "b1")
	w.upload(t, "b1", png)
	for path, methods := range methodsOf(w.Routes()) {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "get", "Delete", "QUERY"} {
			if slices.Contains(methods, method) || method == "HEAD" && slices.Contains(methods, "GET") {
				continue
			}
			q := requestFor(t, server.Pattern{Method: method, Path: path}, "server", "b1", `{"title":"New"}`)
			a := w.do(t, q)
			if a.status != http.StatusMethodNotAllowed && a.status != http.StatusNotFound || method != "HEAD" && a.problem(t).Code == "" {
				t.Errorf("%s %s: got %d %s, want 405", method, path, a.status, a.body)
			}
		}
		for _, header := range []string{"X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"} {
			if slices.Contains(methods, "POST") {
				continue
			}
			q := requestFor(t, server.Pattern{Method: "POST", Path: path}, "server", "b1", "_method=DELETE")
			q.header = map[string]string{header: "DELETE", "Content-Type": "application/x-www-form-urlencoded"}
			w.do(t, q).want(t, http.StatusMethodNotAllowed)
		}
	}
	w.do(t, request{method: "GET", path: "/api/notebooks/b1", token: ownerToken}).want(t, 200)
}

func TestAC22NoPreflightAllowsAnotherOriginAnything(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	for path, methods := range methodsOf(w.Routes()) {
		for _, origin := range []string{"http://evil.example", "null", w.url} {
			q := requestFor(t, server.Pattern{Method: "OPTIONS", Path: path}, "none", "b1", "")
			q.header = map[string]string{
				"Origin": origin, "Access-Control-Request-Method": methods[0],
				"Access-Control-Request-Headers":         "authorization, content-type, quire-key",
				"Access-Control-Request-Private-Network": "true",
			}
			a := w.do(t, q)
			if a.status < 400 {
				t.Errorf("%s from %s: got %d", path, origin, a.status)
			}
			for name := range a.header {
				if strings.HasPrefix(name, "Access-Control-") {
					t.Errorf("%s from %s: got %s %q", path, origin, name, a.header[name])
				}
			}
		}
	}
}

func TestAC25NoCredentialIsTakenFromAnywhereButItsHeader(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	c := w.signIn(t)
	half := halfOf(http.Header{"Cookie": {c.String()}})
	needing := []server.Pattern{}
	for _, route := range w.Routes() {
		if strings.HasSuffix(permissions[route].statuses, "401") {
			needing = append(needing, route)
		}
	}
	for _, route := range needing {
		for _, name := range []string{"token", "access_token", "auth", "authorization", "key", "quire.key", "Quire-Key", c.Name, "bearer"} {
			for _, secret := range []string{ownerToken, "Bearer " + ownerToken, half, c.Value} {
				q := requestFor(t, route, "none", "b1", permissions[route].body)
				q.path += "?" + url.Values{name: {secret}}.Encode()
				w.do(t, q).want(t, 401)
			}
		}
	}
	for name, header := range map[string]map[string]string{
		"basic":              {"Authorization": "Basic b3duZXI6" + ownerToken},
		"a cookie":           {"Cookie": "token=" + ownerToken + "; " + c.Name + "=" + ownerToken + "; Authorization=" + ownerToken},
		"another header":     {"X-Auth-Token": ownerToken, "X-Authorization": "Bearer " + ownerToken, "Proxy-Authorization": "Bearer " + ownerToken},
		"the half alone":     {"Quire-Key": half},
		"the half as token":  {"Authorization": "Bearer " + half},
		"the cookie as one":  {"Authorization": "Bearer " + c.Value},
		"claims of a person": {"X-Forwarded-User": "owner", "X-Remote-User": "owner", "Remote-User": "owner"},
	} {
		if a := w.do(t, request{method: "GET", path: "/api/me", header: header}); a.status != 401 {
			t.Errorf("%s: got %d %s, want 401", name, a.status, a.body)
		}
	}
}

func TestAC24ARuntimeThatHasStoppedMayDoNothingInItsNotebook(t *testing.T) {
	w := newWorld(t, withArtifacts(t, t.TempDir()))
	w.book("b1")
	w.upload(t, "b1", png)
	rt := w.joinAs(t, "b1", runtime(t, "b1", "r1"), helloOf("runtime", "r1"))
	rt.committed(rt.push(&event.RuntimeStarted{Runtime: "r1", Takes: event.TakesCode})[0])
	try := func(route server.Pattern) int {
		return w.do(t, requestFor(t, route, "runtime", "b1", permissions[route].body)).status
	}
	live := map[server.Pattern]int{}
	for _, route := range w.Routes() {
		if strings.HasPrefix(route.Path, "/api/notebooks/{id}") {
			live[route] = try(route)
			if got, want := fmt.Sprint(live[route]), strings.Fields(permissions[route].statuses)[5]; got != want {
				t.Errorf("%s %s: got %s while it runs, want %s", route.Method, route.Path, got, want)
			}
		}
	}
	rt.committed(rt.push(stopped("r1"))[0])
	for route := range live {
		if got := try(route); got != 403 {
			t.Errorf("%s %s: got %d after it has stopped, want 403", route.Method, route.Path, got)
		}
	}
	for _, other := range []string{runtime(t, "b2", "r1"), key(t, "b2", access.Editor)} { // of a notebook that there is not
		w.do(t, request{method: "GET", path: "/api/notebooks/b1", token: other}).want(t, 404)
	}
}
