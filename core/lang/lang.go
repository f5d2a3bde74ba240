// Package lang is the contract between a runtime and what executes a language.
//
// An Engine executes one language and knows nothing of notebooks, runs in a
// queue or logs: it is given a source and a Sink, and says everything that the
// program does, in order; what the source itself does before Execute returns. A Set holds the engines of a
// runtime and loads each at its first use. Shaping, storing and numbering of
// what arrives at the Sink is left to the runtime.
//
// What every engine must do is in the suite of the package langtest.
package lang

import (
	"context"
	"time"
)

// Engine executes one language.
//
// Load and Execute are called by one goroutine at a time; Interrupt and Close
// by any goroutine, at any time. An engine keeps its state (variables, imports)
// from one Execute to the next.
type Engine interface {
	// Info says what the engine is. It is cheap, and may know more after Load.
	Info() Info

	// Load makes the engine ready. It is called before the first Execute, may
	// be called again, and then does nothing. A nil progress is allowed. An
	// engine whose Load failed can only be closed.
	Load(ctx context.Context, progress func(Progress)) error

	// Execute runs a source and tells sink what it does. When it returns,
	// everything that the source wrote has been delivered and it has really
	// stopped, for whichever reason.
	//
	// What the run has started may go on: threads, tasks, callbacks, other
	// processes. What they produce belongs to that run for as long as the engine
	// can know it, and so goes to the same sink, as soon as it is produced: while
	// later runs go on, between runs, and until the engine is closed. What is of
	// no known run belongs to the one that goes on, or else to the last.
	//
	// A program that fails is a Result with an Err. A non-nil error says that
	// the engine could not do its work: ErrDied and ErrClosed are final, and a
	// context that ended before the start is returned as its cause.
	//
	// When ctx or the time-out of req ends during the run, the engine asks the
	// program to stop; if it does, Result.Err is named Interrupted or TimedOut
	// and the state is kept. If it does not within a grace, the engine ends
	// itself and the error is ErrDied.
	Execute(ctx context.Context, req Request, sink Sink) (Result, error)

	// Interrupt asks the run that is going on to stop, and returns at once. It
	// does nothing when there is no run, and never touches a later run.
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

	// LosesState says that an interrupted run takes the variables with it.
	LosesState bool
}

// Progress is a step of Load that is worth showing to a person.
type Progress struct {
	Text  string
	Done  int64 // of Total, in whatever unit; both 0 when it cannot be said
	Total int64
}

// Request is one source to execute.
type Request struct {
	Run     string        // names the run in logs and errors
	Cell    string        // names the cell the source came from
	Source  string        // what to execute
	Timeout time.Duration // 0 for none

	// Ask is how the program reads a line from a person; nil if nobody can be
	// asked. An engine calls it after it has delivered what the program wrote
	// before, and goes on to deliver what other threads write meanwhile. Its
	// context ends when the run has to stop.
	Ask Ask
}

// Result says how a run ended.
type Result struct {
	Count int    // the number of this run in its engine, from 1
	Err   *Error // nil when the program ended well
	Shown bool   // the sink was told of Err already, in its place
	Exit  Exit   // whether the program ended itself, and well

	Offer *Offer // a source for the notebook, of a program that ended well; nil for none
}

// Offer is a source that a program offers to the notebook, as IPython's %load does.
type Offer struct {
	Source  string
	Replace bool // it is to take the place of the source that ran
}

// Exit says whether a program ended itself, and well: nothing of what was to run after
// it is wanted. One that ends itself badly is a program that failed.
type Exit int

// The ways out of a program.
const (
	NoExit     Exit = iota
	Exited          // as by sys.exit(0) in Python; what it kept is still there
	ExitedGone      // what executed it ends too, so that the engine can only be closed
)
