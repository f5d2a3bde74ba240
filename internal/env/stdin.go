package env

import (
	"errors"
	"io"
	"io/fs"
	"syscall"
)

// stdin is the input of a program. What it wraps is closed when the program has ended,
// which its user cannot know: it is to them as a pipe that nobody reads.
type stdin struct {
	pipe io.WriteCloser
}

// Write implements io.Writer.
func (s stdin) Write(data []byte) (int, error) {
	n, err := s.pipe.Write(data)
	if errors.Is(err, fs.ErrClosed) {
		err = syscall.EPIPE
	}
	return n, err
}

// Close implements io.Closer.
func (s stdin) Close() error {
	if err := s.pipe.Close(); !errors.Is(err, fs.ErrClosed) {
		return err
	}
	return nil
}
