package sqlite_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/core/room/roomtest"
	"github.com/quirehq/quire/internal/sqlite"
)

func TestAHistoryOfKeystrokesTakesAFewBytesEachOnDisk(t *testing.T) {
	const events, size, bound, packedBound = 60_000, 200, 20, 3
	dir, packed := t.TempDir(), 0
	db := open(t, sqlite.Config{Dir: dir, Quiet: time.Hour, Packed: func(_ string, _, _, after int) { packed += after }})
	log := openLog(t, db, "log")
	want := typed(t, log, events, size)

	if err := db.Compact(t.Context(), "log"); err != nil {
		t.Fatal(err)
	}

	wantHistory(t, log, want)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	got := float64(fileSize(t, dir)) / events
	t.Logf("%.2f bytes an event in the file, %.2f of them packed", got, float64(packed)/events)
	if got > bound || packed > events*packedBound {
		t.Errorf("got %.2f bytes an event in the file, want at most %d; got %d packed, want at most %d",
			got, bound, packed, events*packedBound)
	}
	wantHistory(t, open(t, sqlite.Config{Dir: dir}).Log("log"), want)
}

func TestOldRecordsArePackedInTheBackgroundOnceItIsQuiet(t *testing.T) {
	type packed struct{ events, before, after int }
	got := make(chan packed, 100)
	db := open(t, sqlite.Config{
		Quiet:  time.Millisecond,
		Packed: func(_ string, events, before, after int) { got <- packed{events, before, after} },
		Fault:  func(err error) { t.Error(err) },
	})
	log := openLog(t, db, "log")
	want := typed(t, log, 20_000, 200)
	select {
	case p := <-got:
		if p.events < 4096 || p.after*5 > p.before {
			t.Errorf("got %+v, want a full segment and a fifth of the bytes", p)
		}
	case <-t.Context().Done():
	case <-time.After(time.Minute):
		t.Error("nothing was packed in a minute")
	}
	wantHistory(t, log, want)
}

func TestPackingAgainAddsToASmallSegmentAndLeavesFullOnes(t *testing.T) {
	var packed []int
	db := open(t, sqlite.Config{Quiet: time.Hour, Packed: func(_ string, events, _, _ int) { packed = append(packed, events) }})
	log := openLog(t, db, "log")
	last := event.Seq(0)
	for _, n := range []int{5000, 10, 10, 0} {
		if n > 0 {
			mustAppend(t, log, last, n)
			last += event.Seq(n)
		}
		if err := db.Compact(t.Context(), "log"); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := fmt.Sprint(packed), "[5000 10 20]"; got != want {
		t.Errorf("packed: got %s events, want %s", got, want)
	}
	wantCount(t, log, int(last))
}

func TestReadersSeeAWholeLogWhileItIsPacked(t *testing.T) {
	db := open(t, sqlite.Config{Quiet: time.Hour})
	log := openLog(t, db, "log")
	for after := event.Seq(0); after < 9000; after += 30 {
		mustAppend(t, log, after, 30)
	}
	done := make(chan error, 1)
	go func() { done <- db.Compact(t.Context(), "log") }()
	for packing := true; packing; {
		wantCount(t, log, 9000)
		select {
		case err := <-done:
			if packing = false; err != nil {
				t.Fatal(err)
			}
		default:
		}
	}
}

// typed appends a trace and returns its lines.
func typed(t testing.TB, log room.Log, events, size int) []byte {
	t.Helper()
	y, lines := newTypist(1), []byte(nil)
	for after := event.Seq(0); after < event.Seq(events); after += event.Seq(size) {
		b := room.Batch{After: after}
		for i := range size {
			r := y.record(after + event.Seq(i) + 1)
			b.Records = append(b.Records, r)
			lines = append(append(lines, r.Data...), '\n')
		}
		if err := log.Append(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	return lines
}

func wantHistory(t testing.TB, log room.Log, want []byte) {
	t.Helper()
	var got []byte
	err := log.Read(t.Context(), 0, func(r event.Record) error {
		got = append(append(got, r.Data...), '\n')
		return nil
	})
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("got %d bytes and %v, want the same %d as appended", len(got), err, len(want))
	}
}

func fileSize(t testing.TB, dir string) int64 {
	t.Helper()
	info, err := os.Stat(filepath.Join(dir, "quire.db"))
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// BenchmarkHistory packs the trace of 260,000 keystrokes and reads it again.
func BenchmarkHistory(b *testing.B) {
	const events, size = 260_000, 50
	dir := b.TempDir()
	db := open(b, sqlite.Config{Dir: dir, Quiet: time.Hour})
	log := openLog(b, db, "log")
	lines := typed(b, log, events, size)
	start := time.Now()
	if err := db.Compact(b.Context(), "log"); err != nil {
		b.Fatal(err)
	}
	packing := time.Since(start)
	for b.Loop() {
		wantHistory(b, log, lines)
	}
	read := b.Elapsed() / time.Duration(b.N)
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(fileSize(b, dir))/events, "bytes/event")
	b.ReportMetric(float64(len(lines))/events, "raw-bytes/event")
	b.ReportMetric(packing.Seconds()*1000, "ms-packing")
	b.ReportMetric(events/read.Seconds(), "events/s-read")
}

// BenchmarkSnapshot opens a snapshot of 2 MB.
func BenchmarkSnapshot(b *testing.B) {
	log := openLog(b, open(b, sqlite.Config{}), "log")
	var data []byte
	for _, r := range roomtest.Records(0, 15_000) {
		data = append(data, r.Data...)
	}
	if err := log.SaveSnapshot(b.Context(), room.Snapshot{Seq: 1, Data: data}); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := log.Snapshot(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
