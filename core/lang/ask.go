package lang

import (
	"context"
	"errors"
)

// Question is what a program asks the person who runs it: for one line of text.
type Question struct {
	Prompt string
	Secret bool // what is typed must not be shown, and not be kept anywhere
}

// Ask puts a question to a person and waits for the answer, which has no line end.
// It returns the cause of ctx when that ends first, and an [ErrNoAnswer] when there
// will be none.
type Ask func(ctx context.Context, q Question) (string, error)

// ErrNoAnswer says that nobody answers a question: because nobody can be asked, or
// because nobody did in time. The program sees what its language has for the end of
// its input.
var ErrNoAnswer = errors.New("nobody answered")

// ErrEnd is an [ErrNoAnswer]: what would answer has come to its end, so that asking again is in vain.
var ErrEnd error = endOfInput{}

type endOfInput struct{}

// Error says what to do.
func (endOfInput) Error() string {
	return "nobody can be asked here, since the input is at its end: set the value in the source, or pass it as a parameter"
}

// Is reports that it is an [ErrNoAnswer].
func (endOfInput) Is(target error) bool { return target == ErrNoAnswer }
