package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/quirehq/quire/core/lang"
)

// protocol is the version that this host speaks.
const protocol = 1

// message is a message of an engine.
type message struct {
	Type string `json:"type"` // hello, progress, text, display, update, result, error, clear, begin, ask, done, reply

	Protocol  int      `json:"protocol"` // of hello
	Language  string   `json:"language"`
	Version   string   `json:"version"`
	Interrupt string   `json:"interrupt"`
	Can       []string `json:"can"`
	Raw       bool     `json:"raw"`
	Begins    bool     `json:"begins"`
	Extension string   `json:"extension"`
	MIME      string   `json:"mime"`

	Done  int64 `json:"done"` // of progress
	Total int64 `json:"total"`

	// Run is the number of the run that has ended, of done; of an output, the run that it belongs to, or 0.
	Run uint64 `json:"run"`

	Stream string `json:"stream"` // of text
	Text   string `json:"text"`   // and of progress
	Base64 []byte `json:"base64"`

	Data     map[string]json.RawMessage `json:"data"` // of display, update, result
	Metadata map[string]json.RawMessage `json:"metadata"`
	ID       ident                      `json:"id"` // of a display, an ask, a reply

	Wait bool `json:"wait"` // of clear

	Prompt string `json:"prompt"` // of ask
	Secret bool   `json:"secret"`

	Error *failure        `json:"error"` // of error, done and reply
	Exit  string          `json:"exit"`  // of done
	Value json.RawMessage `json:"value"` // of reply
}

// ident is an id: a text of a display, a number of a question or a call.
type ident struct {
	text   string
	number uint64
}

// UnmarshalJSON implements json.Unmarshaler.
func (i *ident) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte(`"`)) {
		return json.Unmarshal(data, &i.text)
	}
	return json.Unmarshal(data, &i.number)
}

// failure is the protocol's form of lang.Error.
type failure struct {
	Name    string   `json:"name"`
	Message string   `json:"message"`
	Line    int      `json:"line"`
	Column  int      `json:"column"`
	Trace   []string `json:"trace"`
	Cause   string   `json:"cause"`
	Lack    string   `json:"lack"`
}

// causeInterrupted is the cause of an error by an interrupt, and causeLimit that of one by a limit of the engine.
const (
	causeInterrupted = "interrupted"
	causeLimit       = "limit"
)

// shape returns the error for the sink: it has a name, and its texts are what a sink takes.
func (f *failure) shape() *lang.Error {
	if f == nil {
		return nil
	}
	e := &lang.Error{
		Name: f.Name, Message: f.Message, Line: max(f.Line, 0), Column: max(f.Column, 0), Lack: lang.Lack(f.Lack),
	}
	if e.Name == "" {
		e.Name = "Error"
	}
	if e.Line == 0 {
		e.Column = 0
	}
	for _, line := range f.Trace {
		e.Trace = append(e.Trace, strings.Split(strings.TrimRight(line, "\r\n"), "\n")...)
	}
	if e.Lack == "" {
		e.Lack = lang.LackOfText(e.Message)
	}
	if f.Cause == causeLimit {
		e.Cause = lang.CauseLimit
	}
	return e
}

// exits are the protocol's names of [lang.Exit].
var exits = map[string]lang.Exit{"kept": lang.Exited, "gone": lang.ExitedGone}

// decode decodes one line. An error names the line by its beginning.
func decode(line []byte) (*message, error) {
	m := &message{}
	if err := json.Unmarshal(line, m); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) {
			return nil, fmt.Errorf("the engine sent a message with a wrong field: %s is a %s in %s", wrong.Field, wrong.Value, start(line))
		}
		return nil, fmt.Errorf("the engine sent a line that is no message (%w): %s", err, start(line))
	}
	if m.Type == "" {
		return nil, fmt.Errorf("the engine sent a message without a type: %s", start(line))
	}
	return m, nil
}

// start returns the beginning of a line, for an error.
func start(line []byte) string {
	const most = 200
	if len(line) <= most {
		return fmt.Sprintf("%q", line)
	}
	return fmt.Sprintf("%q…", line[:most])
}

// isOutput reports whether a message is output of a program.
func (m *message) isOutput() bool {
	switch m.Type {
	case "text", "display", "update", "result", "error", "clear":
		return true
	}
	return false
}

// deliver passes the output in the message, other than text, to the sink. Unknown types are no output.
func (m *message) deliver(sink lang.Sink) {
	bundle := lang.Bundle{Data: m.Data, Metadata: m.Metadata}
	switch m.Type {
	case "display":
		sink.Display(bundle, m.ID.text)
	case "update":
		if m.ID.text != "" {
			sink.Update(m.ID.text, bundle)
		}
	case "result":
		sink.Result(bundle, m.ID.text)
	case "error":
		if m.Error != nil {
			sink.Fail(m.Error.shape())
		}
	case "clear":
		sink.Clear(m.Wait)
	}
}

// request is a message to an engine.
type request struct {
	Type string `json:"type"` // run, interrupt, answer, call

	Run    uint64  `json:"run,omitempty"`
	Source *string `json:"source,omitempty"`
	Name   string  `json:"name,omitempty"` // of a run: of its cell; of get and set: of the variable
	Mark   string  `json:"mark,omitempty"`

	ID          uint64  `json:"id,omitempty"` // of answer and call
	Text        *string `json:"text,omitempty"`
	End         bool    `json:"end,omitempty"`
	Why         string  `json:"why,omitempty"`
	Interrupted bool    `json:"interrupted,omitempty"`

	Method   string          `json:"method,omitempty"` // of call
	Cursor   *int            `json:"cursor,omitempty"`
	Packages []string        `json:"packages,omitempty"`
	Value    json.RawMessage `json:"value,omitempty"`
}

// encode returns the line of a request.
func (r request) encode() []byte {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		panic(err) // strings and JSON always marshal
	}
	return line.Bytes()
}
