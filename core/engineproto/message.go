package engineproto

import (
	"encoding/json"

	"github.com/quirehq/quire/core/lang"
)

// Version is the version of the protocol that this package speaks.
const Version = 1

// FromEngine is a message of an engine to its host: a pointer to [Hello], [Progress], [Text], [Display], [Update],
// [Result], [Failure], [Clear], [Ask], [Begin], [Done] or [Reply].
type FromEngine interface{ fromEngine() string }

// FromHost is a message of a host to its engine: a pointer to [Run], [Interrupt], [Answer] or [Call].
type FromHost interface{ fromHost() string }

// Hello is the first message of an engine, sent once, when it is ready.
type Hello struct {
	Protocol  int        `json:"protocol"`
	Language  string     `json:"language"` // the name that cells use, such as "lua"
	Version   string     `json:"version"`  // of the language
	Interrupt Interrupts `json:"interrupt"`
	Can       []Method   `json:"can"`              // the calls that it answers
	Raw       bool       `json:"raw"`              // it writes output besides messages, and the mark of a run behind it
	Marks     bool       `json:"marks,omitempty"`  // it prints on stdout and stderr, and puts the numbers of its messages there
	Begins    bool       `json:"begins,omitempty"` // it sends a Begin when a signal would interrupt a run
	Extension string     `json:"extension"`        // of a source file, with its dot
	MIME      string     `json:"mime"`             // of a source file
}

// Interrupts says how a run of an engine is interrupted.
type Interrupts string

// The ways to interrupt a run. An engine that has none is killed.
const (
	BySignal  Interrupts = "signal"
	ByMessage Interrupts = "message"
	Never     Interrupts = "none"
)

// Progress is a step of loading, sent before the Hello alone.
type Progress struct {
	Text  string `json:"text"`
	Done  int64  `json:"done,omitempty"` // of Total, in any unit; both 0 when unknown
	Total int64  `json:"total,omitempty"`
}

// Text is text that the program prints, in UTF-8, or any bytes. A character may be split over messages.
type Text struct {
	Stream string `json:"stream"` // lang.Stdout or lang.Stderr
	Text   string `json:"text,omitempty"`
	Base64 []byte `json:"base64,omitempty"` // in place of Text
	Run    int    `json:"run,omitempty"`    // the earlier run that began what prints; 0 for the executing or the last run
}

// Display is a value to show. A value with an id can be updated.
type Display struct {
	Data     map[string]json.RawMessage `json:"data"` // as in lang.Bundle
	Metadata map[string]json.RawMessage `json:"metadata,omitempty"`
	ID       string                     `json:"id,omitempty"`
	Run      int                        `json:"run,omitempty"` // as of a Text
}

// Update is a value in place of each that was displayed with its id.
type Update struct {
	Data     map[string]json.RawMessage `json:"data"`
	Metadata map[string]json.RawMessage `json:"metadata,omitempty"`
	ID       string                     `json:"id"`
	Run      int                        `json:"run,omitempty"`
}

// Result is the value of the executing run.
type Result struct {
	Data     map[string]json.RawMessage `json:"data"`
	Metadata map[string]json.RawMessage `json:"metadata,omitempty"`
}

// Failure is an error that does not end the run.
type Failure struct {
	Error *Error `json:"error"`
	Run   int    `json:"run,omitempty"`
}

// Clear removes the outputs of the run so far, at once or when the next output comes.
type Clear struct {
	Wait bool `json:"wait,omitempty"`
	Run  int  `json:"run,omitempty"`
}

// Ask is a question of the program to a user. The engine waits for the [Answer] with its id.
type Ask struct {
	ID     int    `json:"id"` // from 1, never used again
	Prompt string `json:"prompt"`
	Secret bool   `json:"secret,omitempty"` // the answer must not be shown or stored
}

// Begin says that a signal now interrupts a run, of an engine whose Hello has Begins.
type Begin struct {
	Run int `json:"run"`
}

// Done is the end of a run, behind all of its output.
type Done struct {
	Run   int    `json:"run"`
	Error *Error `json:"error,omitempty"`
	Exit  Exit   `json:"exit,omitempty"`
}

// Exit says whether a program ended itself successfully.
type Exit string

// The ways out of a program.
const (
	NoExit Exit = ""
	Kept   Exit = "kept" // the state is kept
	Gone   Exit = "gone" // the engine ends
)

