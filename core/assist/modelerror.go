package assist

import (
	"fmt"
	"time"
)

// ModelError says why a model did not answer, or not to the end.
type ModelError struct {
	Kind     FailureKind
	Provider string
	Status   int           // of HTTP; 0 if there was no response
	After    time.Duration // how long the service asks to wait before another request; 0 if it does not say
	Err      error         // the words of the service, without credentials
}

// FailureKind classifies failures by what a person or a program can do about them.
type FailureKind string

// The kinds of failures.
const (
	FailedKey         FailureKind = "key"         // no key, or one that the service refuses
	FailedRate        FailureKind = "rate"        // too many requests
	FailedQuota       FailureKind = "quota"       // the account is used up
	FailedOverloaded  FailureKind = "overloaded"  // a fault of the service; another request may succeed
	FailedUnreachable FailureKind = "unreachable" // no connection, or it broke
	FailedModel       FailureKind = "model"       // the service does not have the model
	FailedLength      FailureKind = "length"      // the conversation is longer than the model's context
	FailedRequest     FailureKind = "request"     // the service refuses the request for another reason
	FailedMalformed   FailureKind = "malformed"   // the response is not in the dialect of the service
)

// Error returns the failure with the provider and the words of the service.
func (e *ModelError) Error() string {
	text := string(e.Kind)
	if e.Provider != "" {
		text = e.Provider + ": " + text
	}
	if e.Status != 0 {
		text += fmt.Sprintf(" (HTTP %d)", e.Status)
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns the words of the service.
func (e *ModelError) Unwrap() error { return e.Err }

// Temporary reports whether the same request may succeed later without a person's help.
func (e *ModelError) Temporary() bool {
	switch e.Kind {
	case FailedRate, FailedOverloaded, FailedUnreachable:
		return true
	}
	return false
}
