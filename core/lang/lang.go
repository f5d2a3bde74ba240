// Package lang is the contract between a runtime and the engine of a language.
//
// An Engine executes one language and knows nothing of notebooks, queues or logs: it gets a source and a Sink, and
// reports all output of the program in order; that of the source itself before Execute returns. A Set holds the engines
// of a runtime and loads each at its first use. The runtime shapes, stores and numbers the output. Package names has
// the table of languages.
//
// Package langtest has the suite that every engine must pass.
package lang

import (
	"context"
	"encoding/json"
	"time"
)

// Engine executes one language.
//
// Load and Execute are called by one goroutine at a time; Interrupt and Close
// by any goroutine, at any time. An engine keeps its state (variables, imports)
// from one Execute to the next.
type Engine interface {
	// Info describes the engine. It is cheap, and may be more complete after Load.
	Info() Info

	// Abilities returns what the engine can do beyond execution. It is cheap; it may be more complete after Load, and
	// does not change later.
	Abilities() Abilities

	// Load makes the engine ready. It is called before the first Execute, may
	// be called again, and then does nothing. A nil progress is allowed. An
	// engine whose Load failed can only be closed.
	Load(ctx context.Context, progress func(Progress)) error

	// Execute runs a source and reports its output to sink. When it returns, all output of the source has been
	// delivered and it has really stopped, for whatever reason.
	//
	// Background work of the run may go on: threads, tasks, callbacks, other processes. Its output belongs to that run
	// where the engine can tell, and goes to the same sink as soon as it is produced: during later runs, between runs,
	// and until the engine is closed. Output that belongs to no known run goes to the executing one, or else to the
	// last.
	//
	// A program that fails gives a Result with an Err. A non-nil error means that the engine could not do its work:
	// ErrDied and ErrClosed are final, and a context that ended before the start is returned as its cause.
	//
	// When ctx or the time-out of req ends during the run, the engine asks the program to stop; if it does, Result.Err
	// has the cause CauseInterrupted or CauseTimedOut and the state is kept. If it does not within a grace, the engine kills itself
	// and returns ErrDied and ErrKilled.
	Execute(ctx context.Context, req Request, sink Sink) (Result, error)

	// Interrupt asks the executing run to stop, and returns at once. It does nothing when there is no run, and never
	// affects a later run.
	Interrupt() error

	// Close ends the engine, a run included. It may be called twice.
	Close() error
}

// Info describes an engine.
type Info struct {
	Language  string // the name that cells use, such as "python"
	Version   string // of the language; empty when it is known only after Load
	Extension string // of a source file, with its dot
	MIME      string // of a source file

	// Described has the language_info of Jupyter files, a JSON object; nil where the fields above say all.
	Described json.RawMessage

	// LosesState says that an interrupted run loses the variables.
	LosesState bool
}

// Progress is a step of Load to show to a user.
type Progress struct {
	Text  string
	Done  int64 // of Total, in any unit; both 0 when unknown
	Total int64
}

// Request is one source to execute.
type Request struct {
	Run     string        // names the run in logs and errors
	Cell    string        // names the cell of the source
	Source  string        // what to execute
	Timeout time.Duration // 0 for none

	// Ask asks a person for a line on behalf of the program; nil if no person can be asked. An engine calls it after it
	// has delivered the earlier output of the program, and goes on to deliver output of other threads meanwhile. Its
	// context ends when the run must stop.
	Ask Ask

	// Tables has the tables of the notebook's variables in another language, for an engine that queries them by name; nil
	// where there are none. It is used during the run only.
	Tables Tabler
}

// Result is the end of a run.
type Result struct {
	Count int    // the number of this run in its engine, from 1
	Err   *Error // nil when the program succeeded
	Shown bool   // the sink got Err already, in its place
	Exit  Exit   // whether the program ended itself successfully

	Offer *Offer // a source for the notebook, of a program that succeeded; nil for none
}

// Offer is a source that a program offers to the notebook, as IPython's %load does.
type Offer struct {
	Source  string
	Replace bool // to replace the source that ran
}

// Exit says whether a program ended itself successfully: nothing that was queued after it should run. A program that
// ends itself with an error is one that failed.
type Exit int

// The ways out of a program.
const (
	NoExit     Exit = iota
	Exited          // as by sys.exit(0) in Python; its state is kept
	ExitedGone      // its process ends too, and the engine can only be closed
)
