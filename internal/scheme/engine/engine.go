// Package engine executes Scheme for the engine protocol, see package engineproto, by the interpreter of package scheme.
//
// A program has the time of day, what it asks the user, and what it shows; no files, network, environment or processes.
// Its heap, the depth of its calls and the texts that it prints of one datum are bounded.
package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/quirehq/quire/core/engineproto"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/internal/scheme"
)

// Config is the configuration of an interpreter.
type Config struct {
	Memory int64 // the most that the heap of the process may take, in bytes; 0 is DefaultMemory
}

// DefaultMemory bounds the heap.
const DefaultMemory = 512 << 20

// Interpreter executes the cells of one notebook. It implements engineproto.Interpreter, and all calls but Install.
type Interpreter struct {
	config Config
	in     *scheme.Interp
}

// New returns an interpreter. Load makes it ready.
func New(c Config) *Interpreter {
	if c.Memory == 0 {
		c.Memory = DefaultMemory
	}
	return &Interpreter{config: c}
}

// Load implements engineproto.Interpreter.
func (i *Interpreter) Load(context.Context, func(lang.Progress)) (engineproto.Hello, error) {
	i.in = scheme.New(scheme.Config{Now: time.Now, MaxHeap: i.config.Memory - i.config.Memory/3}) // the rest is for garbage
	return engineproto.Hello{Language: "scheme", Version: "R7RS", Extension: ".scm", MIME: "text/x-scheme"}, nil
}

// Run implements engineproto.Interpreter.
func (i *Interpreter) Run(ctx context.Context, run *engineproto.Run, out *engineproto.Output) engineproto.Outcome {
	name := run.Name
	if name == "" {
		name = fmt.Sprintf("run %d", run.Run)
	}
	end := i.in.Eval(ctx, scheme.Run{
		Name: name, Source: run.Source,
		Stdout: out.Stream(lang.Stdout), Stderr: out.Stream(lang.Stderr),
		Ask:  func(prompt string, secret bool) (string, error) { return ask(ctx, out, prompt, secret) },
		Show: func(s scheme.Shown) error { return show(out, s) }, Clear: out.Clear,
	})
	switch {
	case end.Err != nil:
		return engineproto.Outcome{Error: shape(end.Err)}
	case end.Exited && end.Status != 0:
		return engineproto.Outcome{Error: &engineproto.Error{Name: "exit", Message: fmt.Sprintf("the program has ended with the status %d", end.Status)}}
	case end.Exited:
		return engineproto.Outcome{Exit: engineproto.Kept}
	case end.HasValue:
		if err := out.Result(lang.Text("text/plain", end.Value)); err != nil {
			return engineproto.Outcome{Error: &engineproto.Error{Name: "out-of-memory", Message: fmt.Sprintf("the value cannot be shown: %v", err)}}
		}
	}
	return engineproto.Outcome{}
}

// ask asks a user; that no answer comes is the end of the input.
func ask(ctx context.Context, out *engineproto.Output, prompt string, secret bool) (string, error) {
	line, err := out.Ask(ctx, prompt, secret)
	if errors.Is(err, lang.ErrNoAnswer) {
		err = noAnswer{err}
	}
	return line, err
}

// noAnswer is the reason why there is no answer, as an end of the input.
type noAnswer struct{ error }

// Is reports that it is io.EOF.
func (noAnswer) Is(target error) bool { return target == io.EOF }

func show(out *engineproto.Output, s scheme.Shown) error {
	if b := lang.Text(s.MIME, s.Text); s.Update {
		return out.Update(b, s.ID)
	} else {
		return out.Display(b, s.ID)
	}
}

// shape returns an error as the protocol has it.
func shape(err *scheme.Error) *engineproto.Error {
	if err.Stopped {
		return engineproto.Stopped()
	}
	e := &engineproto.Error{Name: err.Name, Message: err.Message, Line: err.Line, Column: err.Column}
	e.Trace = strings.Split(err.Error(), "\n")
	for _, line := range slices.Backward(err.Trace) { // the innermost call first, as in the traces of other languages
		e.Trace = append(e.Trace, "    "+line)
	}
	if err.Limit {
		e.Cause = engineproto.Limit
	}
	switch err.Name {
	case "out-of-memory":
		e.Lack = lang.LackMemory
	case "not-granted", "unknown-library":
		e.Lack = lang.LackAccess
	}
	return e
}

// Complete implements lang.Completer.
func (i *Interpreter) Complete(_ context.Context, at lang.Place) (lang.Completion, error) {
	start, end, all := i.in.Complete(at.Source, at.Cursor)
	c := lang.Completion{Start: start, End: end, Items: make([]lang.Candidate, 0, len(all))}
	for _, one := range all {
		c.Items = append(c.Items, lang.Candidate{Text: one.Text, Kind: one.Kind, Type: one.Type})
	}
	return c, nil
}

// Inspect implements lang.Inspector.
func (i *Interpreter) Inspect(_ context.Context, at lang.Place) (lang.Inspection, error) {
	signature, text, found := i.in.Inspect(at.Source, at.Cursor)
	if !found {
		return lang.Inspection{}, nil
	}
	return lang.Inspection{Found: true, Signature: signature, Data: lang.Text("text/plain", text).Data}, nil
}

// Variables implements lang.VariableLister.
func (i *Interpreter) Variables(context.Context) ([]lang.Variable, error) {
	all := i.in.Variables()
	list := make([]lang.Variable, 0, len(all))
	for _, v := range all {
		list = append(list, lang.Variable{Name: v.Name, Type: v.Type, Shape: v.Shape, Preview: v.Preview})
	}
	return list, nil
}

// Reset implements lang.Resetter.
func (i *Interpreter) Reset(context.Context) error {
	i.in.Reset()
	return nil
}

// Get implements engineproto.Accessor.
func (i *Interpreter) Get(_ context.Context, name string) (json.RawMessage, error) {
	return i.in.JSON(name)
}

// Set implements engineproto.Accessor.
func (i *Interpreter) Set(_ context.Context, name string, value json.RawMessage) error {
	return i.in.SetJSON(name, value)
}
