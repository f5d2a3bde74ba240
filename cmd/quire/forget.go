package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// Forget implements [server.Forgetter]: it removes the files of a notebook, its limits, whether it is trusted, and
// the logs and spools of its runtimes.
func (l *launcher) Forget(notebook string) error {
	l.starting.Lock()
	defer l.starting.Unlock()
	err := errors.Join(os.RemoveAll(filepath.Join(l.dir, "files", notebook)), os.RemoveAll(l.limitsFile(notebook)), os.RemoveAll(l.trustFile(notebook)))
	entries, listed := os.ReadDir(l.place())
	if listed != nil && !errors.Is(listed, os.ErrNotExist) {
		err = errors.Join(err, listed)
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), notebook+".") {
			err = errors.Join(err, os.RemoveAll(filepath.Join(l.place(), entry.Name())))
		}
	}
	return err
}
