package roomtest

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/room"
)

func batch(after event.Seq, n int) room.Batch {
	return room.Batch{After: after, Records: Records(after, n), Time: event.Time(after)}
}

func mustAppend(t *testing.T, log room.Log, after event.Seq, n int) {
	t.Helper()
	if err := log.Append(t.Context(), batch(after, n)); err != nil {
		t.Fatalf("append %d after %d: %v", n, after, err)
	}
}

func appendAll(ctx context.Context, log room.Log, size, batches int) error {
	for i := range batches {
		if err := log.Append(ctx, batch(event.Seq(i*size), size)); err != nil {
			return err
		}
	}
	return nil
}

// read returns copies of all records after a number.
func read(t *testing.T, log room.Log, after event.Seq) []event.Record {
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

func compact(t *testing.T, log room.Log) {
	t.Helper()
	c, ok := log.(interface{ Compact(context.Context) error })
	if !ok {
		return
	}
	if err := c.Compact(t.Context()); err != nil {
		t.Errorf("compact: %v", err)
	}
}

func wantRecords(t *testing.T, log room.Log, after event.Seq, want []event.Record) {
	t.Helper()
	if got := read(t, log, after); !same(want, got) {
		t.Errorf("records after %d (-want +got):\n%s", after, cmp.Diff(joined(want), joined(got)))
	}
}

// same compares without the reflection of cmp, which takes seconds for a long log.
func same(a, b []event.Record) bool {
	return slices.EqualFunc(a, b, func(x, y event.Record) bool {
		return x.Seq == y.Seq && bytes.Equal(x.Data, y.Data)
	})
}

func joined(records []event.Record) string {
	var b strings.Builder
	for _, r := range records {
		fmt.Fprintf(&b, "%d %q\n", r.Seq, r.Data)
	}
	return b.String()
}

func wantLast(t *testing.T, log room.Log, want event.Seq) {
	t.Helper()
	got, err := log.Last(t.Context())
	if err != nil {
		t.Fatalf("last: %v", err)
	}
	if got != want {
		t.Errorf("last: got %d, want %d", got, want)
	}
}

func wantSnapshot(t *testing.T, log room.Log, want room.Snapshot) {
	t.Helper()
	got, err := log.Snapshot(t.Context())
	if err != nil {
		t.Fatalf("snapshot: %v", err)
	}
	if got.Seq != want.Seq || got.Fold != want.Fold || !bytes.Equal(got.Data, want.Data) {
		t.Errorf("snapshot: got number %d, fold %d and %d bytes, want %d, %d and %d, or the bytes differ",
			got.Seq, got.Fold, len(got.Data), want.Seq, want.Fold, len(want.Data))
	}
}
