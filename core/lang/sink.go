package lang

import "encoding/json"

// The names of the two streams of a program.
const (
	Stdout = "stdout"
	Stderr = "stderr"
)

// Sink receives what a run produces, in the order the program produced it.
//
// The calls to all sinks of an engine come one at a time. They begin with Execute and do
// not end with it: what comes after it is late, and comes until Close has returned.
// A call that blocks holds back the program: that is how a slow reader keeps
// memory bounded, so a Sink blocks when it cannot take more and an engine never
// queues without a bound, nor drops anything. A sink takes late text without waiting
// for anybody else, since a program that goes on beside others must not stop them.
type Sink interface {
	// Stream adds text to Stdout or Stderr. The text is never empty and is
	// valid UTF-8: bytes that are not were replaced by U+FFFD, and a character
	// whose bytes arrived apart was put together again.
	Stream(name, text string)

	// Display shows a value. A displayID that is not empty can be updated.
	Display(bundle Bundle, displayID string)

	// Update replaces what every display of that id shows.
	Update(displayID string, bundle Bundle)

	// Result shows the value of the last expression, or of each if that is asked for, and
	// never late. A displayID that is not empty can be updated.
	Result(bundle Bundle, displayID string)

	// Fail shows an error that does not end the run.
	Fail(err *Error)

	// Clear removes what the run has shown so far, at once or, with wait, when
	// the next output comes.
	Clear(wait bool)
}

// Bundle is one value in one or more representations.
type Bundle struct {
	// Data has a JSON string for a text type, a JSON string in base64 for a
	// binary one, and any JSON for application/json and types ending in +json.
	Data map[string]json.RawMessage

	// Metadata is free-form and often keyed by the same types.
	Metadata map[string]json.RawMessage
}

// Text returns a bundle of one textual representation.
func Text(mime, text string) Bundle {
	raw, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string always marshals
	}
	return Bundle{Data: map[string]json.RawMessage{mime: raw}}
}
