package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// Reason words why an operation on a file failed, without the file's name, which callers add in the
// form they were given. The cause stays wrapped. An error without known words is returned
// unchanged.
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

// missingReason tells whether the directory or the file in it is missing.
func missingReason(name string) string {
	dir := folder(name)
	if _, err := os.Stat(dir); dir != "" && errors.Is(err, fs.ErrNotExist) {
		return fmt.Sprintf("there is no directory %s", dir)
	}
	return "no such file"
}

// inWords is an error with another text than its cause.
type inWords struct {
	words string
	cause error
}

// Error returns the words.
func (e *inWords) Error() string { return e.words }

// Unwrap returns the cause.
func (e *inWords) Unwrap() error { return e.cause }
