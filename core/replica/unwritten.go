package replica

import "errors"

// Unwritten returns in words for people why a log takes nothing, and whether that is
// known of the error.
func Unwritten(err error) (why string, known bool) {
	switch {
	case errors.Is(err, ErrRemoved):
		return "the notebook could not be written: the server's database was removed or replaced while it runs, and nothing more is saved: " +
			"stop the server, put the files back or restore a copy, and start it again", true
	case errors.Is(err, ErrFull):
		return "the notebook could not be written: the server's disk is full, or what it may use of it: nothing that was saved is lost, and nothing more is saved until there is space", true
	}
	return "", false
}

// UnwrittenError says that a room took nothing, for a reason that it named.
type UnwrittenError struct{ Reason string }

// Error returns the reason.
func (e *UnwrittenError) Error() string { return e.Reason }
