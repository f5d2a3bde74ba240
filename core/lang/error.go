package lang

import (
	"errors"
	"fmt"
	"time"
)

// ErrDied says that the process that executed the code has ended: by itself, by the code, or because it had to be
// killed. The state is lost and the engine can only be closed; a new one must be made.
var ErrDied = errors.New("the engine died")

// ErrKilled says, besides [ErrDied], that the engine killed the process: the program did not stop when it was asked to, or the process
// hung.
var ErrKilled = errors.New("killed")

// SpentError says, besides [ErrDied], that the process was killed because it had used its processor time.
type SpentError struct {
	CPU time.Duration // the limit
}

// Error says it for users.
func (e *SpentError) Error() string {
	return fmt.Sprintf("killed: it has used its %v of processor time", e.CPU)
}

// ErrClosed says that the engine or the set was closed.
var ErrClosed = errors.New("the engine is closed")

// ErrOffline says, wrapped in an error of Load, that the engine needs a network and its environment has none.
var ErrOffline = errors.New("it needs a network, and its environment has none")

// ErrUnknown says that no engine executes the language.
var ErrUnknown = errors.New("no engine for this language")

// Cause says, as a code for programs, why an engine or its host ended a run with an error. It is empty for an error of
// the program itself, one with the same name included. The name of the error is that of the language, so that only the
// cause tells alike in all of them.
type Cause string

// The causes of errors.
const (
	CauseInterrupted Cause = "interrupted" // asked to stop, by Interrupt or the context
	CauseTimedOut    Cause = "timed-out"   // stopped because the time-out of the request ended
	CauseLimit       Cause = "limit"       // stopped because it exceeded a limit, which Lack names
)

// Error is the error of a program, in one form for all languages.
type Error struct {
	Name    string // the class, as the language names it, such as "ValueError"
	Message string // may be empty, may have several lines

	// Line and Column locate the error in the source of the run, both from 1; Column counts UTF-16 units, as editors
	// do. 0 is unknown.
	Line   int
	Column int

	// Trace is the traceback of the language, a line an element, without line ends and without frames of the engine
	// itself.
	Trace []string

	// Cause says why the engine ended the run; empty for an error of the program.
	Cause Cause

	// Lack names what the program could not have, if the engine knows.
	Lack Lack
}

// Error returns the name and the message in one line or more.
func (e *Error) Error() string {
	if e.Message == "" {
		return e.Name
	}
	return e.Name + ": " + e.Message
}
