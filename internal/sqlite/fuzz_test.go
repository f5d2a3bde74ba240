package sqlite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/event"
)

// FuzzJournals decodes any bytes as a row of the journal, to batches or an error. Decoded batches
// survive another round trip.
func FuzzJournals(f *testing.F) {
	row := appendEntry(nil, entry{number: 1, segment: segment{first: 1, last: 2, data: []byte("{}\n{}\n")}})
	f.Add(appendEntry(row, entry{number: 1 << 20, segment: segment{first: 3, last: 3, data: []byte("{}\n")}}))
	f.Add(row[:len(row)-1])
	f.Add(bytes.Repeat([]byte{0xff}, 30))
	f.Add([]byte{0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, row []byte) {
		list, err := readEntries(nil, row)
		if err != nil {
			if !errors.Is(err, errDamaged) {
				t.Fatal(err)
			}
			return
		}
		var again []byte
		for _, e := range list {
			again = appendEntry(again, e)
		}
		second, err := readEntries(nil, again)
		if err != nil || len(second) != len(list) {
			t.Fatalf("got %d batches and %v, want %d", len(second), err, len(list))
		}
		for i, e := range second {
			if e.number != list[i].number || e.first != list[i].first || e.last != list[i].last || !bytes.Equal(e.data, list[i].data) {
				t.Fatalf("got %+v, want %+v", e, list[i])
			}
		}
	})
}

// FuzzSegments unpacks any bytes as a segment in any form: to as many lines as the row says, or to
// an error, within the memory bound of a segment.
func FuzzSegments(f *testing.F) {
	c, err := newCodec()
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(c.close)
	lines := []byte(strings.Repeat(`{"seq":1,"id":"a.1","text":"some text"}`+"\n", 20))
	packed, data, err := c.pack(lines, 20)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data, int64(1), int64(20), int(packed), false)
	f.Add(lines, int64(1), int64(20), int(formLines), false)
	f.Add(c.best.EncodeAll(lines, nil), int64(5), int64(24), int(formZstd), false)
	f.Add(encodeColumns(lines, 20), int64(1), int64(20), int(formColumns), true)
	f.Add([]byte{1, 0, 1, 0, 0, 0}, int64(9), int64(1), int(formColumns), true)
	f.Add([]byte{}, int64(-1<<62), int64(1<<62), 9, false)
	f.Fuzz(func(t *testing.T, data []byte, first, last int64, as int, compress bool) {
		if compress { // otherwise the fuzzer would hardly get past the compression
			data = c.fast.EncodeAll(data, nil)
		}
		s := segment{first: event.Seq(first), last: event.Seq(last), form: form(as), data: data}
		got, err := c.unpack(s)
		if err != nil && !errors.Is(err, errDamaged) {
			t.Fatal(err)
		}
		if err == nil && bytes.Count(got, []byte("\n")) != s.count() {
			t.Fatalf("got %d lines, want %d", bytes.Count(got, []byte("\n")), s.count())
		}
	})
}

func TestADamagedRecordDoesNotTakeAllMemory(t *testing.T) {
	const long, places = 64 << 10, 40_000 // each repeats the text: 2.4 GiB in one record
	shape := bytes.Repeat([]byte{markString}, places)
	text := bytes.Repeat([]byte("x"), long)
	heads := append(binary.AppendUvarint(nil, long+1), make([]byte, places/maxPlaces+1)...)
	columns := appendBytes(nil, appendBytes(nil, shape))
	columns = appendBytes(columns, []byte{0})
	columns = append(binary.AppendUvarint(columns, 0), binary.AppendUvarint(nil, maxPlaces)...)
	for range maxPlaces {
		columns = appendBytes(appendBytes(columns, heads), text)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := decodeColumns(columns, 1)
	runtime.ReadMemStats(&after)
	if err == nil {
		t.Fatalf("got %d bytes, want at most %d", len(got), maxUnpacked)
	}
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 128<<20 {
		t.Errorf("%d MiB were taken before the error %q", taken>>20, err)
	}
}

// FuzzLockFiles reads the content that another process left in the lock file.
func FuzzLockFiles(f *testing.F) {
	f.Add([]byte("4711\n"))
	f.Add([]byte("-1"))
	f.Add([]byte("99999999999999999999999999"))
	name := filepath.Join(f.TempDir(), lockName)
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		pid := readPID(file)
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		if pid < 0 {
			t.Fatalf("got process %d of %q", pid, data)
		}
	})
}
