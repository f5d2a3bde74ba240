package engineproto

import (
	"context"
	"encoding/json"

	"github.com/quirehq/quire/core/lang"
)

// Interpreter executes one language. [Serve] calls its methods one at a time, all on one goroutine.
//
// It can also answer calls: an Interpreter that is a [lang.Completer], [lang.Inspector], [lang.VariableLister],
// [lang.Resetter], [Installer] or [Accessor] says so in its Hello without doing anything for it. An interpreter with
// work between runs is an [Idler].
type Interpreter interface {
	// Load makes the interpreter ready and describes it. Serve fills in Protocol, Can, and an empty Interrupt, which is
	// ByMessage.
	Load(ctx context.Context, progress func(lang.Progress)) (Hello, error)

	// Run executes a source. When ctx ends it stops as soon as it can, and returns the [Stopped] error; its state is
	// kept. The output remains usable after Run, by any goroutine, for work that goes on.
	Run(ctx context.Context, run *Run, out *Output) Outcome
}

// Outcome is how a run ended.
type Outcome struct {
	Error *Error // nil for success
	Exit  Exit
}

// Installer installs packages, and prints what happens to out.
type Installer interface {
	Install(ctx context.Context, packages []string, out *Output) error
}

// Accessor exchanges values of variables as JSON.
type Accessor interface {
	// Get returns the value of a variable.
	Get(ctx context.Context, name string) (json.RawMessage, error)

	// Set sets a variable, and defines it if there is none of that name.
	Set(ctx context.Context, name string, value json.RawMessage) error
}

// Idler does background work of runs while there is nothing else to do.
type Idler interface {
	// Idle returns when no work is left, or soon after wake is closed: work that has begun may end first. When ctx ends
	// it stops that too.
	Idle(ctx context.Context, wake <-chan struct{})
}

// Stopped returns the error of a run that was asked to stop.
func Stopped() *Error { return &Error{Name: "Interrupted", Cause: Interrupted} }

// bounds of an error, so that its message fits a line. An error that is longer is cut with a word about it.
const (
	maxErrorText  = 1 << 20
	maxTraceLines = 1000
)

// bounded returns an error that fits a line.
func (e *Error) bounded() *Error {
	if e == nil {
		return nil
	}
	b := *e
	b.Name, b.Message = cut(e.Name), cut(e.Message)
	if b.Name == "" {
		b.Name = "Error"
	}
	lines := e.Trace
	if len(lines) > maxTraceLines {
		half := maxTraceLines / 2
		lines = append(append(append([]string(nil), lines[:half]...), "…"), lines[len(lines)-half:]...)
	}
	b.Trace = nil
	for _, line := range lines {
		if len(line) > maxErrorText/maxTraceLines {
			line = line[:maxErrorText/maxTraceLines] + "…"
		}
		b.Trace = append(b.Trace, line)
	}
	return &b
}

func cut(text string) string {
	if len(text) <= maxErrorText {
		return text
	}
	return text[:maxErrorText] + "… (cut)"
}
