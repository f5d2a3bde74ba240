// Package namedfile reads and writes the files that command lines name, where - is stdin or stdout. It reads no more than a number of bytes,
// and ends with the process also while a pipe is empty.
package namedfile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/quirehq/quire/cmd/quire/internal/signals"
	"github.com/quirehq/quire/host/terminal"
	"github.com/quirehq/quire/internal/file"
)

// Most bytes that are read of a file that a command line or a user names: a device may have
// no end.
const (
	MostNotebook = 1 << 30  // bytes of one with outputs
	MostSettings = 16 << 20 // bytes of parameters and of a configuration
)

// ErrInterrupted is the error of a read that ends with the process.
var ErrInterrupted = fmt.Errorf("interrupted while reading: %w", context.Canceled)

// Read reads a file that a command line names, where - is stdin.
func Read(stdin io.Reader, name string) ([]byte, error) {
	switch {
	case name == "-":
		return readWhole(func() (io.ReadCloser, error) { return io.NopCloser(stdin), nil }, MostNotebook)
	case IsAddress(name):
		return nil, ErrAddress
	}
	data, err := ReadUpTo(name, MostNotebook)
	return data, file.Reason(name, err) // callers say the name
}

// ReadSettings reads the configuration file.
func ReadSettings(name string) ([]byte, error) { return ReadUpTo(name, MostSettings) }

// ReadUpTo reads a file of no more than a number of bytes.
func ReadUpTo(name string, most int64) ([]byte, error) {
	return readWhole(func() (io.ReadCloser, error) { return os.Open(name) }, most)
}

// readWhole opens a file and reads all of it, up to a number of bytes. It ends with the process,
// also while a pipe is empty or has no writer yet.
func readWhole(open func() (io.ReadCloser, error), most int64) ([]byte, error) {
	ctx, stop := signal.NotifyContext(context.Background(), signals.Ending()...)
	defer stop()
	type whole struct {
		data []byte
		err  error
	}
	done := make(chan whole, 1)
	// Nothing can end the wait for a pipe. When the command ends, the process does, and takes this along.
	go func() {
		data, err := readMost(open, most)
		done <- whole{data, err}
	}()
	select {
	case r := <-done:
		return r.data, r.err
	case <-ctx.Done():
		return nil, ErrInterrupted
	}
}

func readMost(open func() (io.ReadCloser, error), most int64) ([]byte, error) {
	r, err := open()
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	err = errors.Join(err, r.Close())
	if err == nil && int64(len(data)) > most {
		return nil, fmt.Errorf("it has more than %d MiB, which is the most that is read", most>>20)
	}
	return data, err
}

// CheckOut refuses a name of a command line that cannot be written, before anything is done
// for it; - is stdout.
func CheckOut(name string) error {
	if name == "-" {
		return nil
	}
	if err := file.Check(name); err != nil {
		return terminal.Fail(terminal.Usage, "%w", err)
	}
	return nil
}

// Write writes a file that a command line names, where - is stdout.
func Write(stdout io.Writer, name string, data []byte) error {
	return WriteWith(stdout, name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// WriteWith is writeOut for contents that a function writes.
func WriteWith(stdout io.Writer, name string, write func(io.Writer) error) error {
	if name == "-" {
		return write(stdout)
	}
	return file.Write(name, 0o666, write)
}

// WriteJSON writes a value for scripts and users alike.
func WriteJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// IsFileName reports whether a name is that of a file, and not of a notebook or a cell.
func IsFileName(name string) bool {
	return filepath.Ext(name) != "" || strings.ContainsRune(name, filepath.Separator)
}

// IsAddress reports whether a name of a file is one of the web instead.
func IsAddress(name string) bool {
	scheme, _, ok := strings.Cut(name, "://")
	return ok && (scheme == "http" || scheme == "https" || scheme == "ftp" || scheme == "file" || scheme == "s3")
}

// ErrAddress is the error for an address in place of a file.
var ErrAddress = errors.New("it is an address and no file: fetch it first, such as with curl, and give - to read from that")
