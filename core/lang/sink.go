package lang

import "encoding/json"

// The names of the two streams of a program.
const (
	Stdout = "stdout"
	Stderr = "stderr"
)

// Sink receives the output of a run, in the order in which the program produced it.
//
// The calls to all sinks of an engine are serial. They begin with Execute and may go on after it: later output is late,
// and comes until Close has returned. A blocking call is back-pressure on the program and bounds memory: a Sink blocks
// when it cannot take more, and an engine never queues without a bound or drops output. A sink takes late text without
// waiting for other runs, since background work must not stop them.
type Sink interface {
	// Stream adds text to Stdout or Stderr. The text is never empty and is valid UTF-8: other bytes are replaced by
	// U+FFFD, and a character whose bytes arrived apart is joined.
	Stream(name, text string)

	// Display shows a value. A displayID that is not empty can be updated.
	Display(bundle Bundle, displayID string)

	// Update replaces the value of every display with that id.
	Update(displayID string, bundle Bundle)

	// Result shows the value of the last expression, or of each if the program asks for that, and never late. A
	// displayID that is not empty can be updated.
	Result(bundle Bundle, displayID string)

	// Fail shows an error that does not end the run.
	Fail(err *Error)

	// Clear removes the run's outputs so far, at once or, with wait, when the next output comes.
	Clear(wait bool)
}

// MarkdownSink is a [Sink] that takes an answer in Markdown while it is written. The sink of a runtime is one.
type MarkdownSink interface {
	Sink

	// Markdown adds text to the Markdown output that is being written, which a call of another method ends. The metadata of
	// an output is that of its first text.
	Markdown(text string, metadata map[string]json.RawMessage)
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
