package lang

import (
	"context"
	"encoding/json"
	"errors"
)

// Abilities are what an engine can do beyond execution. A field is nil where the engine lacks the ability. The methods of
// the others may be called from any goroutine after Load. An engine that cannot answer during a run returns [ErrBusy] at
// once; no call counts as a run, and none writes to a run's sink.
//
// Since they are a value, a decorator of any engine embeds the [Engine] and replaces single fields.
type Abilities struct {
	Completer      Completer
	Inspector      Inspector
	VariableLister VariableLister
	Installer      Installer
	Resetter       Resetter
	Drainer        Drainer
	Commer         Commer
	Accessor       Accessor
	Tabler         Tabler
	Meter          Meter
}

// ErrBusy says that the engine cannot answer while it executes. A retry after the run can succeed.
var ErrBusy = errors.New("the engine is executing a run")

// Completer completes sources.
type Completer interface {
	// Complete returns the completions at the cursor, best first.
	Complete(ctx context.Context, at Place) (Completion, error)
}

// Inspector describes names in a source.
type Inspector interface {
	// Inspect describes the name at or around the cursor. An unknown name is not an error: it gives the zero
	// Inspection.
	Inspect(ctx context.Context, at Place) (Inspection, error)
}

// VariableLister lists the variables of a program.
type VariableLister interface {
	// Variables returns the variables, sorted by name.
	Variables(ctx context.Context) ([]Variable, error)
}

// Installer installs packages.
type Installer interface {
	// Install makes packages importable, each named as the language's package manager expects it, version included. The
	// output of the package manager goes to sink like a run's output. The rules of Execute apply: never concurrently
	// with it.
	Install(ctx context.Context, packages []string, sink Sink) error
}

// Resetter drops the state without a new process.
type Resetter interface {
	// Reset removes all variables and the execution count. Like Execute, it is never called concurrently with it.
	Reset(ctx context.Context) error
}

// Drainer lets background work of runs finish before the engine is closed.
type Drainer interface {
	// Drain ends the program, as Close does, and returns when no background work of runs that can still print goes on:
	// tasks of its event loop, threads that a program waits for at its end, and processes that have the output of a
	// run. Their output is delivered meanwhile. It returns earlier when the patience or ctx ends, and reports whether
	// work is left. It is called like Execute, and afterwards the engine can only be closed.
	Drain(ctx context.Context, p Patience) (left bool)
}

// Meter measures an engine.
type Meter interface {
	// Memory returns the bytes of memory of the engine's processes, 0 where they cannot be told. It may be called during a
	// run.
	Memory() int64
}

// Place is a position in a source.
type Place struct {
	Source string
	Cursor int // UTF-16 code units from the start
}

// Accessor reads and writes variables as JSON, by which values pass from one language to another.
type Accessor interface {
	// Get returns the value of a variable. A variable that does not exist, and a value that JSON cannot hold, is an error
	// that says so.
	Get(ctx context.Context, name string) (json.RawMessage, error)

	// Set sets a variable to a value in the language's own types, and defines it if there is none of that name. A name
	// that no variable can have is an error.
	Set(ctx context.Context, name string, value json.RawMessage) error
}

// Tabler reads and writes variables that are tables, with the types of their columns. A table is a tabular data resource:
// JSON with schema.fields, a name and a type each, and data, an object a row. The types are integer, number, boolean,
// string, date, time, datetime, array, object, and any; a date or a time is text in ISO 8601, and an integer or a number
// that JavaScript cannot hold is text too.
type Tabler interface {
	// Table returns the rows of a variable. The error is [ErrNoVariable] where there is none of that name, and
	// [ErrNoTable] where it is none of the language's tables; any other is for users.
	Table(ctx context.Context, name string) (json.RawMessage, error)

	// SetTable sets a variable to a table in the language's own type.
	SetTable(ctx context.Context, name string, table json.RawMessage) error
}

// Why a table cannot be read.
var (
	ErrNoVariable = errors.New("there is no variable of this name")
	ErrNoTable    = errors.New("it is no table")
)
