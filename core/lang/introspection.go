package lang

import "encoding/json"

// The types below are answers of engines, and also the results of calls to a runtime: package protocol encodes them as
// JSON.

// Completion lists replacements for a part of a source, best first.
type Completion struct {
	Start int         `json:"start"` // of the part, in UTF-16 code units
	End   int         `json:"end"`
	Items []Candidate `json:"items"`
}

// Candidate is one completion.
type Candidate struct {
	Text string `json:"text"`
	Kind string `json:"kind,omitempty"` // such as "function", "module" or "keyword"
	Type string `json:"type,omitempty"` // shown beside it, such as a signature
}

// Inspection describes a name.
type Inspection struct {
	Found     bool                       `json:"found"`
	Signature string                     `json:"signature,omitempty"` // as the language writes it
	Data      map[string]json.RawMessage `json:"data,omitempty"`      // its documentation, by MIME type
	Metadata  map[string]json.RawMessage `json:"metadata,omitempty"`
}

// LoadedEngine is an engine that a runtime has loaded.
type LoadedEngine struct {
	Language string `json:"language"`
	Version  string `json:"version,omitempty"` // of the language
	Memory   int64  `json:"memory,omitempty"`  // bytes of its processes; 0 where they cannot be told
	Idle     int64  `json:"idle"`              // milliseconds since its last run
}

// LoadedEngines are the engines that a runtime has loaded, in the order of its languages.
type LoadedEngines struct {
	Engines []LoadedEngine `json:"engines"`
}

// Variables are the variables of a program, sorted by name. A language that has not run yet has none.
type Variables struct {
	Language  string     `json:"language"`
	Variables []Variable `json:"variables"`
}

// Variable describes one variable of a program.
type Variable struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Shape   string `json:"shape,omitempty"` // such as "(3, 4)" or "12 items"
	Size    int64  `json:"size,omitempty"`  // bytes, if the language knows
	Preview string `json:"preview"`         // one short line
}
