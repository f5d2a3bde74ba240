package server

import (
	"context"
	"net/http"
	"runtime/debug"
	"time"
)

// callKey is where the gate leaves the principal for the routes.
type callKey struct{}

// gate is what every request passes, whatever its route: headers, the Host and
// Origin it came with, who asks and how often. It also recovers from panics, and
// logs and counts every request.
func (s *Server) gate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		rec := &recorder{ResponseWriter: w, status: http.StatusOK, body: arriving(r)}
		r = s.through(r)
		if rec.body != nil {
			r.Body = rec.body
		}
		secure(rec.Header())
		if viaOf(r).scheme == "https" {
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

// admit returns who makes a request, or why it is not let in.
func (s *Server) admit(w http.ResponseWriter, r *http.Request) (principal, error) {
	if !s.hosts.allow(r.Host) || !s.hosts.allow(viaOf(r).host) {
		return principal{}, problemWith(http.StatusMisdirectedRequest, "forbidden",
			"this server is not called by the name in the request; start it with that name as a host to allow it")
	}
	if err := checkSource(r); err != nil {
		return principal{}, err
	}
	p, err := s.auth.identify(r)
	if err != nil {
		if !s.limits.failures.take(addressOf(r)) {
			return principal{}, tooMany(w, "too many failed attempts to sign in; wait a minute")
		}
		s.log.Info("sign-in failed", "from", addressOf(r), "reason", err.Error())
		s.recordAct(Act{Kind: actSignIn, From: addressOf(r), Failed: "a token: " + err.Error()})
		return principal{}, problem(codeUnauthenticated, err.Error())
	}
	if err := checkCookie(r, p); err != nil {
		return principal{}, err
	}
	key := p.key()
	if !p.known() {
		key = addressOf(r)
	}
	// To prove itself costs no more than to refuse, and others must not keep a program from it.
	if r.URL.Path != proofPath && !s.limits.requests.take(key) {
		return principal{}, tooMany(w, "too many requests; slow down")
	}
	s.auth.renew(w, r, &p)
	return p, nil
}

// recovered answers a request whose handler panicked.
func (s *Server) recovered(w *recorder, r *http.Request, v any) {
	if v == nil {
		return
	}
	if v == http.ErrAbortHandler {
		panic(v) // the answer was half sent: the server cuts the connection
	}
	s.log.Error("panic", "method", r.Method, "route", r.Pattern, "panic", v, "stack", string(debug.Stack()))
	if !w.wrote {
		s.fail(w, r, problem("internal", "the server could not do it; its log says why"))
	}
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

// recorder remembers the status of an answer, which it has wait for no body.
type recorder struct {
	http.ResponseWriter
	status int
	wrote  bool
	body   *arrivingBody // of the request; nil if it has none that an answer could wait for
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

// begin has the answer not wait for a body that has not come as a whole.
func (w *recorder) begin() {
	if w.wrote || w.body == nil || w.body.ended.Load() {
		return
	}
	w.body.leave(w.ResponseWriter)
	w.body = nil
}

// Unwrap is for http.ResponseController.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }
