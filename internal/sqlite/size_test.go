package sqlite_test

import (
	"context"
	"testing"

	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/internal/sqlite"
)

func TestTheSizeOfALogHasItsNewestBatchesAndItsSnapshot(t *testing.T) {
	db := open(t, sqlite.Config{})
	log := openLog(t, db, "log")
	size := func() int64 {
		t.Helper()
		n, err := log.(interface {
			Size(context.Context) (int64, error)
		}).Size(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	mustAppend(t, log, 0, 2_000)
	loose := size()
	if loose < 2_000*20 {
		t.Errorf("got %d bytes of what was just appended, want all of it", loose)
	}
	if err := db.Compact(t.Context(), "log"); err != nil {
		t.Fatal(err)
	}
	packed := size()
	if packed == 0 || packed >= loose/2 {
		t.Errorf("got %d bytes once it is packed, want far less than %d", packed, loose)
	}
	state := make([]byte, 10_000)
	for i := range state {
		state[i] = byte(i * i >> 3)
	}
	if err := log.SaveSnapshot(t.Context(), room.Snapshot{Seq: 2_000, Fold: 2, Data: state}); err != nil {
		t.Fatal(err)
	}
	if got := size(); got <= packed {
		t.Errorf("got %d bytes with a snapshot, want more than %d", got, packed)
	}
}
