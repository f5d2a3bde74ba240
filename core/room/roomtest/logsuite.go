package roomtest

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/room"
)

// rule is one test of the suite. Its name begins with the rule of spec/log.md
// that it holds.
type rule struct {
	name string
	test func(t *testing.T, log room.Log)
}

var rules = []rule{
	{"ST1 records are numbered from 1 without gaps", numbers},
	{"ST1 a batch with other numbers is refused and stores nothing", misnumbered},
	{"ST2 a batch after another number is a conflict and stores nothing", conflict},
	{"ST3 a reader sees all of a batch or nothing", whole},
	{"ST4 what was appended is there at once", visible},
	{"ST5 one of the appends that race for a number succeeds", race},
	{"ST6 the caller may change the bytes after an append", copies},
	{"ST7 a record with a line break or without bytes is refused", lines},
	{"ST8 an empty batch stores no record and may conflict", emptyBatch},
	{"ST9 a read gives what is after a number", readAfter},
	{"ST9 a read from anywhere in batches of many sizes has no gap", readAnywhere},
	{"ST10 an empty log has nothing", emptyLog},
	{"ST11 an error of the reader's function ends the read", yieldError},
	{"ST12 records come back byte for byte, rewritten or not", bytewise},
	{"ST13 records of 5 MB come back", bigRecords},
	{"ST13 a log of 10,000 records comes back", manyRecords},
	{"ST14 reads go on while another appends", concurrent},
	{"ST14 the reader's function may use the log", reentrant},
	{"ST15 the snapshot is the one saved last", snapshots},
	{"ST16 a call whose context has ended does nothing", ended},
	{"ST16 a read stops when its context ends", endedInRead},
}

// Suite checks that a log keeps the rules of spec/log.md. Every call of open must
// return a new, empty log, which lasts at least as long as the test.
//
// A log that rewrites its records has a method Compact(context.Context) error, which the
// suite calls to check that it changes nothing.
func Suite(t *testing.T, open func(t *testing.T) room.Log) {
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) { r.test(t, open(t)) })
	}
}

// Records returns n records with the numbers after the given one. Each holds the
// JSON of a plausible event.
func Records(after event.Seq, n int) []event.Record {
	records := make([]event.Record, n)
	for i := range records {
		seq := after + event.Seq(i) + 1
		records[i] = event.Record{Seq: seq, Data: fmt.Appendf(nil,
			`{"seq":%d,"id":"k3x9ab12.%d","actor":"person:ada","time":%d,"type":"SourceEdited","payload":{"cell":"c1","rev":%d,"edit":[%d,"%c"]}}`,
			seq, seq, 1795800000000+173*int64(seq), seq-1, seq%500, 'a'+rune(seq%26))}
	}
	return records
}

func numbers(t *testing.T, log room.Log) {
	mustAppend(t, log, 0, 3)
	mustAppend(t, log, 3, 1)
	mustAppend(t, log, 4, 2)
	wantRecords(t, log, 0, Records(0, 6))
	wantLast(t, log, 6)
}

func misnumbered(t *testing.T, log room.Log) {
	mustAppend(t, log, 0, 2)
	records := Records(2, 3)
	for name, bad := range map[string][]event.Record{
		"a gap":         {records[0], records[2]},
		"a repetition":  {records[0], records[0]},
		"a late start":  {records[1], records[2]},
		"an early one":  Records(1, 2),
		"going back":    {records[1], records[0]},
		"number zero":   {{Seq: 0, Data: records[0].Data}},
		"another's end": {records[0], records[1], {Seq: 9, Data: records[2].Data}},
	} {
		if err := log.Append(t.Context(), room.Batch{After: 2, Records: bad}); err == nil {
			t.Errorf("%s: got no error, want one", name)
		}
	}
	wantRecords(t, log, 0, Records(0, 2))
}

func conflict(t *testing.T, log room.Log) {
	mustAppend(t, log, 0, 3)
	for _, after := range []event.Seq{0, 2, 4, 1000} {
		err := log.Append(t.Context(), batch(after, 2))
		if !errors.Is(err, room.ErrConflict) {
			t.Errorf("append after %d to a log of 3: got %v, want ErrConflict", after, err)
		}
	}
	wantRecords(t, log, 0, Records(0, 3))
	mustAppend(t, log, 3, 1)
	wantLast(t, log, 4)
}

func whole(t *testing.T, log room.Log) {
	const size, batches = 7, 60
	var appended atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		defer appended.Store(true)
		if err := appendAll(t.Context(), log, size, batches); err != nil {
			t.Error(err)
		}
	})
	for !appended.Load() {
		runtime.Gosched() // under wasm the other goroutine needs it to go on
		if last, err := log.Last(t.Context()); err != nil || last%size != 0 {
			t.Errorf("last: got %d and %v, want a multiple of %d", last, err, size)
		}
		if n := len(read(t, log, 0)); n%size != 0 {
			t.Errorf("read: got %d records, want a multiple of %d", n, size)
		}
	}
	wg.Wait()
	wantLast(t, log, size*batches)
}

func visible(t *testing.T, log room.Log) {
	for after := range event.Seq(20) {
		mustAppend(t, log, after, 1)
		wantLast(t, log, after+1)
		wantRecords(t, log, after, Records(after, 1))
	}
}

func race(t *testing.T, log room.Log) {
	const racers, rounds = 8, 20
	for round := range event.Seq(rounds) {
		errs := make([]error, racers)
		var wg sync.WaitGroup
		for i := range racers {
			wg.Go(func() { errs[i] = log.Append(t.Context(), batch(round, 1)) })
		}
		wg.Wait()
		won := 0
		for _, err := range errs {
			switch {
			case err == nil:
				won++
			case !errors.Is(err, room.ErrConflict):
				t.Errorf("got %v, want ErrConflict", err)
			}
		}
		if won != 1 {
			t.Errorf("after %d: got %d successes, want 1", round, won)
		}
	}
	wantRecords(t, log, 0, Records(0, rounds))
}

func copies(t *testing.T, log room.Log) {
	b := batch(0, 4)
	if err := log.Append(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	snapshot := []byte("state")
	if err := log.SaveSnapshot(t.Context(), room.Snapshot{Seq: 4, Data: snapshot}); err != nil {
		t.Fatal(err)
	}
	for _, r := range b.Records {
		clear(r.Data)
	}
	clear(snapshot)
	wantRecords(t, log, 0, Records(0, 4))
	wantSnapshot(t, log, room.Snapshot{Seq: 4, Data: []byte("state")})
}

func lines(t *testing.T, log room.Log) {
	for _, data := range []string{"", "\n", "{}\n", "{\n}", "\n{}"} {
		b := room.Batch{Records: []event.Record{{Seq: 1, Data: []byte("{}")}, {Seq: 2, Data: []byte(data)}}}
		if err := log.Append(t.Context(), b); err == nil {
			t.Errorf("record %q: got no error, want one", data)
		}
	}
	wantLast(t, log, 0)
}

func emptyBatch(t *testing.T, log room.Log) {
	mustAppend(t, log, 0, 2)
	title := "a title"
	if err := log.Append(t.Context(), room.Batch{After: 2, Time: 5, Title: &title}); err != nil {
		t.Errorf("got %v, want no error", err)
	}
	if err := log.Append(t.Context(), room.Batch{After: 1}); !errors.Is(err, room.ErrConflict) {
		t.Errorf("got %v, want ErrConflict", err)
	}
	wantRecords(t, log, 0, Records(0, 2))
	mustAppend(t, log, 2, 1)
}
