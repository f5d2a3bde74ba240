package terminal

import "fmt"

// Kind is the sort of an error, by which a program chooses its reaction, such as its exit code.
type Kind int

// The kinds of errors.
const (
	Failed      Kind = iota // the notebook or a run refused it
	Usage                   // the request is not right
	Unavailable             // the notebook cannot be reached, or cannot be written now
	Denied                  // it does not exist, or is not permitted
	Interrupted             // by the user
)

// Error is an error in words for users, with its kind.
type Error struct {
	Kind Kind
	Err  error
}

// Error returns the words.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Fail returns an error of a kind.
func Fail(kind Kind, format string, args ...any) error {
	return &Error{kind, fmt.Errorf(format, args...)}
}
