package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/quirehq/quire/cmd/quire/internal/client"
	"github.com/quirehq/quire/cmd/quire/internal/signals"
	"github.com/quirehq/quire/internal/file"
)

// Most bytes that are read of a file that a command line or a user names: a device may have
// no end.
const (
	mostNotebook = 1 << 30  // bytes of one with outputs
	mostSettings = 16 << 20 // bytes of parameters and of a configuration
)

// errInterrupted is the error of a read that ends with the process.
var errInterrupted = fmt.Errorf("interrupted while reading: %w", context.Canceled)

// readFile reads a file that a command line names, where - is stdin.
func (a *app) readFile(name string) ([]byte, error) {
	switch {
	case name == "-":
		return readWhole(func() (io.ReadCloser, error) { return io.NopCloser(a.stdin), nil }, mostNotebook)
	case client.IsAddress(name):
		return nil, client.ErrAddress
	}
	data, err := readNamed(name, mostNotebook)
	return data, file.Reason(name, err) // callers say the name
}

// readSettings reads the configuration file.
func readSettings(name string) ([]byte, error) { return readNamed(name, mostSettings) }

// readNamed reads a file of no more than a number of bytes.
func readNamed(name string, most int64) ([]byte, error) {
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
		return nil, errInterrupted
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

// checkOut refuses a name of a command line that cannot be written, before anything is done
// for it; - is stdout.
func checkOut(name string) error {
	if name == "-" {
		return nil
	}
	if err := file.Check(name); err != nil {
		return fail(exitUsage, "%w", err)
	}
	return nil
}

// writeOut writes a file that a command line names, where - is stdout.
func (a *app) writeOut(name string, data []byte) error {
	return a.writeOutWith(name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// writeOutWith is writeOut for contents that a function writes.
func (a *app) writeOutWith(name string, write func(io.Writer) error) error {
	if name == "-" {
		return write(a.stdout)
	}
	return file.Write(name, 0o666, write)
}

// writeJSON writes a value for scripts and users alike.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// printID prints the id of a new notebook or cell, or all of it for programs.
func (a *app) printID(id string, made any, asJSON bool) error {
	if asJSON {
		return writeJSON(a.stdout, made)
	}
	_, err := fmt.Fprintln(a.stdout, id)
	return err
}
