package replicatest

import (
	"bytes"
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/replica"
)

var emptyIsNil = cmpopts.EquateEmpty()

func batch(after event.Seq, n int) replica.Batch {
	return replica.Batch{After: after, Records: Records(after, n), Time: event.Time(after)}
}

func mustAppend(t *testing.T, log replica.Log, after event.Seq, n int) {
	t.Helper()
	if err := log.Append(t.Context(), batch(after, n)); err != nil {
		t.Fatalf("append %d after %d: %v", n, after, err)
	}
}

func appendAll(ctx context.Context, log replica.Log, size, batches int) error {
	for i := range batches {
		if err := log.Append(ctx, batch(event.Seq(i*size), size)); err != nil {
			return err
		}
	}
	return nil
}

// read returns copies of all records after a number.
func read(t *testing.T, log replica.Log, after event.Seq) []event.Record {
	t.Helper()
	var got []event.Record
	err := log.Read(t.Context(), after, func(r event.Record) error {
		got = append(got, event.Record{Seq: r.Seq, Data: bytes.Clone(r.Data)})
		return nil
	})
	if err != nil {
		t.Errorf("read after %d: %v", after, err)
	}
	return got
}

func compact(t *testing.T, log replica.Log) {
	t.Helper()
	c, ok := log.(interface{ Compact(context.Context) error })
	if !ok {
		return
	}
	if err := c.Compact(t.Context()); err != nil {
		t.Errorf("compact: %v", err)
	}
}

func wantRecords(t *testing.T, log replica.Log, after event.Seq, want []event.Record) {
	t.Helper()
	got := read(t, log, after)
	if diff := cmp.Diff(want, got, emptyIsNil); diff != "" {
		t.Errorf("records after %d (-want +got):\n%s", after, diff)
	}
}

func wantLast(t *testing.T, log replica.Log, want event.Seq) {
	t.Helper()
	got, err := log.Last(t.Context())
	if err != nil {
		t.Fatalf("last: %v", err)
	}
	if got != want {
		t.Errorf("last: got %d, want %d", got, want)
	}
}

func wantSnapshot(t *testing.T, log replica.Log, want replica.Snapshot) {
	t.Helper()
	got, err := log.Snapshot(t.Context())
	if err != nil {
		t.Fatalf("snapshot: %v", err)
	}
	if diff := cmp.Diff(want, got, emptyIsNil); diff != "" {
		t.Errorf("snapshot (-want +got):\n%s", diff)
	}
}
