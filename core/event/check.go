package event

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Limits of what one event may hold. The room refuses more; package notebook
// relies on none of them.
const (
	MaxName     = 64       // bytes of an id
	MaxTitle    = 1 << 10  // bytes of a notebook's title
	MaxKey      = 256      // bytes of a metadata key or a file's name
	MaxBatch    = 10_000   // runs in one request
	MaxAllowed  = 100      // names of errors that one request allows
	MaxComms    = 10_000   // comms of a notebook, and open comms of a runtime
	MaxFileName = 255      // bytes of an attached file's name
	MaxPrompt   = 64 << 10 // bytes of the prompt of a request for input
	MaxAnswer   = 1 << 20  // bytes of its answer
	MaxDepth    = 1_000    // levels of arrays and objects in an event's JSON
)

// checkName reports whether s can name a thing: 1 to 64 of letters, digits, - and _.
func checkName(what, s string) error {
	if s == "" {
		return fmt.Errorf("%s is missing", what)
	}
	if len(s) > MaxName {
		return fmt.Errorf("%s is %d bytes, at most %d fit", what, len(s), MaxName)
	}
	for i := range len(s) {
		if !nameByte(s[i]) {
			return fmt.Errorf("%s %q has a character other than letters, digits, - and _", what, s)
		}
	}
	return nil
}

func nameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_'
}

// CheckName reports why s cannot name a client, a cell, a run or any other thing
// of a notebook: a name is 1 to [MaxName] of letters, digits, - and _.
func CheckName(what, s string) error { return checkName(what, s) }

// checkKey reports whether s can be the key of metadata.
func checkKey(s string) error { return checkText("key", s, 1, MaxKey) }

// checkText reports whether s is valid UTF-8 of lo to hi bytes.
func checkText(what, s string, lo, hi int) error {
	switch {
	case len(s) < lo:
		return fmt.Errorf("%s is missing", what)
	case len(s) > hi:
		return fmt.Errorf("%s is %d bytes, at most %d fit", what, len(s), hi)
	case !utf8.ValidString(s):
		return fmt.Errorf("%s is not valid UTF-8", what)
	}
	return nil
}

// checkJSON reports whether raw is one JSON value, or nothing at all.
func checkJSON(what string, raw json.RawMessage) error {
	if len(raw) > 0 && !validJSON(raw) {
		return fmt.Errorf("%s is not valid JSON", what)
	}
	return nil
}

// validJSON reports whether raw is one JSON value in UTF-8. json.Valid accepts other bytes within strings, and a
// WebSocket closes on a message that has them.
func validJSON(raw json.RawMessage) bool { return json.Valid(raw) && utf8.Valid(raw) }

// checkOneOf reports whether v is one of the values.
func checkOneOf[T ~string](what string, v T, values ...T) error {
	for _, w := range values {
		if v == w {
			return nil
		}
	}
	return fmt.Errorf("%s %q is none of %q", what, v, values)
}

// firstError returns the first error that is not nil.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

var (
	errNoID      = errors.New("id is missing")
	errNoType    = errors.New("type is missing")
	errNoPayload = errors.New("payload is missing")
	errNoEpoch   = errors.New("epoch is missing: it is the number that the runtime got when it started")
)
