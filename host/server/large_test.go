package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/artifact"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/ipynb"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/host/server"
)

// streamed are the routes whose answers may be large and are never held as a whole.
var streamed = map[server.Pattern]string{
	{"GET", "/api/notebooks/{id}/log"}:              "a record at a time",
	{"GET", "/api/notebooks/{id}/artifacts/{hash}"}: "from the store",
	{"GET", "/artifacts/{link}"}:                    "from the store",
	{"GET", "/api/audit"}:                           "an act at a time",
}

// largeQueries are the queries with which the answer of a route is larger, or another one.
var largeQueries = map[server.Pattern][]string{
	{"GET", "/api/notebooks/{id}/export"}: {"", "?format=ipynb", "?format=py", "?format=md", "?format=html", "?format=r"},
	{"GET", "/api/notebooks/{id}/view"}:   {"", "?cells=500"},
}

// withWholePages has pages with all that is in a notebook.
func withWholePages(c *server.Config) {
	c.Page = func(_ context.Context, n *notebook.Notebook, _ artifact.Source) ([]byte, error) {
		return ipynb.Export(n)
	}
}

func TestEveryLargeAnswerIsWeighedOrStreamed(t *testing.T) {
	const large = 1 << 20
	acts := new(record)
	w := newWorld(t, withArtifacts(t, t.TempDir()), withWholePages, acts.use)
	for range 10 {
		acts.Record(server.Act{Kind: "run", Detail: map[string]string{"cell": strings.Repeat("x", large/10)}})
	}
	w.book("b1")
	p := w.join(t, "b1", ownerToken, "writer")
	text := strings.Repeat("x", large)
	value := json.RawMessage(`"` + text + `"`)
	p.committed(p.push(
		&event.NotebookMetadataSet{Key: "k", Value: value},
		created("c1", text),
		&event.CellMetadataSet{Cell: "c1", Key: "k", Value: value},
		&event.OutputsImported{Cell: "c1", Outputs: []event.Output{{Kind: event.OutputDisplay, Data: map[string]json.RawMessage{"text/plain": value}}}},
	)[3])
	hash := w.upload(t, "b1", text)
	link := w.do(t, request{
		method: "POST", path: "/api/notebooks/b1/artifacts/" + hash.Hash + "/link", token: ownerToken, body: `{"type":"text/plain"}`,
	}).want(t, 201)
	var made struct{ URL string }
	if err := json.Unmarshal([]byte(link.body), &made); err != nil {
		t.Fatal(err)
	}
	seen := map[server.Pattern]bool{}
	for _, route := range w.Routes() {
		if strings.HasSuffix(route.Path, "/sync") || route.Method == "DELETE" || strings.HasSuffix(route.Path, "/purge") {
			continue // a socket is weighed by another test, and without the notebook nothing is large
		}
		queries := largeQueries[route]
		if queries == nil {
			queries = []string{""}
		}
		for _, query := range queries {
			q := requestFor(t, route, "server", "b1", permissions[route].body)
			q.path = strings.ReplaceAll(q.path, artifactOf(png).Hash, hash.Hash) + query
			if route.Path == "/artifacts/{link}" {
				q.path = made.URL[strings.Index(made.URL, "/artifacts/"):]
			}
			_, before := w.Answers()
			a := w.do(t, q)
			_, after := w.Answers()
			switch {
			case len(a.body) < large:
				continue
			case streamed[route] == "" && after == before:
				t.Errorf("%s %s: the answer has %d bytes, and is neither weighed nor streamed", route.Method, route.Path+query, len(a.body))
			}
			seen[route] = true
		}
	}
	for route := range streamed {
		if !seen[route] {
			t.Errorf("%s %s had no large answer, so that nothing is known of it", route.Method, route.Path)
		}
	}
	for _, path := range []string{"export", "view"} {
		if !seen[server.Pattern{Method: "GET", Path: "/api/notebooks/{id}/" + path}] {
			t.Errorf("the %s had no large answer", path)
		}
	}
}

func TestFilesThatAreImportedAreWeighed(t *testing.T) {
	w := newWorld(t)
	_, before := w.Answers()
	file := fmt.Sprintf(`{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[{"cell_type":"code","id":"a","metadata":{},"outputs":[],"execution_count":null,"source":%q}]}`,
		strings.Repeat("x", 1<<20))
	w.do(t, request{method: "POST", path: "/api/notebooks/import", token: ownerToken, body: file, header: map[string]string{"Content-Type": "application/x-ipynb+json"}}).want(t, 201)
	if _, after := w.Answers(); after == before {
		t.Error("the file was not weighed")
	}
}
