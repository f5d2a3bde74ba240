package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room"
)

// Problem is the body of every answer that is an error, as RFC 9457 has it. Code
// is for programs to branch on, Detail for people to read.
type Problem struct {
	Type   string        `json:"type" jsonschema:"always about:blank; branch on code"`
	Title  string        `json:"title" jsonschema:"the name of the status"`
	Status int           `json:"status"`
	Detail string        `json:"detail" jsonschema:"what happened and what to do next"`
	Code   protocol.Code `json:"code" jsonschema:"what kind of error it is"`
}

// Error returns the detail.
func (p *Problem) Error() string { return p.Detail }

// codeUnauthenticated is the one code that only requests know: rooms have members.
const codeUnauthenticated protocol.Code = "unauthenticated"

// statuses is the one mapping of codes to HTTP. A problem with another status of
// the same kind says so itself.
var statuses = map[protocol.Code]int{
	protocol.CodeInvalid:     http.StatusBadRequest,
	protocol.CodeVersion:     http.StatusBadRequest,
	codeUnauthenticated:      http.StatusUnauthorized,
	protocol.CodeForbidden:   http.StatusForbidden,
	protocol.CodeNotFound:    http.StatusNotFound,
	protocol.CodePurged:      http.StatusGone,
	protocol.CodeConflict:    http.StatusConflict,
	protocol.CodeDuplicate:   http.StatusConflict,
	protocol.CodeUnavailable: http.StatusServiceUnavailable,
	protocol.CodeInternal:    http.StatusInternalServerError,
}

func problem(code protocol.Code, detail string) *Problem {
	return problemWith(statuses[code], code, detail)
}

func problemWith(status int, code protocol.Code, detail string) *Problem {
	return &Problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: detail, Code: code}
}

// problemOf returns what the client is told of an error. What it does not need to
// know stays out of it.
func problemOf(err error) *Problem {
	var p *Problem
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &large):
		return problemWith(http.StatusRequestEntityTooLarge, protocol.CodeInvalid, "the body is larger than this server takes")
	case errors.Is(err, directory.ErrPurged):
		return problem(protocol.CodePurged, "the notebook was removed for good, with its history")
	case errors.Is(err, directory.ErrNotFound), errors.Is(err, room.ErrNotFound):
		return problem(protocol.CodeNotFound, "there is no such notebook, or you may not see it")
	case errors.Is(err, directory.ErrExists):
		return problem(protocol.CodeConflict, "it exists already")
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return problem(protocol.CodeUnavailable, "the server could not finish the request in time; try again")
	}
	switch code := room.CodeOf(err); code {
	case protocol.CodeInternal:
		return problem(code, "the server could not do it; its log says why")
	case protocol.CodeUnavailable:
		if why, known := room.Unwritten(err); known {
			return problem(code, why)
		}
		return problem(code, "the notebook cannot be used right now; try again")
	default:
		// A refusal of the room is made for people. What may be joined to it is not.
		refusal, _, _ := strings.Cut(err.Error(), "\n")
		return problem(code, refusal)
	}
}

// fail answers a request with an error, and logs what it hides.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	p := problemOf(err)
	if p.Status >= http.StatusInternalServerError && !isProblem(err) && r.Context().Err() == nil {
		s.log.Error("request failed", "method", r.Method, "route", r.Pattern, "error", err)
	}
	h := w.Header()
	if p.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="quire"`)
	}
	if forPeople(r) {
		_ = writeProblem(w, p) // one who left before the answer needs none
		return
	}
	h.Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // one who left before the answer needs none
}

func isProblem(err error) bool {
	var p *Problem
	return errors.As(err, &p)
}
