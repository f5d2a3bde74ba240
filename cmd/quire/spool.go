package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/quirehq/quire/core/artifact"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/host/native"
)

// spool is the directory in which a runtime keeps what the server has not got.
func (l *launcher) spool(notebook string, id event.RuntimeID) string {
	return filepath.Join(l.place(), notebook+"."+string(id)+".spool")
}

// Left implements [server.Launcher].
func (l *launcher) Left(ctx context.Context, notebook string, id event.RuntimeID, to artifact.Store) ([]event.Draft, error) {
	dir := l.spool(notebook, id)
	drafts, err := native.ReadSpool(dir)
	waiting, more := native.AbandonedIn(dir)
	err = errors.Join(err, more)
	for i, w := range waiting {
		d, failed := storeLeft(ctx, w, to)
		if failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		d.ID.N = afterAll + uint64(i)
		drafts = append(drafts, d)
	}
	return drafts, err
}

// afterAll is the counter of what is stated for a runtime that is gone and had not stated it
// itself: higher than that of anything which it had.
const afterAll = 1 << 48

// storeLeft stores text that a runtime had not, and returns the event that says so.
func storeLeft(ctx context.Context, w native.Abandoned, to artifact.Store) (d event.Draft, err error) {
	f, err := os.Open(w.Path)
	if err != nil {
		return d, fmt.Errorf("store what a runtime printed: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	a, err := to.Put(ctx, f)
	if err != nil {
		return d, fmt.Errorf("store what a runtime printed: %w", err)
	}
	id := string(w.Output) // it begins with that of the runtime's client
	d.ID.Client = event.ClientID(id[:max(strings.LastIndex(id, "-o"), 0)])
	d.Payload = &event.OutputStored{
		Output: w.Output, Run: w.Run, Epoch: w.Epoch, Late: w.Late, Artifacts: map[string]event.Artifact{artifact.Plain: a},
	}
	return d, nil
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
