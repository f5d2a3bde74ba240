package protocol

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// MaxCall is the most bytes of a call's params, and of its result or error.
const MaxCall = 1 << 20

// NewCallError returns the reason why a call has no result.
func NewCallError(code Code, format string, args ...any) *CallError {
	return &CallError{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Error returns the message.
func (e *CallError) Error() string { return e.Message }

// Checked returns an answer that can be sent: a result or an error that is malformed
// or larger than [MaxCall] becomes an error that says so.
func Checked(a *Answer) *Answer {
	switch {
	case a.Error != nil && len(a.Error.Message)+len(a.Error.Code) <= MaxCall:
		return &Answer{ID: a.ID, Error: a.Error}
	case a.Error != nil || len(a.Result) > MaxCall:
		return &Answer{ID: a.ID, Error: NewCallError(CodeInternal, "the runtime's answer has more than %d bytes", MaxCall)}
	case !ValidJSON(a.Result):
		return &Answer{ID: a.ID, Error: NewCallError(CodeInternal, "the runtime's answer is malformed")}
	}
	return a
}

// ValidJSON reports whether raw is empty, or one JSON value in UTF-8.
func ValidJSON(raw json.RawMessage) bool {
	return len(raw) == 0 || json.Valid(raw) && utf8.Valid(raw)
}
