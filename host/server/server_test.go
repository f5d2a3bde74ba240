package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server"
	"github.com/quirehq/quire/host/server/problem"
	"github.com/quirehq/quire/host/server/signin"
	"github.com/quirehq/quire/internal/ws"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const ownerToken = "the-owners-own-token-0123456789"

var secret = bytes.Repeat([]byte("k"), 32)

// world is a running server with its dependencies.
type world struct {
	*server.Server
	t     *testing.T
	store *store
	url   string
	http  *http.Client
	log   *syncBuffer
	stop  func() // stops the server, and may be called again
}

// syncBuffer is a buffer that many may write.
type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// newWorld starts a server. Changes are made to its configuration first.
func newWorld(t *testing.T, changes ...func(*server.Config)) *world {
	t.Helper()
	return newWorldOn(t, newStore(), changes...)
}

func newWorldOn(t *testing.T, st *store, changes ...func(*server.Config)) *world {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, store: st, url: "http://" + ln.Addr().String(), log: &syncBuffer{}}
	cfg := server.Config{
		Listener: ln, Directory: st, Access: st, Logs: st, Secret: secret, OwnerToken: ownerToken, Version: "test",
		App: testApp(),
		Upgrade: func(rw http.ResponseWriter, r *http.Request) (protocol.Conn, error) {
			return ws.Accept(rw, r, ws.Options{})
		},
		Logger: slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	cfg.Limits.Requests, cfg.Limits.Burst = 1e6, 1e6
	cfg.Limits.Joins, cfg.Limits.JoinBurst, cfg.Limits.Rejoins, cfg.Limits.RejoinBurst = 1e6, 1e6, 1e6, 1e6
	for _, change := range changes {
		change(&cfg)
	}
	if w.Server, err = server.New(cfg); err != nil {
		t.Fatal(err)
	}
	w.run()
	return w
}

func (w *world) run() {
	transport := &http.Transport{DisableCompression: true}
	w.http = &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.t.Context()))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := w.Run(ctx); err != nil {
			w.t.Errorf("run: %v", err)
		}
	}()
	w.stop = func() {
		cancel()
		<-ended
		transport.CloseIdleConnections()
	}
	w.t.Cleanup(w.stop)
}

// book makes a notebook in which people called as the roles have those roles.
func (w *world) book(id string) {
	w.t.Helper()
	n := directory.Notebook{ID: id, Title: "Old", Owner: "owner", Created: 1, Updated: 1}
	if err := w.store.CreateNotebook(w.t.Context(), n); err != nil {
		w.t.Fatal(err)
	}
	for _, role := range []access.Role{access.Editor, access.Runner, access.Viewer} {
		w.store.grant(id, string(role), role)
	}
	w.store.grant(id, "co-owner", access.Owner)
}

func sign(t *testing.T, c signin.Claims) string {
	t.Helper()
	token, err := signin.Sign(secret, c)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// person returns the token of a person.
func person(t *testing.T, name string) string {
	t.Helper()
	return sign(t, signin.Claims{Kind: event.ActorPerson, Name: name})
}

// key returns the token of a program.
func key(t *testing.T, notebook string, role access.Role) string {
	t.Helper()
	return sign(t, signin.Claims{Kind: event.ActorKey, Name: "ci", Notebook: notebook, Role: role})
}

// runtime returns the token of a runtime.
func runtime(t *testing.T, notebook, id string) string {
	t.Helper()
	return sign(t, signin.Claims{Kind: event.ActorRuntime, Name: id, Notebook: notebook, Role: access.Runtime})
}

// assistant returns the token of an assistant.
func assistant(t *testing.T, notebook, id string) string {
	t.Helper()
	return sign(t, signin.Claims{Kind: event.ActorAssistant, Name: id, Notebook: notebook, Role: access.Assistant})
}

// request is an HTTP request in a test. Empty fields are left out.
type request struct {
	method, path, token string
	body                string
	header              map[string]string // a Host too; Content-Type is JSON if there is a body
	cookie              *http.Cookie
	alone               bool // the cookie is sent without its other half
}

// answer is the answer to a request.
type answer struct {
	status int
	header http.Header
	body   string
}

func (w *world) do(t *testing.T, q request) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), q.method, w.url+q.path, strings.NewReader(q.body))
	if err != nil {
		t.Fatal(err)
	}
	if q.token != "" {
		req.Header.Set("Authorization", "Bearer "+q.token)
	}
	if q.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if q.cookie != nil {
		req.AddCookie(q.cookie)
	}
	for k, v := range q.header {
		if k == "Host" {
			req.Host = v
		}
		req.Header.Set(k, v)
	}
	if half := halfOf(req.Header); half != "" && !q.alone {
		req.Header.Set("Quire-Key", half)
	}
	resp, err := w.http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	a := answer{status: resp.StatusCode, header: resp.Header}
	if resp.StatusCode != http.StatusSwitchingProtocols {
		data, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		a.body = string(data)
	}
	return a
}

// want fails the test unless the answer has a status.
func (a answer) want(t *testing.T, status int) answer {
	t.Helper()
	if a.status != status {
		t.Errorf("got status %d, want %d: %s", a.status, status, a.body)
	}
	return a
}

// into decodes the answer.
func (a answer) into(t *testing.T, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(a.body), v); err != nil {
		t.Fatalf("%v in %q", err, a.body)
	}
}

// problem decodes the answer as a problem.
func (a answer) problem(t *testing.T) problem.Problem {
	t.Helper()
	var p problem.Problem
	a.into(t, &p)
	if got, want := a.header.Get("Content-Type"), "application/problem+json"; got != want || p.Status != a.status {
		t.Errorf("got a problem of type %q and status %d, want %q and %d", got, p.Status, want, a.status)
	}
	return p
}

// soon bounds the time that a test waits for an event.
func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func TestNewWantsWhatItCannotDoWithout(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	st := newStore()
	good := server.Config{
		Listener: ln, Directory: st, Access: st, Logs: st, Secret: secret, OwnerToken: ownerToken,
		Upgrade: func(http.ResponseWriter, *http.Request) (protocol.Conn, error) { return nil, io.EOF },
	}
	if _, err := server.New(good); err != nil {
		t.Fatal(err)
	}
	spoil := []func(*server.Config){
		func(c *server.Config) { c.Listener = nil },
		func(c *server.Config) { c.Directory = nil },
		func(c *server.Config) { c.Access = nil },
		func(c *server.Config) { c.Logs = nil },
		func(c *server.Config) { c.Upgrade = nil },
		func(c *server.Config) { c.Secret = secret[:31] },
		func(c *server.Config) { c.OwnerToken = "short" },
	}
	for i, f := range spoil {
		cfg := good
		f(&cfg)
		if _, err := server.New(cfg); err == nil {
			t.Errorf("%d: got no error", i)
		}
	}
}

// direct makes a request of the handler, whether or not the server runs.
func (w *world) direct(q request) *httptest.ResponseRecorder {
	req := httptest.NewRequest(q.method, w.url+q.path, strings.NewReader(q.body))
	req.Header.Set("Authorization", "Bearer "+q.token)
	rec := httptest.NewRecorder()
	w.Handler().ServeHTTP(rec, req)
	return rec
}
