package server_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode"

	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server"
	"github.com/quirehq/quire/host/server/artifacts"
	"github.com/quirehq/quire/host/server/problem"
)

// fuzzServer answers requests that come over no network. It has two notebooks and an artifact.
type fuzzServer struct {
	*server.Server
	log  *syncBuffer
	stop func()
}

func newFuzzServer(t *testing.T) *fuzzServer {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	st := newStore()
	for _, id := range []string{"b1", "b2"} {
		if err := st.CreateNotebook(t.Context(), directory.Notebook{ID: id, Title: id, Owner: "owner", Created: 1, Updated: 1}); err != nil {
			t.Fatal(err)
		}
	}
	stored := newMemoryArtifacts()
	s := &fuzzServer{log: &syncBuffer{}}
	cfg := server.Config{
		Listener: ln, Directory: st, Access: st, Logs: st, Secret: secret, OwnerToken: ownerToken, Version: "test", App: testApp(),
		Hosts: []string{"quire.example"}, Artifacts: artifacts.Storage{Bytes: stored, Index: stored, Loose: stored},
		Logger: slog.New(slog.NewTextHandler(s.log, nil)),
		Upgrade: func(w http.ResponseWriter, _ *http.Request) (protocol.Conn, error) {
			w.WriteHeader(http.StatusSwitchingProtocols)
			return nil, errors.New("there are no sockets here")
		},
	}
	cfg.Limits.Requests, cfg.Limits.Burst = 1e9, 1e9
	if s.Server, err = server.New(cfg); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	s.stop = func() {
		cancel()
		<-ended
	}
	s.answer("POST /api/notebooks/b1/artifacts HTTP/1.1\r\nHost: quire.example\r\n\r\n"+png, true)
	return s
}

