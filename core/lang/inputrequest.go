package lang

import (
	"context"
	"errors"
)

// Question is a request of a program for one line of text.
type Question struct {
	Prompt string
	Secret bool // the answer must not be shown or stored
}

// Ask asks a person and waits for the answer, which has no line end. It returns the cause of ctx when that ends first,
// and an [ErrNoAnswer] when no answer can come.
type Ask func(ctx context.Context, q Question) (string, error)

// ErrNoAnswer says that a question was not answered: no person can be asked, or none answered in time. The program sees
// its language's end of input.
var ErrNoAnswer = errors.New("no answer came")

// ErrEnd is an [ErrNoAnswer]: the source of answers is at its end, so every later question fails too.
var ErrEnd error = endOfInput{}

type endOfInput struct{}

// Error includes the remedy.
func (endOfInput) Error() string {
	return "no user can be asked here, since the input is at its end: set the value in the source, or pass it as a parameter"
}

// Is reports that it is an [ErrNoAnswer].
func (endOfInput) Is(target error) bool { return target == ErrNoAnswer }
