package langtest

import (
	"encoding/json"
	"strings"
	"sync"

	"github.com/quirehq/quire/core/lang"
)

// Event is one call of a Sink.
type Event struct {
	Kind   string // the method in lower case, or the name of the stream
	Text   string // of a stream; "wait" or nothing for a clear; the name of an error; the kind of a comm's message
	ID     string // of a display or an update
	Bundle lang.Bundle
	Err    *lang.Error
}

// Recorder is a Sink that records its input. Neighbouring texts of one stream are joined, because the cuts of a stream
// have no meaning. Its fields may be read after Execute has returned, for a run without background work; otherwise use
// Lines and Text.
type Recorder struct {
	mu sync.Mutex

	Events []Event
	Comms  []lang.CommMessage // each of them is an event too

	// OnStream, if not nil, is called for every text as it arrives. It may
	// block, as any sink may.
	OnStream func(name, text string)
}

// Stream implements lang.Sink.
func (r *Recorder) Stream(name, text string) {
	r.add(name, text)
	if r.OnStream != nil {
		r.OnStream(name, text)
	}
}

func (r *Recorder) add(name, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if last := len(r.Events) - 1; last >= 0 && r.Events[last].Kind == name {
		r.Events[last].Text += text
	} else {
		r.Events = append(r.Events, Event{Kind: name, Text: text})
	}
}

// Display implements lang.Sink.
func (r *Recorder) Display(bundle lang.Bundle, displayID string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Events = append(r.Events, Event{Kind: "display", ID: displayID, Bundle: bundle})
}

// Update implements lang.Sink.
func (r *Recorder) Update(displayID string, bundle lang.Bundle) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Events = append(r.Events, Event{Kind: "update", ID: displayID, Bundle: bundle})
}

// Result implements lang.Sink.
func (r *Recorder) Result(bundle lang.Bundle, displayID string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Events = append(r.Events, Event{Kind: "result", ID: displayID, Bundle: bundle})
}

// Fail implements lang.Sink.
func (r *Recorder) Fail(err *lang.Error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Events = append(r.Events, Event{Kind: "error", Text: err.Name, Err: err})
}

// Clear implements lang.Sink.
func (r *Recorder) Clear(wait bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	event := Event{Kind: "clear"}
	if wait {
		event.Text = "wait"
	}
	r.Events = append(r.Events, event)
}

// Comm implements lang.CommSink.
func (r *Recorder) Comm(m lang.CommMessage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Events = append(r.Events, Event{Kind: "comm", Text: string(m.Kind)})
	r.Comms = append(r.Comms, m)
}

// Text returns all text of a stream.
func (r *Recorder) Text(name string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all strings.Builder
	for _, event := range r.Events {
		if event.Kind == name {
			all.WriteString(event.Text)
		}
	}
	return all.String()
}

// Lines returns the events in order, one short line each, for comparison in tests: "stdout: a\n", "display: text/html
// <b>", "result: 42".
func (r *Recorder) Lines() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var lines []string
	for _, event := range r.Events {
		lines = append(lines, event.line())
	}
	return lines
}

// PlainResult returns the plain text of the result, or "".
func (r *Recorder) PlainResult() string {
	for _, event := range r.Events {
		if event.Kind == "result" {
			return plain(event.Bundle, "text/plain")
		}
	}
	return ""
}

func (e Event) line() string {
	switch e.Kind {
	case "result":
		return "result: " + plain(e.Bundle, "text/plain")
	case "display", "update":
		return e.Kind + ": " + richest(e.Bundle)
	default:
		return strings.TrimSuffix(e.Kind+": "+e.Text, ": ")
	}
}

// richest returns the first type other than plain text, with its text.
func richest(bundle lang.Bundle) string {
	best := "text/plain"
	for mime := range bundle.Data {
		if mime != "text/plain" && (best == "text/plain" || mime < best) {
			best = mime
		}
	}
	return best + " " + plain(bundle, best)
}

// plain returns a representation as text; JSON that is not a string stays JSON.
func plain(bundle lang.Bundle, mime string) string {
	raw := bundle.Data[mime]
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return string(raw)
	}
	return text
}
