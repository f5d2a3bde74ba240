package datadir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/quirehq/quire/internal/ownership"
)

// secretMap keeps values that have secrets by their names, as JSON in a file of the data directory that its owner alone
// can read. No error of its methods has a value.
type secretMap[T any] struct {
	dir  string // the data directory
	file string
	noun string // of the values, for errors
}

func (m secretMap[T]) path() string { return filepath.Join(m.dir, m.file) }

// read returns the values. A file that others can read or change is refused.
func (m secretMap[T]) read() (map[string]T, error) {
	values := map[string]T{}
	if f := ownership.Way(m.path()); f != nil {
		return nil, f
	}
	data, err := os.ReadFile(m.path())
	if errors.Is(err, fs.ErrNotExist) {
		return values, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the %s: %w", m.noun, err)
	}
	if f := ownership.Private(m.path()); f != nil {
		return nil, f
	}
	if json.Unmarshal(data, &values) != nil || values == nil { // the error would have parts of the file
		return nil, fmt.Errorf("%s is damaged: remove it, and add the %s again", m.path(), m.noun)
	}
	return values, nil
}

// change changes the values, and stores them unless do fails.
func (m secretMap[T]) change(do func(map[string]T) error) error {
	values, err := m.read()
	if err != nil {
		return err
	}
	if err := do(values); err != nil {
		return err
	}
	data, err := json.MarshalIndent(values, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(m.dir, 0o700); err != nil {
		return err
	}
	return Write(m.path(), append(data, '\n'))
}

// isName reports whether a text can be the name of a value.
func isName(name string) bool {
	return name != "" && len(name) <= 64 && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") == ""
}
