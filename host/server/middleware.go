package server

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server/csp"
	"github.com/quirehq/quire/host/server/htmlpage"
	"github.com/quirehq/quire/host/server/origin"
	"github.com/quirehq/quire/host/server/problem"
	"github.com/quirehq/quire/host/server/signin"
)

// callKey is the key of the principal in the context of a request.
type callKey struct{}

// middleware handles every request before its route does: it sets default headers, checks Host and
// Origin, identifies the principal and limits its rate. It also recovers from panics, and logs
// and counts every request.
func (s *Server) middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		rec := &recorder{ResponseWriter: w, status: http.StatusOK, body: arriving(r)}
		r = s.proxies.Resolve(r)
		if rec.body != nil {
			r.Body = rec.body
		}
		csp.SetDefaults(rec.Header())
		if origin.Secure(r) {
			rec.Header().Set("Strict-Transport-Security", "max-age=31536000") // a year, for this host alone
		}
		defer func() {
			s.recovered(rec, r, recover())
			rec.begin()
			s.note(rec, r, time.Since(began))
		}()
		p, err := s.admit(rec, r)
		if err != nil {
			s.fail(rec, r, err)
			return
		}
		// The mux sets the pattern on the request that it is given.
		inner := r.WithContext(context.WithValue(r.Context(), callKey{}, p))
		next.ServeHTTP(rec, inner)
		r.Pattern = inner.Pattern
	})
}

// admit returns the principal of a request, or the reason why it is refused.
func (s *Server) admit(w http.ResponseWriter, r *http.Request) (signin.Principal, error) {
	if err := s.hosts.CheckHost(r); err != nil {
		return signin.Principal{}, err
	}
	if err := origin.CheckPage(r); err != nil {
		return signin.Principal{}, err
	}
	p, err := s.signin.Identify(r)
	if err != nil {
		if !s.rates.failures.take(origin.Address(r)) {
			return signin.Principal{}, problem.TooMany(w, problem.RetrySoon, "too many failed attempts to sign in; wait a minute")
		}
		s.log.Info("sign-in failed", "from", origin.Address(r), "reason", err.Error())
		s.recordAct(Act{Kind: actSignIn, From: origin.Address(r), Failed: "a token: " + err.Error()})
		return signin.Principal{}, problem.New(problem.Unauthenticated, err.Error())
	}
	if p.Cookie {
		if err := origin.CheckCookie(r); err != nil {
			return signin.Principal{}, err
		}
	}
	key := p.Key()
	if !p.Known() {
		key = origin.Address(r)
	}
	// A proof costs no more than a refusal, and no client must keep a program from getting one.
	if r.URL.Path != proofPath && !s.rates.requests.take(key) {
		return signin.Principal{}, problem.TooMany(w, problem.RetrySoon, "too many requests; slow down")
	}
	s.signin.Renew(w, r, &p)
	return p, nil
}

// recovered answers a request whose handler panicked.
func (s *Server) recovered(w *recorder, r *http.Request, v any) {
	if v == nil {
		return
	}
	if v == http.ErrAbortHandler {
		panic(v) // a part of the answer is sent: the server cuts the connection
	}
	s.log.Error("panic", "method", r.Method, "route", r.Pattern, "panic", v, "stack", string(debug.Stack()))
	if !w.wrote {
		s.fail(w, r, problem.New(protocol.CodeInternal, problem.Internal))
	}
}

// fail answers a request with an error, and logs the cause that the answer hides.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	p := problem.Of(err)
	if p.Status >= http.StatusInternalServerError && !problem.Is(err) && r.Context().Err() == nil {
		s.log.Error("request failed", "method", r.Method, "route", r.Pattern, "error", err)
	}
	h := w.Header()
	if p.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="quire"`)
	}
	if htmlpage.Wanted(r) {
		_ = htmlpage.WriteProblem(w, p) // a client that has left needs no answer
		return
	}
	h.Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // a client that has left needs no answer
}

// note logs and counts a request. The URL is left out: it may hold a secret.
func (s *Server) note(w *recorder, r *http.Request, took time.Duration) {
	route := r.Pattern
	if route == "" {
		route = "none"
	}
	s.cfg.Metrics.request(route, w.status)
	s.log.Debug("request", "method", r.Method, "route", route, "status", w.status, "took", took)
}

// recorder remembers the status of an answer, and sends it without waiting for the request's body.
type recorder struct {
	http.ResponseWriter
	status int
	wrote  bool
	body   *arrivingBody // of the request; nil if it has none for which an answer would wait
}

// WriteHeader sends the header, once.
func (w *recorder) WriteHeader(status int) {
	if status >= http.StatusOK {
		w.begin()
	}
	if !w.wrote {
		w.status, w.wrote = status, true
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write sends a part of the body.
func (w *recorder) Write(p []byte) (int, error) {
	w.begin()
	w.wrote = true
	return w.ResponseWriter.Write(p)
}

// begin lets the answer go without waiting for the rest of a body.
func (w *recorder) begin() {
	if w.wrote || w.body == nil || w.body.ended.Load() {
		return
	}
	w.body.leave(w.ResponseWriter)
	w.body = nil
}

// Unwrap is for http.ResponseController.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// lingerTime is the time for which a connection stays open for the rest of a body after the answer:
// a client that is cut off while it sends may never read the answer.
const lingerTime = time.Second

// arrivingBody is the body of a request that knows whether it was read to its end.
type arrivingBody struct {
	io.ReadCloser
	ended atomic.Bool
}

// arriving returns the body of a request if net/http would let the answer wait for it, else nil. It
// does not wait in HTTP/2.
func arriving(r *http.Request) *arrivingBody {
	if r.ProtoMajor != 1 || r.ContentLength == 0 || r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	return &arrivingBody{ReadCloser: r.Body}
}

// Read reads a part of the body.
func (b *arrivingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		b.ended.Store(true)
	}
	return n, err
}

// leave sends the answer at once, which ends the connection. Otherwise net/http would first read the
// rest of the body, for as long as a request may take.
func (b *arrivingBody) leave(w http.ResponseWriter) {
	w.Header().Set("Connection", "close")
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(lingerTime)) // a writer without deadlines has no connection
}
