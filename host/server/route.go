package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server/problem"
	"github.com/quirehq/quire/host/server/signin"
)

// route is a line of the table of routes. The mux, the permission check and the OpenAPI document are
// made from it.
type route struct {
	method, path, summary string
	need                  need
	query                 []param
	endpoint              endpoint
}

// need says which principals may use a route.
type need struct {
	who    who
	action access.Action // in the notebook that the path names
	gone   bool          // the notebook may be deleted
	past   bool          // it shows the history of the notebook, which not every role that may read it may see
	person bool          // a token for one notebook is refused
	fresh  bool          // a browser must have signed in recently
}

type who int

const (
	anyone      who = iota
	someone         // a known principal
	people          // a person who is not bound to one notebook
	serverOwner     // the owner of this server
	inNotebook      // a principal whose role in the notebook allows the action
	byLink          // a browser for which the link is good, with a role in its notebook that allows the action
)

// param is a parameter in the query of a route.
type param struct{ name, kind, about string }

// endpoint serves a route, and describes it for the OpenAPI document.
type endpoint struct {
	in, out reflect.Type // of the JSON body and answer; nil if there is none
	accepts []string     // the types of a body that is not JSON for in
	gives   string       // the type of an answer that is not JSON of out
	also    []string     // other types that it may have
	status  int          // of success
	missing bool         // the answer may be that there is none
	ranged  bool         // a request may ask for a range
	serve   func(*call) error
}

// call is a request with its principal and, if the path names one, its notebook.
type call struct {
	w    http.ResponseWriter
	r    *http.Request
	who  signin.Principal
	book directory.Notebook // that the path names
	role access.Role        // there

	detail map[string]string // of the recorded act
}

// none stands for a missing body of a request or an answer.
type none struct{}

// typed returns the endpoint of a function from a JSON body to a JSON answer.
func typed[In, Out any](status int, f func(*call, In) (Out, error)) endpoint {
	e := endpoint{status: status}
	if t := reflect.TypeFor[In](); t != reflect.TypeFor[none]() {
		e.in, e.accepts = t, []string{"application/json"}
	}
	if t := reflect.TypeFor[Out](); t != reflect.TypeFor[none]() {
		e.out, e.gives = t, "application/json"
	}
	e.serve = func(c *call) error {
		var in In
		if e.in != nil {
			if err := readJSON(c.r, &in); err != nil {
				return err
			}
		}
		out, err := f(c, in)
		if err != nil {
			return err
		}
		if e.out == nil {
			c.w.WriteHeader(status)
			return nil
		}
		return writeJSON(c.w, status, out)
	}
	return e
}

// readJSON reads a body that is one JSON value without unknown members.
func readJSON(r *http.Request, into any) error {
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields()
	err := dec.Decode(into)
	if err == nil {
		if _, more := dec.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("there is more behind the JSON value")
		}
	}
	var large *http.MaxBytesError
	if err == nil || errors.As(err, &large) {
		return err
	}
	return problem.New(protocol.CodeInvalid, "the body does not fit this route: "+bodyFault(err))
}

// bodyFault describes the fault of a body, in terms of JSON rather than of Go.
func bodyFault(err error) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF):
		return "it is empty"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "it ends too early"
	case errors.As(err, &syntax):
		return fmt.Sprintf("it is not JSON from byte %d on", syntax.Offset)
	case errors.As(err, &kind) && kind.Field == "":
		return "it is a JSON " + kind.Value + ", where an object is wanted"
	case errors.As(err, &kind):
		return fmt.Sprintf("%q may not be a %s", kind.Field, kind.Value)
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}

func writeJSON(w http.ResponseWriter, status int, v any) error {
	var buf bytes.Buffer
	if err := json.NewEncoder(&buf).Encode(v); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = buf.WriteTo(w) // a client that has left needs no answer
	return nil
}

// serve answers the requests of one route.
func (s *Server) serve(rt route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, _ := r.Context().Value(callKey{}).(signin.Principal)
		c := &call{w: w, r: r, who: who}
		err := s.permit(c, rt.need)
		if err == nil {
			err = rt.endpoint.checkBody(w, r, s.cfg.Limits)
		}
		if err == nil {
			err = s.recording(rt, c, func() error { return rt.endpoint.serve(c) })
		}
		if err != nil {
			s.fail(w, r, err)
		}
	})
}

// checkBody checks the type of a body, and bounds its size. A page of another site cannot send the
// accepted types without a preflight request.
func (e *endpoint) checkBody(w http.ResponseWriter, r *http.Request, limits Limits) error {
	if slices.Contains(e.accepts, anyType) {
		return nil
	}
	limit := limits.JSON
	if e.in == nil && e.accepts != nil {
		limit = limits.Import
	}
	r.Body = http.MaxBytesReader(w, r.Body, limit)
	if e.accepts == nil {
		return nil
	}
	got, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err == nil && slices.Contains(e.accepts, got) {
		return nil
	}
	return problem.WithStatus(http.StatusUnsupportedMediaType, protocol.CodeInvalid,
		"the body must have the content type "+strings.Join(e.accepts, " or "))
}
