package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/host/server"
)

// limiting is a launcher that keeps limits, and knows none of more than two digits.
type limiting struct {
	*launcher
	own map[string]server.LimitValues
}

func (l limiting) Limits(notebook string) (server.NotebookLimits, error) {
	return server.NotebookLimits{Own: l.own[notebook], Most: server.LimitValues{Files: "99"}}, nil
}

func (l limiting) SetLimits(notebook string, own server.LimitValues) error {
	if len(own.Files) > 2 {
		return fmt.Errorf("%w: files: %s is more than the server allows", server.ErrLimit, own.Files)
	}
	l.own[notebook] = own
	return nil
}

func TestAnOwnerSetsTheLimitsOfANotebookAndReadersSeeThem(t *testing.T) {
	l := limiting{newLauncher(), map[string]server.LimitValues{}}
	w := newWorld(t, func(c *server.Config) { c.Launcher = l })
	w.book("b1")
	w.book("b2")
	put := func(body string) answer {
		return w.do(t, request{
			method: http.MethodPut, path: "/api/notebooks/b1/limits", token: person(t, "owner"), body: body,
		})
	}
	read := func(book string) (got server.NotebookLimits) {
		a := w.do(t, request{method: http.MethodGet, path: "/api/notebooks/" + book + "/limits", token: person(t, "viewer")})
		if err := json.Unmarshal([]byte(a.body), &got); err != nil || a.status != http.StatusOK {
			t.Fatalf("got %d, %v: %s", a.status, err, a.body)
		}
		return got
	}
	if a := put(`{"memory":"2G","files":"50"}`); a.status != http.StatusOK {
		t.Errorf("got %d, want 200: %s", a.status, a.body)
	}
	most := server.LimitValues{Files: "99"}
	want := map[string]server.NotebookLimits{"b1": {Own: server.LimitValues{Memory: "2G", Files: "50"}, Most: most}, "b2": {Most: most}}
	if diff := cmp.Diff(want, map[string]server.NotebookLimits{"b1": read("b1"), "b2": read("b2")}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for body, want := range map[string]string{
		`{"files":"100"}`:  "the limit cannot be set: files: 100 is more than the server allows",
		`{"patience":"1"}`: `the body does not fit this route: unknown field "patience"`,
	} {
		if a := put(body); a.status != http.StatusBadRequest || a.problem(t).Detail != want {
			t.Errorf("%s: got %d, %s, want %q", body, a.status, a.body, want)
		}
	}
	if diff := cmp.Diff(want["b1"], read("b1")); diff != "" {
		t.Errorf("after what was refused (-want +got):\n%s", diff)
	}
}