// answer answers a request as it would come over a network, with the owner's token or without
// any credential. Bytes that are no request have no answer.
func (s *fuzzServer) answer(raw string, signed bool) (*http.Request, *httptest.ResponseRecorder) {
	in := strings.NewReader(raw)
	buffered := bufio.NewReader(in)
	r, err := http.ReadRequest(buffered)
	if err != nil {
		return nil, nil
	}
	_ = r.Body.Close()
	rest, _ := io.ReadAll(io.MultiReader(buffered, in)) // of a text it never fails
	r.Body, r.RemoteAddr = io.NopCloser(bytes.NewReader(rest)), "192.0.2.1:99"
	for _, name := range []string{"Authorization", "Cookie", "Quire-Key"} {
		r.Header.Del(name)
	}
	if signed {
		r.Header.Set("Authorization", "Bearer "+ownerToken)
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return r, w
}

// openRoutes are the routes that need no credential.
func openRoutes(path string) bool {
	if !strings.HasPrefix(path, "/api/") {
		return path != "/metrics"
	}
	switch path {
	case "/api/health", "/api/version", "/api/proof", "/api/openapi.json":
		return true
	}
	return false
}

// FuzzRequests wants any request to any route to be answered: never by a failure of the server, with
// the headers that keep a page from doing harm, and without credentials with nothing of a notebook.
func FuzzRequests(f *testing.F) {
	const host = "Host: quire.example\r\n"
	const asJSON = host + "Content-Type: application/json\r\n"
	picture := artifactOf(png).Hash
	for _, seed := range []string{
		"GET / HTTP/1.1\r\nAccept: text/html\r\n" + host, "GET /nb/b1?x HTTP/1.1\r\n" + host, "HEAD /assets/index-1.js HTTP/1.1\r\nAccept-Encoding: br;q=0, gzip\r\n" + host,
		"GET /login?token=x&next=//evil.example HTTP/1.1\r\n" + host, "POST /login HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n" + host + "\r\ntoken=a&next=%2Fnb%2Fb1",
		"POST /login HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=x\r\n" + host + "\r\n--x\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\na\r\n--x--\r\n",
		"GET /api/notebooks?limit=2&sort=title&after=YjE.b1 HTTP/1.1\r\n" + host, "GET /api/audit?since=2030-01-02T15:04:05Z&limit=0 HTTP/1.1\r\n" + host,
		"GET /api/proof?nonce=AAAA HTTP/1.1\r\n" + host, "GET /api/notebooks/b1/log?after=18446744073709551615 HTTP/1.1\r\n" + host, "GET /api/notebooks/b1/view?cells=501 HTTP/1.1\r\n" + host,
		"GET /api/notebooks/b1/export?format=py HTTP/1.1\r\n" + host, "GET /api/notebooks/b1/export?format=ipynb HTTP/1.1\r\n" + host, "GET /api/notebooks/b1/sync HTTP/1.1\r\nUpgrade: websocket\r\n" + host,
		"POST /api/notebooks HTTP/1.1\r\n" + asJSON + "\r\n{\"title\":\"new\"}", "PATCH /api/notebooks/b1 HTTP/1.1\r\n" + asJSON + "\r\n{\"title\":\"new\",\"more\":1}",
		"POST /api/tokens HTTP/1.1\r\n" + asJSON + "\r\n{\"notebook\":\"b1\",\"name\":\"ci\",\"role\":\"editor\",\"days\":1}", "POST /api/links HTTP/1.1\r\n" + asJSON + "\r\n{}",
		"DELETE /api/tokens/00112233 HTTP/1.1\r\n" + host, "DELETE /api/notebooks/b1 HTTP/1.1\r\n" + host, "POST /api/notebooks/b2/duplicate HTTP/1.1\r\n" + asJSON + "\r\n{\"title\":null}",
		"PUT /api/notebooks/b1/limits HTTP/1.1\r\n" + asJSON + "\r\n{\"memory\":\"2G\"}", "POST /api/notebooks/b1/purge HTTP/1.1\r\n" + host, "POST /api/notebooks/b1/restore HTTP/1.1\r\n" + host,
		"POST /api/notebooks/import?title=x HTTP/1.1\r\nContent-Type: application/x-ipynb+json\r\n" + host + "\r\n{\"nbformat\":4,\"nbformat_minor\":5,\"metadata\":{},\"cells\":[]}",
		"POST /api/notebooks/import HTTP/1.1\r\nContent-Type: text/x-python\r\n" + host + "\r\n# %%\nprint(1)\n", "POST /api/notebooks/import?format=md HTTP/1.1\r\nContent-Type: text/markdown\r\n" + host + "\r\n# x\n",
		"GET /api/notebooks/b1/artifacts/" + picture + "?type=image/png&name=a.png HTTP/1.1\r\nRange: bytes=1-2,4-\r\n" + host,
		"GET /api/notebooks/b1/artifacts/" + picture + " HTTP/1.1\r\nRange: bytes=99-\r\nIf-None-Match: \"x\"\r\n" + host, "GET /artifacts/e30.AAAA HTTP/1.1\r\n" + host,
		"POST /api/notebooks/b1/artifacts/" + picture + "/link HTTP/1.1\r\n" + asJSON + "\r\n{\"type\":\"image/png\"}", "OPTIONS * HTTP/1.1\r\n" + host, "GET //evil.example/%2e%2e HTTP/1.1\r\n" + host,
		"POST /api/notebooks HTTP/1.1\r\nOrigin: http://evil.example\r\n" + asJSON + "\r\n{}", "GET / HTTP/1.1\r\nHost: evil.example\r\n", "DELETE /api/notebooks/b1/runtime HTTP/1.1\r\n" + host,
		"GET /api/health HTTP/1.0\r\nX-Forwarded-For: 1.2.3.4\r\nForwarded: for=x\r\n" + host, "GET /api/me HTTP/1.1\r\nSec-Fetch-Site: cross-site\r\n" + host,
	} {
		if !strings.Contains(seed, "\r\n\r\n") {
			seed += "\r\n"
		}
		f.Add(seed, true)
		f.Add(seed, false)
	}
	var s *fuzzServer
	f.Cleanup(func() {
		if s != nil {
			s.stop()
		}
	})
	f.Fuzz(func(t *testing.T, raw string, signed bool) {
		if s == nil {
			s = newFuzzServer(t)
		}
		r, w := s.answer(raw, signed)
		if r == nil {
			return
		}
		if r.Method != http.MethodGet { // it may have changed something
			defer func() {
				s.stop()
				s = nil
			}()
		}
		if w.Code >= 500 && w.Code != http.StatusServiceUnavailable && w.Code != http.StatusNotImplemented {
			t.Fatalf("got %d: %s\n%s", w.Code, w.Body, s.log)
		}
		for name, values := range w.Header() {
			if strings.ContainsFunc(name+strings.Join(values, ""), unicode.IsControl) {
				t.Fatalf("got the header %q: %q", name, values)
			}
		}
		if w.Header().Get("Content-Security-Policy") == "" || w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Fatalf("got the headers %v, which let a page do anything", w.Header())
		}
		if host := strings.ToLower(r.Host); !strings.HasPrefix(host, "quire.example") && !strings.Contains(host, "localhost") && !strings.Contains(host, "127.") && !strings.Contains(host, ":") && w.Code != http.StatusMisdirectedRequest {
			t.Fatalf("got %d for the host %q, which is another server", w.Code, r.Host)
		}
		if !signed && w.Code < 300 && !openRoutes(r.URL.Path) {
			t.Fatalf("got %d without a credential", w.Code)
		}
		checkProblem(t, w)
	})
}

// checkProblem wants an answer that is an error to say what has happened, to programs or people.
func checkProblem(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	if w.Code < 400 || w.Body.Len() == 0 || strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
		return
	}
	var p problem.Problem
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || p.Status != w.Code || p.Detail == "" || p.Code == "" || len(p.Detail) > 4<<10 {
		t.Fatalf("got %d %s, want a problem (%v)", w.Code, w.Body, err)
	}
}
