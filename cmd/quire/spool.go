package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/host/native"
)

// spool is the directory in which a runtime keeps what the server has not got.
func (l *launcher) spool(notebook string, id event.RuntimeID) string {
	return filepath.Join(l.place(), notebook+"."+string(id)+".spool")
}

// Left implements [server.Launcher].
func (l *launcher) Left(notebook string, id event.RuntimeID) ([]event.Draft, error) {
	return native.ReadSpool(l.spool(notebook, id))
}

// removeSpools removes what the runtimes of a notebook left, but for the latest: the
// log may be about to take that in.
func (l *launcher) removeSpools(notebook string) error {
	dirs, err := filepath.Glob(filepath.Join(l.place(), notebook+".*.spool"))
	if err != nil || len(dirs) == 0 {
		return err
	}
	latest := slices.MaxFunc(dirs, func(a, b string) int { return changed(a).Compare(changed(b)) })
	for _, dir := range dirs {
		if dir != latest {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}
	return err
}

// changed returns when a directory changed last, and the beginning of time if it is
// gone.
func changed(dir string) time.Time {
	info, err := os.Stat(dir)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}
