package lang

import (
	"context"
	"errors"
	"time"
)

// An engine may be able to do more than to execute; it then implements one or more
// of the interfaces below. Their methods may be called from any goroutine after
// Load. One that cannot answer while a run goes on returns [ErrBusy] at once; none
// of them counts as a run, and none writes to a run's sink.

// ErrBusy says that the engine cannot answer while it executes. Asking again after
// the run helps.
var ErrBusy = errors.New("the engine is executing a run")

// Completer completes sources.
type Completer interface {
	// Complete returns what could stand at the cursor, best first.
	Complete(ctx context.Context, at Place) (Completion, error)
}

// Inspector explains what stands in a source.
type Inspector interface {
	// Inspect describes the name at or around the cursor. It is not an error when
	// nothing is known: the zero Inspection says so.
	Inspect(ctx context.Context, at Place) (Inspection, error)
}

// VariableLister lists what a program has defined.
type VariableLister interface {
	// Variables returns the variables, sorted by name.
	Variables(ctx context.Context) ([]Variable, error)
}

// Installer installs packages.
type Installer interface {
	// Install makes packages importable, each named as the language's package
	// manager wants it, version included. What the package manager prints goes to
	// sink as a run's output would. It is called as Execute is: never beside it.
	Install(ctx context.Context, packages []string, sink Sink) error
}

// Resetter forgets state without a new process.
type Resetter interface {
	// Reset removes all variables and the execution count. It is called as Execute
	// is: never beside it.
	Reset(ctx context.Context) error
}

// Drainer lets what runs have started come to its end before the engine is closed.
type Drainer interface {
	// Drain has the program end, as Close does, and returns when nothing goes on that runs
	// have started and that can still print: tasks of its event loop, threads that a program
	// waits for at its end, and processes that have the output of a run. What they produce meanwhile is delivered.
	// It returns earlier when the patience or ctx ends, and says whether something goes on
	// then. It is called as Execute is, and the engine can only be closed afterwards.
	Drain(ctx context.Context, p Patience) (left bool)
}

// Patience is how long one waits for what may never end.
type Patience struct {
	Silent time.Duration // as long as nothing is produced
	Whole  time.Duration
}

// Place is a place in a source.
type Place struct {
	Source string
	Cursor int // UTF-16 code units from the start
}
