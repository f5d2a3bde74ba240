package datadir

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/quirehq/quire/host/server"
)

// kindsIn returns the kinds of the acts since a time.
func kindsIn(t *testing.T, a *Audit, since time.Time) (kinds []string) {
	t.Helper()
	err := a.Acts(t.Context(), since, func(act server.Act) error {
		kinds = append(kinds, act.Kind)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return kinds
}

func TestTheRecordOfActsIsKeptInFilesOfBoundedSize(t *testing.T) {
	dir := t.TempDir()
	const limit = 1000
	var a *Audit
	open := func() {
		var err error
		if a, err = OpenAudit(dir, limit, slog.New(slog.DiscardHandler)); err != nil {
			t.Fatal(err)
		}
	}
	open()
	begin := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	for i := range 50 {
		a.Record(server.Act{Time: begin.Add(time.Duration(i) * time.Second), Kind: fmt.Sprint("kind", i), Actor: "person:owner"})
		if i == 20 { // the server restarts, after a line was cut
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
			f, err := os.OpenFile(filepath.Join(dir, auditFile), os.O_APPEND|os.O_WRONLY, 0)
			if err == nil {
				_, err = f.WriteString(`{"time":"2030-`)
			}
			if err != nil || f.Close() != nil {
				t.Fatal(err)
			}
			open()
		}
	}
	t.Cleanup(func() { _ = a.Close() })
	if got := kindsIn(t, a, time.Time{}); len(got) != 50 || got[0] != "kind0" || got[49] != "kind49" {
		t.Errorf("got %v, want all in order", got)
	}
	if got := kindsIn(t, a, begin.Add(48*time.Second)); len(got) != 2 {
		t.Errorf("got %v, want the last two", got)
	}
	files, err := filepath.Glob(filepath.Join(dir, auditFile+"*"))
	if err != nil || len(files) < 3 {
		t.Errorf("got %v and %v, want several files", files, err)
	}
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 || info.Size() > limit {
			t.Errorf("%s: got %v and %v, want at most %d bytes for its owner alone", file, info, err, limit)
		}
	}
	for i := range 2000 {
		a.Record(server.Act{Time: begin, Kind: fmt.Sprint("more", i)})
	}
	if files, err = filepath.Glob(filepath.Join(dir, auditFile+"*")); err != nil || len(files) != auditFiles+1 {
		t.Errorf("got %d files and %v, want %d", len(files), err, auditFiles+1)
	}
}

func TestActsThatAreAddedWhileTheRecordIsReadAreNotRead(t *testing.T) {
	const limit = 1000
	a, err := OpenAudit(t.TempDir(), limit, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	for range 5 {
		a.Record(server.Act{Kind: "before"})
	}
	read := 0
	err = a.Acts(t.Context(), time.Time{}, func(act server.Act) error {
		read++
		for range 20 { // begins other files, and the one that is read gets another name
			a.Record(server.Act{Kind: "after"})
		}
		if act.Kind != "before" {
			t.Errorf("got an act of the kind %s", act.Kind)
		}
		return nil
	})
	if err != nil || read != 5 {
		t.Errorf("got %d acts and %v, want 5", read, err)
	}
}

func TestReadingTheRecordOfActsTakesLittleMemory(t *testing.T) {
	a, err := OpenAudit(t.TempDir(), AuditSize, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	for range 1000 {
		a.Record(server.Act{Kind: "run", Detail: map[string]string{"cell": strings.Repeat("x", 10_000)}})
	}
	before, most := new(runtime.MemStats), uint64(0)
	runtime.GC()
	runtime.ReadMemStats(before)
	seen := 0
	err = a.Acts(t.Context(), time.Time{}, func(server.Act) error {
		if seen++; seen%100 == 1 {
			now := new(runtime.MemStats)
			runtime.GC()
			runtime.ReadMemStats(now)
			most = max(most, now.HeapAlloc-min(before.HeapAlloc, now.HeapAlloc))
		}
		return nil
	})
	if err != nil || seen != 1000 || most > uint64(a.size)/2 {
		t.Errorf("got %d acts, %v and %d bytes of memory for a record of %d", seen, err, most, a.size)
	}
}
