package roomtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/room"
)

func readAfter(t *testing.T, log room.Log) {
	mustAppend(t, log, 0, 5)
	mustAppend(t, log, 5, 5)
	for _, after := range []event.Seq{0, 1, 4, 5, 6, 9, 10, 11, 1 << 50} {
		wantRecords(t, log, after, Records(after, max(0, 10-int(after))))
	}
}

func readAnywhere(t *testing.T, log room.Log) {
	last := event.Seq(0)
	for _, n := range []int{1, 300, 2, 17, 1, 1, 90, 600, 1, 5} {
		mustAppend(t, log, last, n)
		last += event.Seq(n)
	}
	all := Records(0, int(last))
	for range 2 {
		for after := event.Seq(0); after <= last; after += 13 {
			wantRecords(t, log, after, all[after:])
		}
		compact(t, log)
	}
}

func emptyLog(t *testing.T, log room.Log) {
	wantLast(t, log, 0)
	wantRecords(t, log, 0, nil)
	wantRecords(t, log, 7, nil)
	wantSnapshot(t, log, room.Snapshot{})
}

func yieldError(t *testing.T, log room.Log) {
	mustAppend(t, log, 0, 10)
	want, calls := errors.New("enough"), 0
	got := log.Read(t.Context(), 2, func(r event.Record) error {
		if calls++; r.Seq == 5 {
			return want
		}
		return nil
	})
	if !errors.Is(got, want) {
		t.Errorf("got %v, want the function's error", got)
	}
	if calls != 3 {
		t.Errorf("got %d calls, want 3", calls)
	}
}

func bytewise(t *testing.T, log room.Log) {
	var want []event.Record
	for i, s := range odd() {
		want = append(want, event.Record{Seq: event.Seq(i) + 1, Data: []byte(s)})
	}
	for i := 0; i < len(want); i += 3 {
		b := room.Batch{After: event.Seq(i), Records: want[i:min(i+3, len(want))]}
		if err := log.Append(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	wantRecords(t, log, 0, want)
	for range 2 {
		compact(t, log)
		wantRecords(t, log, 0, want)
	}
}

// odd returns unusual records, on which a log that parses events could fail.
func odd() []string {
	return []string{
		`{}`, ` {"a" : 1 , "b": [ 1,2 ] } `, `{"n":[0,00,01,-0,-1,1.50,1e9,0.05,1E-7,18446744073709551615,18446744073709551616]}`,
		`{"n":[9007199254740993,99999999999999999999999999999999,123456789012345678901234567890.5]}`,
		`{"s":["","\"","\\","\\\"","a\\","\u0000","é","😀","\ud83d","</script>","12","a.12","a.012","a.","."]}`,
		"{\"s\":\"not \xff UTF-8 \xc3\"}", "{\"s\":\"control \x00\x01\x02\x03\x1f\x7f\"}", "not JSON at all", `{"open":"`, `"`, `\`, "\r", " ",
		`{"seq":15,"id":"k3x9ab12.7","actor":"person:ada","time":1795800000000,"type":"Newer","payload":{"deep":{"x":[{"y":"z"}]}}}`,
		`{"seq":16,"id":"k3x9ab12.6","actor":"person:ada","time":1795799999999,"type":"Newer","payload":{"deep":{"x":[{"y":"z"}]}}}`,
		`{"seq":17,"id":"k3x9ab12.18446744073709551615","actor":"","time":-5,"type":"Newer","payload":null}`,
		`{"seq":18,"id":"k3x9ab12.0","actor":"","time":-5,"type":"Newer","payload":null}`,
		`{"a":1,"a":1,"a":2}`, `{}`, strings.Repeat("9", 1000), strings.Repeat(`"`, 999), strings.Repeat(`[`, 1000),
	}
}

func bigRecords(t *testing.T, log room.Log) {
	var want []event.Record
	for seq := event.Seq(1); seq <= 3; seq++ {
		text := bytes.Repeat(fmt.Appendf(nil, "line %d of much output; ", seq), 5<<20/24)
		data := append(append([]byte(`{"text":"`), text...), `"}`...)
		want = append(want, event.Record{Seq: seq, Data: data})
	}
	for i, r := range want {
		if err := log.Append(t.Context(), room.Batch{After: event.Seq(i), Records: []event.Record{r}}); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		for i, r := range read(t, log, 0) {
			if !bytes.Equal(r.Data, want[i].Data) {
				t.Errorf("record %d: got other bytes (%d) than the %d appended", r.Seq, len(r.Data), len(want[i].Data))
			}
		}
		compact(t, log)
	}
	wantLast(t, log, 3)
}

func manyRecords(t *testing.T, log room.Log) {
	const batches, size = 100, 100
	if err := appendAll(t.Context(), log, size, batches); err != nil {
		t.Fatal(err)
	}
	want := Records(0, batches*size)
	wantRecords(t, log, 0, want)
	compact(t, log)
	wantRecords(t, log, 0, want)
	wantRecords(t, log, 9_990, want[9_990:])
}

func concurrent(t *testing.T, log room.Log) {
	const size, batches, readers = 3, 100, 4
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := appendAll(t.Context(), log, size, batches); err != nil {
			t.Error(err)
		}
	})
	wg.Go(func() {
		for range 3 {
			compact(t, log)
		}
	})
	want := Records(0, size*batches)
	for range readers {
		wg.Go(func() {
			for range 20 {
				got := read(t, log, 0)
				if !same(want[:len(got)], got) {
					t.Errorf("a reader saw other than the start of the log:\n%s", joined(got))
					return
				}
			}
		})
	}
	wg.Wait()
	wantRecords(t, log, 0, want)
}

