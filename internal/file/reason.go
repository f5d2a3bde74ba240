package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// Reason says in words why what was to be done with a file was not, without its name: callers
// say that, as it was given to them. What the words come from stays the cause of the error. An
// error that no words are known for is returned as it is.
func Reason(name string, err error) error {
	if err == nil {
		return nil
	}
	err = withoutPath(err)
	if words := reason(name, err); words != "" {
		return &inWords{words, err}
	}
	return err
}

func reason(name string, err error) string {
	switch {
	case name == "" && errors.Is(err, fs.ErrNotExist):
		return errEmpty.Error()
	case errors.Is(err, fs.ErrNotExist):
		return missingReason(name)
	case errors.Is(err, syscall.EISDIR):
		return errDirectory.Error()
	case errors.Is(err, syscall.ENOTDIR):
		return "a part of its path is a file and no directory"
	}
	return ""
}

// missingReason says what is not there: the directory, or the file in it.
func missingReason(name string) string {
	dir := folder(name)
	if _, err := os.Stat(dir); dir != "" && errors.Is(err, fs.ErrNotExist) {
		return fmt.Sprintf("there is no directory %s", dir)
	}
	return "no such file"
}

// inWords is an error that says something else than its cause.
type inWords struct {
	words string
	cause error
}

// Error returns the words.
func (e *inWords) Error() string { return e.words }

// Unwrap returns what they were found for.
func (e *inWords) Unwrap() error { return e.cause }
