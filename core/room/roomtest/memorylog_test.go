package roomtest_test

import (
	"errors"
	"testing"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/core/room/roomtest"
)

func TestMemoryIsALog(t *testing.T) {
	roomtest.Suite(t, func(*testing.T) room.Log { return roomtest.NewMemory() })
}

func TestMemoryKeepsWhatWasAcknowledgedOverACrash(t *testing.T) {
	log := roomtest.NewMemory()
	appendTo(t, log, 0, 3)
	snapshot := room.Snapshot{Seq: 2, Fold: 1, Data: []byte("state")}
	if err := log.SaveSnapshot(t.Context(), snapshot); err != nil {
		t.Fatal(err)
	}

	again := log.Reopen()

	if got := last(t, again); got != 3 {
		t.Errorf("last: got %d, want 3", got)
	}
	if got, err := again.Snapshot(t.Context()); err != nil || got.Seq != 2 || string(got.Data) != "state" {
		t.Errorf("snapshot: got %v and %v, want the one saved", got, err)
	}
	appendTo(t, again, 3, 1)
	if err := log.Append(t.Context(), room.Batch{After: 3}); !errors.Is(err, room.ErrUnavailable) {
		t.Errorf("append to the crashed log: got %v, want ErrUnavailable", err)
	}
	if got := log.Title(); got != "" {
		t.Errorf("title of the crashed log: got %q, want none", got)
	}
}

func TestMemoryFailsOnceWithOrWithoutStoring(t *testing.T) {
	for name, stored := range map[string]bool{"stored": true, "not stored": false} {
		t.Run(name, func(t *testing.T) {
			log, want := roomtest.NewMemory(), errors.New("disk went away")
			log.Fail(want, stored)
			err := log.Append(t.Context(), room.Batch{Records: roomtest.Records(0, 2)})
			if !errors.Is(err, want) {
				t.Errorf("got %v, want %v", err, want)
			}
			wantLast := event.Seq(0)
			if stored {
				wantLast = 2
			}
			if got := last(t, log); got != wantLast {
				t.Errorf("last: got %d, want %d", got, wantLast)
			}
			appendTo(t, log, wantLast, 1)
		})
	}
}

func TestMemoryHasTheTitleOfTheLastBatchWithOne(t *testing.T) {
	log := roomtest.NewMemory()
	for after, title := range []string{"first", "second"} {
		b := room.Batch{After: event.Seq(after), Records: roomtest.Records(event.Seq(after), 1), Title: &title}
		if err := log.Append(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	appendTo(t, log, 2, 1)
	if got, want := log.Title(), "second"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func appendTo(t *testing.T, log room.Log, after event.Seq, n int) {
	t.Helper()
	if err := log.Append(t.Context(), room.Batch{After: after, Records: roomtest.Records(after, n)}); err != nil {
		t.Fatal(err)
	}
}

func last(t *testing.T, log room.Log) event.Seq {
	t.Helper()
	n, err := log.Last(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}
