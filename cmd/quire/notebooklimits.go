package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/host/server"
)

// notebookSettings are the settings that a notebook has of its own, as files of the data directory.
type notebookSettings struct {
	dir       string
	limits    server.LimitValues // of the server
	sandboxed bool               // all runtimes are
	shut      *shut              // how those of notebooks are that are not trusted
}

// runtimeFlags returns the flags of the runtime of a notebook: those of all, and those that its own
// settings make.
func (l *notebookSettings) runtimeFlags(notebook string, all []string) ([]string, error) {
	own, err := l.ownLimits(notebook)
	if err != nil {
		return nil, err
	}
	set := settings.Config{Limits: settings.Within(own, l.limits)}
	boxed, err := l.trustFlags(notebook)
	if err != nil {
		return nil, err
	}
	return slices.Concat(all, boxed, set.Args(settings.Limits)), nil
}

// forget removes the settings of a notebook.
func (l *notebookSettings) forget(notebook string) error {
	return errors.Join(os.RemoveAll(l.limitsFile(notebook)), os.RemoveAll(l.trustFile(notebook)))
}

// The limits of a notebook are a file of the data directory. They hold for a runtime
// from its start on, and never let it have more than the server lets any.

func (l *notebookSettings) limitsFile(notebook string) string {
	return filepath.Join(l.dir, "limits", notebook+".json")
}

// ownLimits returns the limits that a notebook has of its own.
func (l *notebookSettings) ownLimits(notebook string) (server.LimitValues, error) {
	var own server.LimitValues
	if _, err := readSetting(l.limitsFile(notebook), &own); err != nil {
		return own, fmt.Errorf("read the limits of the notebook: %w", err)
	}
	return own, nil
}

// Limits implements [server.Limiter].
func (l *notebookSettings) Limits(notebook string) (server.NotebookLimits, error) {
	own, err := l.ownLimits(notebook)
	return server.NotebookLimits{Own: own, Most: l.limits}, err
}

// SetLimits implements [server.Limiter].
func (l *notebookSettings) SetLimits(notebook string, own server.LimitValues) error {
	if err := settings.CheckWithin(own, l.limits); err != nil {
		return fmt.Errorf("%w: %w", server.ErrLimit, err)
	}
	return writeSetting(l.limitsFile(notebook), own)
}
