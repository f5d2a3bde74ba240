package protocol

import (
	"encoding/json"

	"github.com/quirehq/quire/core/event"
)

// Method is the kind of a [Call].
type Method string

// The methods that a runtime serves. It answers any other with code [CodeNotFound].
const (
	MethodComplete  Method = "complete"  // completes the source at a Place; the result is a Completion
	MethodInspect   Method = "inspect"   // describes the name at a Place; the result is an Inspection
	MethodVariables Method = "variables" // lists the VariablesOf a language; the result is Variables
	MethodAnswer    Method = "answer"    // gives a program the Secret that it asked for; the result is {}
	MethodComm      Method = "comm"      // gives a program a CommMessage; the result is {}
	MethodEngines   Method = "engines"   // lists the loaded engines; the result is LoadedEngines
	MethodUnload    Method = "unload"    // ends the engine of an Unload; the result is {}
)

// Place is a position in a source. The language is the one that it names, else that of the
// cell that it names, else the notebook's.
type Place struct {
	Language string       `json:"language,omitempty"`
	Cell     event.CellID `json:"cell,omitempty"`
	Source   string       `json:"source"`
	Cursor   int          `json:"cursor"` // UTF-16 code units from the start
}

// VariablesOf asks for the variables of a language, the notebook's if it is empty.
type VariablesOf struct {
	Language string `json:"language,omitempty"`
}

// Unload ends the engine of a language, the notebook's if it is empty, with its variables.
type Unload struct {
	Language string `json:"language,omitempty"`
	Reload   bool   `json:"reload,omitempty"` // another is loaded at once, and not by the next run
}

// Secret answers a secret question of a program. No event has it: it goes to the runtime
// alone.
type Secret struct {
	Input event.InputID `json:"input"`
	Value string        `json:"value"`
	// End says that the input is at its end: there is no answer to any question.
	End bool `json:"end,omitempty"`
}

// CommMessage is a message of a user to a program over an open comm: a slider was moved, a
// button clicked.
type CommMessage struct {
	Comm    event.CommID    `json:"comm"`
	Data    json.RawMessage `json:"data,omitempty"`
	Buffers []string        `json:"buffers,omitempty"` // base64
}
