// Package problem has the errors that HTTP clients of the server get, in the form of RFC 9457.
//
// It promises that an error tells a client no more than it needs: a message that is not made for
// clients becomes a general sentence, and its cause is left to the caller to log. Writing the
// answer is left to the caller too.
package problem

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room"
)

// Problem is the body of every answer that is an error. Code is for programs to branch on,
// Detail for people to read.
type Problem struct {
	Type   string        `json:"type" jsonschema:"always about:blank; branch on code"`
	Title  string        `json:"title" jsonschema:"the name of the status"`
	Status int           `json:"status"`
	Detail string        `json:"detail" jsonschema:"what happened and what to do next"`
	Code   protocol.Code `json:"code" jsonschema:"the kind of the error"`
}

// Error returns the detail.
func (p *Problem) Error() string { return p.Detail }

// Unauthenticated is the code of a request without valid credentials. Rooms do not know it: only
// members send messages to them.
const Unauthenticated protocol.Code = "unauthenticated"

// statuses maps codes to HTTP. A problem with another status of the same kind is made by [WithStatus].
var statuses = map[protocol.Code]int{
	protocol.CodeInvalid:     http.StatusBadRequest,
	protocol.CodeVersion:     http.StatusBadRequest,
	Unauthenticated:          http.StatusUnauthorized,
	protocol.CodeForbidden:   http.StatusForbidden,
	protocol.CodeNotFound:    http.StatusNotFound,
	protocol.CodePurged:      http.StatusGone,
	protocol.CodeConflict:    http.StatusConflict,
	protocol.CodeDuplicate:   http.StatusConflict,
	protocol.CodeUnavailable: http.StatusServiceUnavailable,
	protocol.CodeInternal:    http.StatusInternalServerError,
}

// New returns a problem with the usual status of its code.
func New(code protocol.Code, detail string) *Problem { return WithStatus(statuses[code], code, detail) }

// WithStatus returns a problem with a status of its own.
func WithStatus(status int, code protocol.Code, detail string) *Problem {
	return &Problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: detail, Code: code}
}

// RetrySoon is the time after which a client may try again if nothing else is known.
const RetrySoon = 3 * time.Second

// TooMany is the answer to more requests than a limit allows: the client may try again after retry.
func TooMany(w http.ResponseWriter, retry time.Duration, detail string) *Problem {
	w.Header().Set("Retry-After", strconv.FormatInt(int64(math.Ceil(retry.Seconds())), 10))
	return WithStatus(http.StatusTooManyRequests, protocol.CodeUnavailable, detail)
}

// Is reports whether an error is, or wraps, a problem.
func Is(err error) bool {
	_, ok := errors.AsType[*Problem](err)
	return ok
}

// Of returns the part of an error that a client is told.
func Of(err error) *Problem {
	if p, ok := errors.AsType[*Problem](err); ok {
		return p
	}
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return WithStatus(http.StatusRequestEntityTooLarge, protocol.CodeInvalid, "the body is larger than this server accepts")
	}
	switch {
	case errors.Is(err, directory.ErrPurged):
		return New(protocol.CodePurged, "the notebook was removed for good, with its history")
	case errors.Is(err, directory.ErrNotFound), errors.Is(err, room.ErrNotFound):
		return New(protocol.CodeNotFound, "there is no such notebook, or you may not see it")
	case errors.Is(err, directory.ErrExists):
		return New(protocol.CodeConflict, "it exists already")
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return New(protocol.CodeUnavailable, "the server could not finish the request in time; try again")
	}
	switch code := room.CodeOf(err); code {
	case protocol.CodeInternal:
		return New(code, Internal)
	case protocol.CodeUnavailable:
		if reason, known := room.Unwritten(err); known {
			return New(code, reason)
		}
		return New(code, "the notebook cannot be used right now; try again")
	default:
		// The first line is the refusal of the room, which is made for people. Errors that are
		// joined to it are not.
		refusal, _, _ := strings.Cut(err.Error(), "\n")
		return New(code, refusal)
	}
}

// Internal is the detail of an error whose cause only the log tells.
const Internal = "the server could not do it; its log says why"
