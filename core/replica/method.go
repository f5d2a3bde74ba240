package replica

import (
	"encoding/json"

	"github.com/quirehq/quire/core/event"
)

// Method says what a [Call] asks for.
type Method string

// The methods that a runtime serves. It answers any other with code [CodeNotFound].
const (
	MethodComplete  Method = "complete"  // what could stand at a Place; the result is a Completion
	MethodInspect   Method = "inspect"   // what is known of the name at a Place; the result is an Inspection
	MethodVariables Method = "variables" // what VariablesOf a language there are; the result is Variables
	MethodAnswer    Method = "answer"    // gives a program the Secret that it asked for; the result is {}
	MethodComm      Method = "comm"      // gives a program a CommMessage; the result is {}
)

// Place is a place in a source that is in a language: the one it names, else that of
// the cell it names, else the notebook's.
type Place struct {
	Language string       `json:"language,omitempty"`
	Cell     event.CellID `json:"cell,omitempty"`
	Source   string       `json:"source"`
	Cursor   int          `json:"cursor"` // UTF-16 code units from the start
}

// Completion is what could replace a part of a source, best first.
type Completion struct {
	Start int         `json:"start"` // of what would be replaced, in UTF-16 code units
	End   int         `json:"end"`
	Items []Candidate `json:"items"`
}

// Candidate is one way to complete.
type Candidate struct {
	Text string `json:"text"`
	Kind string `json:"kind,omitempty"` // such as "function", "module" or "keyword"
	Type string `json:"type,omitempty"` // what a person reads beside it, such as a signature
}

// Inspection is what is known of a name.
type Inspection struct {
	Found     bool                       `json:"found"`
	Signature string                     `json:"signature,omitempty"`
	Data      map[string]json.RawMessage `json:"data,omitempty"` // what its author wrote, by MIME type
	Metadata  map[string]json.RawMessage `json:"metadata,omitempty"`
}

// VariablesOf asks for the variables of a language, the notebook's if it is empty.
type VariablesOf struct {
	Language string `json:"language,omitempty"`
}

// Variables is what a program has defined, sorted by name. A language of which
// nothing has run has none.
type Variables struct {
	Language  string     `json:"language"`
	Variables []Variable `json:"variables"`
}

// Variable describes one variable of a program.
type Variable struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Shape   string `json:"shape,omitempty"` // such as "(3, 4)" or "12 items"
	Size    int64  `json:"size,omitempty"`  // bytes, where the language can say
	Preview string `json:"preview"`         // one short line
}

// Secret answers a program's question that is secret. It is in no event, so it goes
// to the runtime alone.
type Secret struct {
	Input event.InputID `json:"input"`
	Value string        `json:"value"`
	// End says that there is no answer, to whatever question, since the input is at its end.
	End bool `json:"end,omitempty"`
}

// CommMessage is what a person says to a program over a comm that it has open: a slider
// was moved, a button clicked.
type CommMessage struct {
	Comm    event.CommID    `json:"comm"`
	Data    json.RawMessage `json:"data,omitempty"`
	Buffers []string        `json:"buffers,omitempty"` // base64
}
