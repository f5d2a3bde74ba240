package llmtest

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quirehq/quire/core/assist"
	"github.com/quirehq/quire/internal/llm/call"
)

// Bounds of responses in the suite.
const (
	maxLine   = 64 << 10
	maxStream = 1 << 20
	silence   = time.Minute
)

// server is a service under the control of a test, with an adapter that uses it.
type server struct {
	provider assist.Provider
	clock    *clock

	mu   sync.Mutex
	seen []request
}

// request is one that the service got.
type request struct {
	path, query string
	header      http.Header
	body        []byte
}

// serve starts a service whose requests a function answers.
func (d *Dialect) serve(t *testing.T, handle http.HandlerFunc) *server {
	t.Helper()
	s := &server{clock: &clock{}}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // a client may have gone
		if d.Detail != nil {
			if name := d.Detail(r.URL.Path, body); name != "" {
				w.Header().Set("Content-Type", "application/json")
				send(w, d.read(t, "details/"+strings.ReplaceAll(name, ":", "-")+".json"))
				return
			}
		}
		s.mu.Lock()
		s.seen = append(s.seen, request{r.URL.Path, r.URL.RawQuery, r.Header.Clone(), body})
		s.mu.Unlock()
		handle(w, r)
	}))
	t.Cleanup(web.Close)
	s.provider = d.open(t, web.URL, s.clock)
	return s
}

// open returns an adapter for a service with connections of its own.
func (d *Dialect) open(t *testing.T, url string, clock *clock) assist.Provider {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	p, err := d.New(call.Config{
		Provider: "tested", URL: url + d.Root, Key: Key,
		Silence: silence, MaxLine: maxLine, MaxStream: maxStream, Transport: transport, AfterFunc: clock.afterFunc,
	})
	if err != nil {
		t.Fatal(err)
	}
	if p.Name() != "tested" {
		t.Errorf("got a provider named %q, want tested", p.Name())
	}
	return p
}

// last returns the last request.
func (s *server) last(t *testing.T) request {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.seen) == 0 {
		t.Fatal("the service got no request")
	}
	return s.seen[len(s.seen)-1]
}

func (s *server) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.seen)
}

// clock is a clock that stands still until a test moves it.
type clock struct {
	mu     sync.Mutex
	timers map[*timer]bool
}

type timer struct {
	after time.Duration
	f     func()
}

// afterFunc has the signature of [call.Config].
func (c *clock) afterFunc(d time.Duration, f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timers == nil {
		c.timers = map[*timer]bool{}
	}
	t := &timer{d, f}
	c.timers[t] = true
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		was := c.timers[t]
		delete(c.timers, t)
		return was
	}
}

// pass moves the clock, and reports whether a timer ended.
func (c *clock) pass(d time.Duration) bool {
	c.mu.Lock()
	var due []func()
	for t := range c.timers {
		if t.after -= d; t.after <= 0 {
			due = append(due, t.f)
			delete(c.timers, t)
		}
	}
	c.mu.Unlock()
	for _, f := range due {
		f()
	}
	return len(due) > 0
}

// wantFailure checks a failure: its kind, a part of its words, and that it has no key.
func wantFailure(t *testing.T, err error, kind assist.FailureKind, words string) *assist.ModelError {
	t.Helper()
	failure, ok := errors.AsType[*assist.ModelError](err)
	if !ok {
		t.Fatalf("got %v, want a failure of the kind %s", err, kind)
	}
	text := failure.Error() + fmt.Sprintf("%+v %#v", failure, failure.Err)
	if failure.Kind != kind || failure.Provider != "tested" || !strings.Contains(failure.Error(), words) {
		t.Errorf("got %q of %q, want the kind %s with %q", failure, failure.Provider, kind, words)
	}
	if strings.Contains(text, Key) || strings.Contains(text, Key[3:]) {
		t.Errorf("the key is in the failure %q", text)
	}
	return failure
}
