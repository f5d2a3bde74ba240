package llmtest

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/quirehq/quire/core/assist"
)

// hostile tests streams as no service should send them.
func (d *Dialect) hostile(t *testing.T) {
	text := func(t *testing.T) string { return d.read(t, "text") }
	half := func(t *testing.T) string { return text(t)[:len(text(t))/2] }
	t.Run("MO3: a connection that is cut", func(t *testing.T) {
		d.wantEnd(t, assist.FailedUnreachable, "broke", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100000")
			send(w, half(t))
		})
	})
	t.Run("MO3: an end before the last event", func(t *testing.T) {
		d.wantEnd(t, assist.FailedUnreachable, "before it was complete", func(w http.ResponseWriter, _ *http.Request) { send(w, half(t)) })
	})
	t.Run("an empty stream", func(t *testing.T) {
		d.wantEnd(t, assist.FailedUnreachable, "before it was complete", func(http.ResponseWriter, *http.Request) {})
	})
	for _, name := range []string{"garbage", "truncated"} {
		t.Run(name, func(t *testing.T) { d.wantEnd(t, assist.FailedMalformed, "", d.record(t, name)) })
	}
	t.Run("a failure within the stream", func(t *testing.T) {
		d.wantEnd(t, assist.FailedOverloaded, "verloaded", d.record(t, "reported"))
	})
	t.Run("a page of HTML", func(t *testing.T) {
		d.wantEnd(t, assist.FailedMalformed, "check the URL", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			send(w, "<!doctype html><title>Hello</title>")
		})
	})
	t.Run("MO4: a line without an end", func(t *testing.T) {
		d.wantEnd(t, assist.FailedMalformed, "a line of the response is longer", func(w http.ResponseWriter, r *http.Request) {
			send(w, d.Event+d.Begun)
			flood(w, r, strings.Repeat("x", 4096))
		})
	})
	t.Run("MO4: a stream without an end", func(t *testing.T) {
		d.wantEnd(t, assist.FailedMalformed, "the response is longer", func(w http.ResponseWriter, r *http.Request) {
			flood(w, r, strings.Repeat(d.Event, 64))
		})
	})
	t.Run("MO4: a list without an end", d.testEndlessList)
	t.Run("MO4: a service that is silent", d.testSilence)
	t.Run("MO1: a redirect to elsewhere", d.testRedirect)
	t.Run("no service", d.testUnreachable)
}

// flood sends a text until the client is gone.
func flood(w http.ResponseWriter, r *http.Request, text string) {
	for r.Context().Err() == nil {
		if _, err := w.Write([]byte(text)); err != nil {
			return
		}
	}
}

// wantEnd checks the failure of an answer.
func (d *Dialect) wantEnd(t *testing.T, kind assist.FailureKind, words string, handle http.HandlerFunc) {
	t.Helper()
	s := d.serve(t, func(w http.ResponseWriter, r *http.Request) {
		if w.Header().Get("Content-Type") == "" {
			w.Header().Set("Content-Type", d.ContentType)
		}
		handle(w, r)
	})
	_, _, err := collect(t.Context(), s.provider, simple())
	wantFailure(t, err, kind, words)
}

func (d *Dialect) testEndlessList(t *testing.T) {
	s := d.serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		send(w, `{"data":[`)
		flood(w, r, strings.Repeat(`{"id":"m"},`, 500))
	})
	_, err := s.provider.Models(t.Context())
	wantFailure(t, err, assist.FailedMalformed, "the response is longer")
}

// A service is silent if it sends nothing for a time, however much it sent before.
func (d *Dialect) testSilence(t *testing.T) {
	text := d.read(t, "text")
	for _, sent := range []int{0, 1, len(text) / 2} {
		here, gone := make(chan struct{}), make(chan struct{})
		s := d.serve(t, func(w http.ResponseWriter, r *http.Request) {
			defer close(gone)
			if sent > 0 {
				w.Header().Set("Content-Type", d.ContentType)
				send(w, text[:sent])
			}
			close(here)
			<-r.Context().Done()
		})
		failed := make(chan error, 1)
		go func() {
			_, _, err := collect(t.Context(), s.provider, simple())
			failed <- err
		}()
		<-here
		if s.clock.pass(silence - 1) {
			t.Error("the answer was given up too early")
		}
		for { // the client may be about to read: then its next timer begins
			s.clock.pass(silence)
			select {
			case err := <-failed:
				wantFailure(t, err, assist.FailedUnreachable, "sent nothing for 1m0s")
			case <-time.After(time.Millisecond):
				continue
			}
			break
		}
		<-gone
	}
}

func (d *Dialect) testRedirect(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a request reached another origin") }))
	defer elsewhere.Close()
	for _, status := range []int{http.StatusMovedPermanently, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		redirect := func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere.URL+r.URL.Path, status) }
		d.wantEnd(t, assist.FailedRequest, "redirects to "+elsewhere.URL, redirect)
		s := d.serve(t, redirect)
		_, err := s.provider.Models(t.Context())
		wantFailure(t, err, assist.FailedRequest, "redirects to "+elsewhere.URL)
	}
	moved := 0
	record := d.record(t, "text")
	s := d.serve(t, func(w http.ResponseWriter, r *http.Request) {
		if moved++; moved == 1 {
			http.Redirect(w, r, r.URL.Path, http.StatusPermanentRedirect)
			return
		}
		record(w, r)
	})
	if _, _, err := collect(t.Context(), s.provider, simple()); err != nil {
		t.Errorf("a redirect within the service: got %v", err)
	}
}

func (d *Dialect) testUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	p := d.open(t, "http://"+address, &clock{})
	_, _, err = collect(t.Context(), p, simple())
	wantFailure(t, err, assist.FailedUnreachable, "no server is reached at "+address)
	_, err = p.Models(t.Context())
	wantFailure(t, err, assist.FailedUnreachable, "no server is reached at "+address)
}

// cancelled tests that the service sees the end of a request when its user stops it, at every stage.
func (d *Dialect) cancelled(t *testing.T) {
	text := d.read(t, "text")
	for name, sent := range map[string]int{"before the response": 0, "before the first event": 1, "within the answer": len(text) / 2} {
		t.Run("MO5: cancelled "+name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			stopped := errors.New("stopped by its user")
			gone := make(chan struct{})
			s := d.serve(t, func(w http.ResponseWriter, r *http.Request) {
				defer close(gone)
				if sent > 0 {
					w.Header().Set("Content-Type", d.ContentType)
					send(w, text[:sent])
				}
				cancel(stopped)
				<-r.Context().Done()
			})
			if _, _, err := collect(ctx, s.provider, simple()); !errors.Is(err, stopped) {
				t.Errorf("got %v, want the cause of the context", err)
			}
			<-gone
		})
	}
	t.Run("MO5: cancelled by the consumer", func(t *testing.T) {
		gone := make(chan struct{})
		s := d.serve(t, func(w http.ResponseWriter, r *http.Request) {
			defer close(gone)
			w.Header().Set("Content-Type", d.ContentType)
			send(w, text[:2*len(text)/3])
			<-r.Context().Done()
		})
		for _, err := range s.provider.Answer(t.Context(), simple()) {
			if err != nil {
				t.Error(err)
			}
			break
		}
		<-gone
	})
	t.Run("cancelled before it began", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		s := d.serve(t, d.record(t, "text"))
		if _, _, err := collect(ctx, s.provider, simple()); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want a cancelled context", err)
		}
		if _, err := s.provider.Models(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v of the list, want a cancelled context", err)
		}
	})
}