// Reply answers a [Call]: with a value, or with an error.
type Reply struct {
	ID    int             `json:"id"`
	Value json.RawMessage `json:"value,omitempty"`
	Error *Error          `json:"error,omitempty"`
}

// Error is the error of a program in one form for all languages, as in [lang.Error].
type Error struct {
	Name    string    `json:"name"`
	Message string    `json:"message,omitempty"`
	Line    int       `json:"line,omitempty"`   // in the source of the run, from 1; 0 is unknown
	Column  int       `json:"column,omitempty"` // in UTF-16 units, from 1
	Trace   []string  `json:"trace,omitempty"`
	Cause   Cause     `json:"cause,omitempty"`
	Lack    lang.Lack `json:"lack,omitempty"` // what the program could not have, if the engine knows
}

// Error returns the name and the message.
func (e *Error) Error() string { return (&lang.Error{Name: e.Name, Message: e.Message}).Error() }

// Cause says why a run failed if not by a fault of its program.
type Cause string

// The causes of errors. A program that fails by itself has none.
const (
	Interrupted Cause = "interrupted" // it was asked to stop
	Limit       Cause = "limit"       // it reached a limit of its engine
)

// Run is a source to execute. A host sends none while another runs.
type Run struct {
	Run    int    `json:"run"` // counts from 1
	Source string `json:"source"`
	Name   string `json:"name,omitempty"` // of the source, for tracebacks
	Mark   string `json:"mark,omitempty"` // see Hello.Raw and Hello.Marks

	// Original is the source of the user where Source is a translation of it, and Map the source map between them.
	Original string          `json:"original,omitempty"`
	Map      json.RawMessage `json:"map,omitempty"`
}

// Interrupt asks a run or a call to stop. It does nothing to any other.
type Interrupt struct {
	Run int `json:"run,omitempty"`
	ID  int `json:"id,omitempty"` // of a call
}

// Answer is the answer to an [Ask].
type Answer struct {
	ID   int    `json:"id"`
	Text string `json:"text"`          // without a line end
	End  bool   `json:"end,omitempty"` // no answer will come
	Why  string `json:"why,omitempty"` // none will come, for users

	// Interrupted says, besides End, that the run was interrupted, to languages whose read survives the signal for that.
	Interrupted bool `json:"interrupted,omitempty"`
}

// Call asks something of an engine between runs. The engine sends a [Reply] with its id.
type Call struct {
	ID       int             `json:"id"`
	Method   Method          `json:"method"`
	Source   string          `json:"source"`             // of Complete and Inspect
	Cursor   int             `json:"cursor"`             // in it, in UTF-16 units
	Packages []string        `json:"packages,omitempty"` // of Install
	Name     string          `json:"name,omitempty"`     // of Get and Set
	Value    json.RawMessage `json:"value,omitempty"`    // of Set
	Mark     string          `json:"mark,omitempty"`     // see Hello.Marks
}

// Method is a kind of [Call].
type Method string

// The methods, and the value of a reply.
const (
	Complete  Method = "complete"  // a lang.Completion
	Inspect   Method = "inspect"   // a lang.Inspection
	Variables Method = "variables" // a list of lang.Variable
	Install   Method = "install"   // none
	Reset     Method = "reset"     // none
	Get       Method = "get"       // the variable as JSON
	Set       Method = "set"       // none
	Drain     Method = "drain"     // none, when no background work is left
)

func (*Hello) fromEngine() string    { return "hello" }
func (*Progress) fromEngine() string { return "progress" }
func (*Text) fromEngine() string     { return "text" }
func (*Display) fromEngine() string  { return "display" }
func (*Update) fromEngine() string   { return "update" }
func (*Result) fromEngine() string   { return "result" }
func (*Failure) fromEngine() string  { return "error" }
func (*Clear) fromEngine() string    { return "clear" }
func (*Ask) fromEngine() string      { return "ask" }
func (*Begin) fromEngine() string    { return "begin" }
func (*Done) fromEngine() string     { return "done" }
func (*Reply) fromEngine() string    { return "reply" }

func (*Run) fromHost() string       { return "run" }
func (*Interrupt) fromHost() string { return "interrupt" }
func (*Answer) fromHost() string    { return "answer" }
func (*Call) fromHost() string      { return "call" }
