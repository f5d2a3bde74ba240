package server_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/quirehq/quire/host/server"
)

// forms are how the body of a request can be announced that does not come.
var forms = map[string]string{"chunked": "Transfer-Encoding: chunked", "small": "Content-Length: 9", "large": "Content-Length: 1000000"}

// withhold sends the head of a request and no body, and returns the answer's status, which must
// come before any, and the connection behind it, which must end too.
func (w *world) withhold(t *testing.T, method, head string) (status int, err error) {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(w.url, "http://"))
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	deadline, _ := soon(t).Deadline()
	_ = conn.SetDeadline(deadline)
	if _, err := fmt.Fprint(conn, head, "\r\n\r\n"); err != nil {
		return 0, err
	}
	from := bufio.NewReader(conn)
	resp, err := http.ReadResponse(from, &http.Request{Method: method})
	if err != nil {
		return 0, fmt.Errorf("no answer: %w", err)
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return 0, fmt.Errorf("half an answer: %w", err)
	}
	if _, err := from.ReadByte(); err != io.EOF {
		return 0, fmt.Errorf("the connection stays: %w", err)
	}
	return resp.StatusCode, nil
}

// headOf writes the head of a request whose body is announced in a form.
func headOf(w *world, q request, form string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\n%s", q.method, q.path, strings.TrimPrefix(w.url, "http://"), form)
	if q.token != "" {
		fmt.Fprintf(&b, "\r\nAuthorization: Bearer %s", q.token)
	}
	for k, v := range q.header {
		fmt.Fprintf(&b, "\r\n%s: %s", k, v)
	}
	return b.String()
}

func TestNoRefusalWaitsForABody(t *testing.T) {
	w := newWorld(t, withArtifacts(t, t.TempDir()))
	w.bookWithRuntime(t, "b1")
	var asking sync.WaitGroup
	ask := func(q request, want ...int) {
		for name, form := range forms {
			asking.Go(func() {
				got, err := w.withhold(t, q.method, headOf(w, q, form))
				if err != nil || !slices.Contains(want, got) && got != 429 { // of those who fail to sign in few are told so
					t.Errorf("%s %s by %q with %v, %s: got %d, %v, want one of %v", q.method, q.path, q.token, q.header, name, got, err, want)
				}
			})
		}
	}
	for _, route := range w.Routes() {
		for i, status := range strings.Fields(permissions[route].statuses) {
			if slices.Contains([]string{"401", "403", "404"}, status) {
				ask(requestFor(t, route, askers[i], "b1", ""), 401, 403, 404)
			}
		}
		q := requestFor(t, route, "server", "b1", "")
		for _, refused := range []struct {
			status int
			header map[string]string
			method string
			token  string
		}{
			{401, nil, q.method, "wrong"},
			{405, nil, "OPTIONS", q.token},
			{403, map[string]string{"Sec-Fetch-Site": "cross-site"}, "PATCH", q.token},
			{403, map[string]string{"Origin": "http://evil.example"}, "PATCH", q.token},
			{403, map[string]string{"Cookie": "x=y", "Origin": "null"}, "PATCH", ""},
		} {
			q := request{method: refused.method, path: q.path, token: refused.token, header: refused.header}
			ask(q, refused.status)
		}
		if permissions[route].body != "" && permissions[route].body != "bytes" {
			q := requestFor(t, route, admitted(t, route), "b1", "")
			q.header = map[string]string{"Content-Type": "text/x-none"}
			ask(q, 415)
		}
	}
	ask(request{method: "POST", path: "/none/such", token: ownerToken}, 404)
	asking.Wait()
}

func TestTooManyRequestsAreRefusedWithoutTheirBodies(t *testing.T) {
	w := newWorld(t, func(c *server.Config) { c.Limits.Requests, c.Limits.Burst = 1e-9, 1 })
	w.do(t, request{method: "GET", path: "/api/me", token: ownerToken}).want(t, 200)
	for _, route := range w.Routes() {
		if route.Path == "/api/proof" {
			continue // it costs no more than the refusal
		}
		q := requestFor(t, route, "server", "b1", "")
		if got, err := w.withhold(t, q.method, headOf(w, q, forms["large"])); err != nil || got != 429 {
			t.Errorf("%s %s: got %d, %v, want 429", q.method, q.path, got, err)
		}
	}
}

func TestARefusalOfWhatABodyBeginsWithDoesNotWaitForItsEnd(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	for _, route := range w.Routes() {
		if body := permissions[route].body; body == "" || body == "bytes" || strings.HasSuffix(route.Path, "/import") {
			continue
		}
		q := requestFor(t, route, admitted(t, route), "b1", "")
		q.header = map[string]string{"Content-Type": "application/json"}
		head := headOf(w, q, forms["large"]) + "\r\n\r\n<" // what follows it is behind the body's first byte
		if got, err := w.withhold(t, q.method, head); err != nil || got != 400 && got != 503 {
			t.Errorf("%s %s: got %d, %v, want 400 or 503", q.method, q.path, got, err)
		}
	}
}

func TestAConnectionOutlastsAnAnswerToAWholeBody(t *testing.T) {
	w := newWorld(t)
	conn, err := new(net.Dialer).DialContext(soon(t), "tcp", strings.TrimPrefix(w.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	from := bufio.NewReader(conn)
	for _, body := range []string{`{"title":"New"}`, `{"titel":"New"}`} {
		q := request{method: "POST", path: "/api/notebooks", token: person(t, "owner"), header: map[string]string{"Content-Type": "application/json"}}
		if _, err := fmt.Fprint(conn, headOf(w, q, fmt.Sprintf("Content-Length: %d", len(body))), "\r\n\r\n", body); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(from, &http.Request{Method: q.method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode == 201 && resp.Close {
			t.Error("the connection ends after a request that was answered")
		}
	}
}
