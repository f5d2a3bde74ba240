package native_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/host/native"
)

// printed returns the draft of an event that adds text to a stream.
func printed(n uint64, text string) event.Draft {
	return event.Draft{
		ID:      event.ID{Client: "runtime", N: n},
		Payload: &event.OutputAppended{Output: "o", Run: "r", Epoch: 1, Text: text},
	}
}

func openSpool(t *testing.T) (*native.Spool, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "runtimes", "a.spool")
	s, err := native.OpenSpool(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s, dir
}

func keep(t *testing.T, s *native.Spool, drafts ...event.Draft) {
	t.Helper()
	for _, d := range drafts {
		if err := s.Keep(d); err != nil {
			t.Fatal(err)
		}
	}
}

// wantSpooled wants a spool to hold events with these counters.
func wantSpooled(t *testing.T, dir string, want ...uint64) {
	t.Helper()
	drafts, err := native.ReadSpool(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []uint64
	for _, d := range drafts {
		got = append(got, d.ID.N)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("counters of what is kept (-want +got):\n%s", diff)
	}
}

func TestASpoolHoldsWhatIsNotAcknowledgedWithoutBeingClosed(t *testing.T) {
	s, dir := openSpool(t)
	keep(t, s, printed(1, "a\nb"), printed(2, "é"), printed(4, strings.Repeat("x", 1000)))
	drafts, err := native.ReadSpool(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []event.Draft{printed(1, "a\nb"), printed(2, "é"), printed(4, strings.Repeat("x", 1000))}
	if diff := cmp.Diff(want, drafts); diff != "" {
		t.Errorf("what is kept (-want +got):\n%s", diff)
	}
	if err := s.Drop(3); err != nil {
		t.Fatal(err)
	}
	if drafts, err = native.ReadSpool(dir); err != nil || drafts[len(drafts)-1].ID.N != 4 {
		t.Errorf("got %v (%v), want the event that is not acknowledged", drafts, err)
	}
	if err := s.Drop(4); err != nil {
		t.Fatal(err)
	}
	wantSpooled(t, dir)
	keep(t, s, printed(5, "later"))
	wantSpooled(t, dir, 5)
}

func TestASpoolTakesNoMoreSpaceThanWhatIsNotAcknowledged(t *testing.T) {
	s, dir := openSpool(t)
	text := strings.Repeat("x", 100_000)
	for n := uint64(1); n <= 100; n++ {
		keep(t, s, printed(n, text))
		if n > 5 {
			if err := s.Drop(n - 5); err != nil {
				t.Fatal(err)
			}
		}
	}
	size := int64(0)
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	if size > 3<<20 {
		t.Errorf("ten megabytes passed through and %d bytes are left of five events", size)
	}
	drafts, err := native.ReadSpool(dir)
	if err != nil || len(drafts) < 5 || drafts[len(drafts)-1].ID.N != 100 {
		t.Errorf("got %d events (%v), want those up to 100", len(drafts), err)
	}
	for i := range drafts[1:] {
		if drafts[i+1].ID.N != drafts[i].ID.N+1 {
			t.Errorf("event %d follows %d", drafts[i+1].ID.N, drafts[i].ID.N)
		}
	}
}

func TestOfASpoolThatWasCutShortAllBeforeTheCutIsRead(t *testing.T) {
	s, dir := openSpool(t)
	keep(t, s, printed(1, "a"), printed(2, "b"))
	path := filepath.Join(dir, "000000001")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range data {
		if err := os.WriteFile(path, data[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		drafts, err := native.ReadSpool(dir)
		if want := strings.Count(string(data[:cut]), "\n"); err != nil || len(drafts) != want {
			t.Errorf("cut at byte %d: got %d events (%v), want %d", cut, len(drafts), err, want)
		}
	}
	if err := os.WriteFile(path, append(data, "{}\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	drafts, err := native.ReadSpool(dir)
	if err == nil || !strings.Contains(err.Error(), "line 3") || len(drafts) != 2 {
		t.Errorf("got %d events and %v, want two and the place of the damage", len(drafts), err)
	}
}

func TestASpoolThatIsEmptyLeavesNothingBehind(t *testing.T) {
	for _, left := range []bool{false, true} {
		t.Run(fmt.Sprint(left), func(t *testing.T) {
			s, dir := openSpool(t)
			keep(t, s, printed(1, "a"))
			if !left {
				if err := s.Drop(1); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(dir); (err == nil) != left {
				t.Errorf("got %v of the directory, want it there: %v", err, left)
			}
		})
	}
	wantSpooled(t, filepath.Join(t.TempDir(), "none"))
}

func TestASpoolIsBegunOnce(t *testing.T) {
	_, dir := openSpool(t)
	if _, err := native.OpenSpool(dir); err == nil {
		t.Error("a second spool in one directory was opened, want an error")
	}
}
