package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/quirehq/quire/bench/trace"
	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/host/native"
)

const traceEdits = 260_000

// measureTrace types a long text through replicas, a room and a log on disk: by one writer, and by
// two concurrently.
func measureTrace(ctx context.Context, e *env) ([]row, error) {
	n := e.scale(traceEdits)
	var rows []row
	for _, writers := range []int{1, 2} {
		r, err := replay(ctx, e, writers, n)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{
			what: fmt.Sprintf("%s keystrokes by %d, as %s events", thousands(n), writers, thousands(int(r.events))),
			got:  fmt.Sprintf("%.2f s", r.took.Seconds()), limit: "< 3 s", beside: "budget, durable; Yjs 5.7 s in process, published",
		})
		if writers == 1 {
			rows = append(rows,
				row{what: "  its snapshot", got: fmt.Sprintf("%d KB", r.snapshot>>10), limit: "< 200 KB", beside: "budget"},
				row{what: "  its whole history, packed", got: fmt.Sprintf("%.1f B/edit", float64(r.packed)/float64(n)), limit: "< 20 B/edit", beside: "budget"})
		}
	}
	return rows, nil
}

type replayed struct {
	took             time.Duration
	events           event.Seq
	snapshot, packed int
}

func replay(ctx context.Context, e *env, writers, edits int) (replayed, error) {
	db, log, err := openStore(ctx, e, fmt.Sprintf("trace-%d", writers))
	if err != nil {
		return replayed{}, err
	}
	defer db.Close()
	took, err := typeAll(ctx, log, writers, edits)
	if err != nil {
		return replayed{}, err
	}
	last, err := log.Last(ctx)
	if err != nil {
		return replayed{}, err
	}
	snap, err := log.Snapshot(ctx)
	if err != nil {
		return replayed{}, err
	}
	if err := db.Compact(ctx, "bench"); err != nil {
		return replayed{}, err
	}
	packed, err := storedBytes(ctx, filepath.Join(e.dir, fmt.Sprintf("trace-%d", writers)))
	return replayed{took: took, events: last, snapshot: len(snap.Data), packed: packed}, err
}

// typeAll opens a room on the log and lets the writers type into one cell of it. It returns the
// time until all was acknowledged.
func typeAll(ctx context.Context, log room.Log, writers, edits int) (time.Duration, error) {
	clock := atHumanPace()
	room, err := room.Open(ctx, room.Config{Log: log, Now: clock}, func(error) {})
	if err != nil {
		return 0, err
	}
	inner, stop := context.WithCancel(ctx)
	defer stop()
	var all errgroup.Group
	all.Go(func() error { return room.Run(inner) })
	create := &event.CellCreated{Cell: "cell", Kind: event.KindCode, Order: "U"}
	if err := room.Submit(ctx, "person:owner", create); err != nil {
		return 0, err
	}
	start := time.Now()
	var typing errgroup.Group
	for i := range writers {
		typing.Go(func() error { return typist(inner, room, i, edits/writers, aheadOf(writers)) })
	}
	err = typing.Wait()
	took := time.Since(start)
	stop()
	return took, errors.Join(err, all.Wait())
}

// atHumanPace returns a clock that advances by the time between two keystrokes at each read, so the
// log has realistic times.
func atHumanPace() func() event.Time {
	random := rand.New(rand.NewPCG(3, 0))
	now := event.Time(1_790_000_000_000)
	return func() event.Time {
		now += event.Time(40 + random.ExpFloat64()*120)
		return now
	}
}

// aheadOf returns the number of keystrokes that a writer has in flight. One writer can use the
// whole window; with two, half of it is the fastest.
func aheadOf(writers int) int {
	if writers == 1 {
		return protocol.Window
	}
	return 512
}

// typist is one writer with its replica.
func typist(ctx context.Context, room *room.Room, i, edits, ahead int) error {
	w := trace.New(uint64(i))
	s := replica.NewSession(replica.SessionConfig{
		Replica: replica.New(event.ClientID(fmt.Sprintf("writer%02d", i))),
		Dial: func(context.Context) (protocol.Conn, error) {
			return native.Connect(room, "person:owner", access.Editor), nil
		},
		Updated: func(_ *replica.Replica, up replica.Update) {
			for _, e := range up.Edits {
				w.Shift(e.Edit)
			}
		},
	})
	inner, stop := context.WithCancel(ctx)
	var running errgroup.Group
	running.Go(func() error { return s.Run(inner) })
	defer func() { stop(); _ = running.Wait() }()
	err := s.Wait(ctx, func(r *replica.Replica) bool { return r.Online() && r.View().Cell("cell") != nil })
	for done := 0; done < edits && err == nil; {
		err = s.Wait(ctx, func(r *replica.Replica) bool { return r.Pending() <= ahead-ahead/8 })
		if err != nil {
			break
		}
		err = s.With(func(r *replica.Replica) error {
			// Each edit is pushed separately: edits made while an event can be sent are not joined.
			for range min(ahead-r.Pending(), edits-done) {
				if _, _, err := r.Edit("cell", w.Any(r.View().Cell("cell").Text().Len())); err != nil {
					return err
				}
				r.Seal()
				done++
			}
			return nil
		})
	}
	if err != nil {
		return err
	}
	return s.Wait(ctx, func(r *replica.Replica) bool { return r.Pending() == 0 })
}