func reentrant(t *testing.T, log room.Log) {
	mustAppend(t, log, 0, 5)
	err := log.Read(t.Context(), 0, func(r event.Record) error {
		if r.Seq > 5 {
			return nil // a read may or may not include records appended meanwhile
		}
		return log.Append(t.Context(), batch(4+r.Seq, 1))
	})
	if err != nil {
		t.Fatal(err)
	}
	wantRecords(t, log, 0, Records(0, 10))
}

func snapshots(t *testing.T, log room.Log) {
	mustAppend(t, log, 0, 10)
	big := bytes.Repeat([]byte(`{"cell":"c1","source":"print(1)"},`), 2<<20/34)
	for _, want := range []room.Snapshot{
		{Seq: 3, Fold: 1, Data: []byte(`{"cells":[]}`)},
		{Seq: 10, Fold: 2, Data: big},
		{Seq: 7, Fold: 0, Data: []byte{0, 255, 10, 13}},
	} {
		if err := log.SaveSnapshot(t.Context(), want); err != nil {
			t.Fatal(err)
		}
		wantSnapshot(t, log, want)
	}
	wantRecords(t, log, 0, Records(0, 10))
}

func ended(t *testing.T, log room.Log) {
	mustAppend(t, log, 0, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, last := log.Last(ctx)
	_, snapshot := log.Snapshot(ctx)
	for name, err := range map[string]error{
		"Append":       log.Append(ctx, batch(1, 1)),
		"Read":         log.Read(ctx, 0, func(event.Record) error { return nil }),
		"Last":         last,
		"SaveSnapshot": log.SaveSnapshot(ctx, room.Snapshot{Seq: 1, Data: []byte("x")}),
		"Snapshot":     snapshot,
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want context.Canceled", name, err)
		}
	}
	wantRecords(t, log, 0, Records(0, 1))
	wantSnapshot(t, log, room.Snapshot{})
}

func endedInRead(t *testing.T, log room.Log) {
	mustAppend(t, log, 0, 100)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	calls := 0
	err := log.Read(ctx, 0, func(event.Record) error {
		calls++
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) || calls != 1 {
		t.Errorf("got %v after %d calls, want context.Canceled after 1", err, calls)
	}
}
