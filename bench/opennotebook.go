package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/internal/sqlite"
)

// openStore opens a database in a folder of its own, with one notebook.
func openStore(ctx context.Context, e *env, name string) (*sqlite.DB, room.Log, error) {
	db, err := sqlite.Open(ctx, sqlite.Config{Dir: filepath.Join(e.dir, name)})
	if err != nil {
		return nil, nil, err
	}
	if err := db.UpsertPerson(ctx, directory.Person{ID: "owner"}); err != nil {
		return nil, nil, err
	}
	err = db.CreateNotebook(ctx, directory.Notebook{ID: "bench", Title: "bench", Owner: "owner"})
	return db, db.Log("bench"), err
}

// measureOpen opens the same notebook with a short and with a long history.
func measureOpen(ctx context.Context, e *env) ([]row, error) {
	var rows []row
	for _, n := range []int{e.scale(50_000), e.scale(1_000_000)} {
		took, size, err := openAfter(ctx, e, n)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{
			what: fmt.Sprintf("open 2,000 cells after %s events (snapshot %d KB)", thousands(n), size>>10),
			got:  millis(took.Seconds() * 1e3), limit: "< 50 ms", beside: "budget; at any history",
		})
	}
	return rows, nil
}

// openAfter stores a history and its snapshot, and returns the median time in which a room opens on
// it.
func openAfter(ctx context.Context, e *env, events int) (time.Duration, int, error) {
	s, err := makeStory(2_000, events)
	if err != nil {
		return 0, 0, err
	}
	db, log, err := openStore(ctx, e, fmt.Sprintf("open-%d", events))
	if err != nil {
		return 0, 0, err
	}
	defer db.Close()
	if err := store(ctx, log, s.events); err != nil {
		return 0, 0, err
	}
	if err := room.SaveSnapshot(ctx, log, s.book); err != nil {
		return 0, 0, err
	}
	snap, err := log.Snapshot(ctx)
	if err != nil {
		return 0, 0, err
	}
	var times []time.Duration
	for range 9 {
		start := time.Now()
		if _, err := room.OpenSequencer(ctx, room.Config{Log: log}); err != nil {
			return 0, 0, err
		}
		times = append(times, time.Since(start))
	}
	return median(times), len(snap.Data), nil
}

// store appends events in batches of a thousand.
func store(ctx context.Context, log room.Log, events []event.Event) error {
	for len(events) > 0 {
		n := min(len(events), 1_000)
		b := room.Batch{After: events[0].Seq - 1, Time: events[0].Time}
		for i := range events[:n] {
			data, err := event.Append(nil, &events[i])
			if err != nil {
				return err
			}
			b.Records = append(b.Records, event.Record{Seq: events[i].Seq, Data: data})
		}
		if err := log.Append(ctx, b); err != nil {
			return err
		}
		events = events[n:]
	}
	return nil
}
