package datadir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/host/server"
)

// NotebookSettings are the settings that a notebook has of its own, as files of the data directory.
type NotebookSettings struct {
	Dir       string             // the data directory
	Server    server.LimitValues // the limits of the server
	Sandboxed bool               // all runtimes have a sandbox
	Untrusted *UntrustedSandbox  // of notebooks that are not trusted; nil for none
}

// RuntimeFlags returns the flags of the runtime of a notebook: those of all, and those that its own
// settings make.
func (l *NotebookSettings) RuntimeFlags(notebook string, all []string) ([]string, error) {
	own, err := l.ownLimits(notebook)
	if err != nil {
		return nil, err
	}
	set := settings.Config{Limits: settings.Within(own, l.Server)}
	boxed, err := l.trustFlags(notebook)
	if err != nil {
		return nil, err
	}
	return slices.Concat(all, boxed, set.Args(settings.Limits)), nil
}

// Forget removes the settings of a notebook.
func (l *NotebookSettings) Forget(notebook string) error {
	return errors.Join(os.RemoveAll(l.limitsFile(notebook)), os.RemoveAll(l.trustFile(notebook)))
}

// The limits of a notebook are a file of the data directory. They hold for a runtime from its
// start on, and are never above those of the server.

func (l *NotebookSettings) limitsFile(notebook string) string {
	return filepath.Join(l.Dir, "limits", notebook+".json")
}

// ownLimits returns the limits that a notebook has of its own.
func (l *NotebookSettings) ownLimits(notebook string) (server.LimitValues, error) {
	var own server.LimitValues
	if _, err := readSetting(l.limitsFile(notebook), &own); err != nil {
		return own, fmt.Errorf("read the limits of the notebook: %w", err)
	}
	return own, nil
}

// Limits implements [server.Limiter].
func (l *NotebookSettings) Limits(notebook string) (server.NotebookLimits, error) {
	own, err := l.ownLimits(notebook)
	return server.NotebookLimits{Own: own, Most: l.Server}, err
}

// SetLimits implements [server.Limiter].
func (l *NotebookSettings) SetLimits(notebook string, own server.LimitValues) error {
	if err := settings.CheckWithin(own, l.Server); err != nil {
		return fmt.Errorf("%w: %w", server.ErrLimit, err)
	}
	return writeSetting(l.limitsFile(notebook), own)
}

// The data directory keeps settings of a notebook as files of JSON, readable by the user only.

// readSetting reads a setting, and reports whether there is one.
func readSetting(path string, into any) (there bool, err error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, json.Unmarshal(data, into)
}

// writeSetting writes a setting, with its folder.
func writeSetting(path string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return Write(path, data)
}
