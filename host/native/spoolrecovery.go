package native

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/quirehq/quire/core/artifact"
	"github.com/quirehq/quire/core/event"
)

// RecoverSpool returns the events in the spool of a dead runtime, in order. Text that waited to become
// an artifact is put into the store before. With an error it may return a part of the events.
func RecoverSpool(ctx context.Context, dir string, to artifact.Store) ([]event.Draft, error) {
	drafts, err := ReadSpool(dir)
	waiting, more := AbandonedIn(dir)
	err = errors.Join(err, more)
	for i, w := range waiting {
		d, failed := storeAbandoned(ctx, w, to)
		if failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		d.ID.N = afterAll + uint64(i)
		drafts = append(drafts, d)
	}
	return drafts, err
}

// afterAll is the counter of events that are proposed for a dead runtime: higher than that of any of
// its own.
const afterAll = 1 << 48

// storeAbandoned stores text that a runtime had not stored, and returns the event that refers to it.
func storeAbandoned(ctx context.Context, w Abandoned, to artifact.Store) (d event.Draft, err error) {
	f, err := os.Open(w.Path)
	if err != nil {
		return d, fmt.Errorf("store what a runtime printed: %w", err)
	}
	defer func() { _ = f.Close() }() // the file was only read
	a, err := to.Put(ctx, f)
	if err != nil {
		return d, fmt.Errorf("store what a runtime printed: %w", err)
	}
	id := string(w.Output) // the id begins with that of the runtime's client
	d.ID.Client = event.ClientID(id[:max(strings.LastIndex(id, "-o"), 0)])
	d.Payload = &event.OutputStored{
		Output: w.Output, Run: w.Run, Epoch: w.Epoch, Late: w.Late, Artifacts: map[string]event.Artifact{artifact.Plain: a},
	}
	return d, nil
}
