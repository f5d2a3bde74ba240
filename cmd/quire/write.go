package main

import (
	"encoding/json"
	"io"

	"github.com/quirehq/quire/internal/file"
)

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

// writeOutWith is writeOut for what write writes.
func (a *app) writeOutWith(name string, write func(io.Writer) error) error {
	if name == "-" {
		return write(a.stdout)
	}
	return file.Write(name, 0o666, write)
}

// writeJSON writes a value for scripts and people alike.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
