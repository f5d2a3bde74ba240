package server_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server"
)

// document is the part of an OpenAPI document that a test looks at.
type document struct {
	OpenAPI string
	Info    struct{ Title, Version string }
	Paths   map[string]map[string]struct {
		OperationID string
		Summary     string
		Parameters  []struct{ Name, In string }
		Security    []any
		RequestBody *struct{ Content map[string]any }
		Responses   map[string]struct {
			Description string
			Content     map[string]any
		}
	}
	Components struct{ Schemas map[string]json.RawMessage }
}

func TestTheDocumentListsEveryRouteWithItsErrors(t *testing.T) {
	w := newWorld(t)
	a := w.do(t, request{method: "GET", path: "/api/openapi.json"}).want(t, 200)
	var doc document
	a.into(t, &doc)
	if doc.OpenAPI != "3.1.0" || doc.Info.Title == "" || doc.Info.Version != "test" {
		t.Errorf("got %s %v", doc.OpenAPI, doc.Info)
	}
	ids := map[string]bool{}
	listed := 0
	for _, path := range doc.Paths {
		listed += len(path)
	}
	if got, want := listed, len(w.Routes()); got != want {
		t.Errorf("got %d operations, want %d", got, want)
	}
	for _, route := range w.Routes() {
		op, ok := doc.Paths[strings.ReplaceAll(strings.TrimSuffix(route.Path, "{$}"), "...}", "}")][strings.ToLower(route.Method)]
		if !ok {
			t.Errorf("%s %s is not in the document", route.Method, route.Path)
			continue
		}
		if op.Summary == "" || op.OperationID == "" || ids[op.OperationID] {
			t.Errorf("%s %s: got summary %q and id %q", route.Method, route.Path, op.Summary, op.OperationID)
		}
		ids[op.OperationID] = true
		// The statuses in the table of permissions must be in the document too.
		for _, status := range slices.Compact(slices.Sorted(strings.FieldsSeq(permissions[route].statuses))) {
			if op.Responses[status].Description == "" {
				t.Errorf("%s %s: got no answer %s", route.Method, route.Path, status)
			}
		}
		if hasBody := permissions[route].body != ""; hasBody != (op.RequestBody != nil) {
			t.Errorf("%s %s: got a body: %v, want %v", route.Method, route.Path, !hasBody, hasBody)
		}
		if inPath := strings.Contains(route.Path, "{id}"); inPath && (len(op.Parameters) == 0 || op.Parameters[0].Name != "id") {
			t.Errorf("%s %s: got no parameter id", route.Method, route.Path)
		}
	}
	for _, ref := range regexp.MustCompile(`"#/components/schemas/(\w+)"`).FindAllStringSubmatch(a.body, -1) {
		if doc.Components.Schemas[ref[1]] == nil {
			t.Errorf("got a reference to %s, which is not there", ref[1])
		}
	}
}

func TestTheSchemasFitWhatTheServerAnswers(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	var doc document
	w.do(t, request{method: "GET", path: "/api/openapi.json"}).into(t, &doc)
	answers := map[string]answer{
		"Health":       w.do(t, request{method: "GET", path: "/api/health"}),
		"Version":      w.do(t, request{method: "GET", path: "/api/version"}),
		"Me":           w.do(t, request{method: "GET", path: "/api/me", token: person(t, "ada")}),
		"Problem":      w.do(t, request{method: "GET", path: "/api/me"}),
		"Link":         w.do(t, request{method: "POST", path: "/api/links", token: ownerToken}),
		"Listing":      w.do(t, request{method: "GET", path: "/api/notebooks/b1", token: ownerToken}),
		"NotebookList": w.do(t, request{method: "GET", path: "/api/notebooks", token: ownerToken}),
	}
	for name, a := range answers {
		var schema jsonschema.Schema
		if err := json.Unmarshal(doc.Components.Schemas[name], &schema); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		resolved, err := schema.Resolve(nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var value any
		a.into(t, &value)
		if err := resolved.Validate(value); err != nil {
			t.Errorf("%s: %v in %s", name, err, a.body)
		}
	}
}

// queuedLogs are logs with a queue of writes.
type queuedLogs struct{ server.Logs }

func (queuedLogs) Queued() (waiting, capacity int) { return 7, 512 }

func TestFiguresOfOneServerAreNoOthers(t *testing.T) {
	metrics := server.NewMetrics()
	newWorld(t, func(c *server.Config) { c.Metrics, c.Logs = metrics, queuedLogs{c.Logs} })
	st := newStore()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if _, err := server.New(server.Config{
		Listener: ln, Directory: st, Access: st, Logs: queuedLogs{st}, Secret: secret, OwnerToken: ownerToken, Metrics: metrics,
		Upgrade: func(http.ResponseWriter, *http.Request) (protocol.Conn, error) { return nil, io.EOF },
	}); err == nil {
		t.Error("got a second server with the same figures, want an error")
	}
}

func TestFiguresAreCounted(t *testing.T) {
	metrics := server.NewMetrics()
	w := newWorld(t, func(c *server.Config) {
		c.Metrics = metrics
		c.Logs = queuedLogs{c.Logs}
	})
	w.book("b1")
	metrics.ObserveCommit(2, 30, 3*time.Millisecond)
	p := w.join(t, "b1", ownerToken, "c1")
	w.do(t, request{method: "GET", path: "/api/notebooks/nowhere", token: ownerToken}).want(t, 404)
	for _, line := range []string{
		"quire_rooms 1", "quire_clients 1", "quire_events_total 30", "quire_batches_total 2",
		"quire_commit_seconds_count 1", "quire_members_behind_total 0", "quire_writes_queued 7", "quire_writes_capacity 512", `quire_requests_total{route="GET /api/notebooks/{id}",status="404"} 1`,
	} {
		w.eventually(t, line)
	}
	_ = p.Close()
	w.eventually(t, "quire_clients 0")
}
