package sqlite_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/core/room/roomtest"
	"github.com/quirehq/quire/internal/sqlite"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		appendUntilKilled(dir)
	}
	goleak.VerifyTestMain(m)
}

func TestLogKeepsTheRulesOfLogs(t *testing.T) {
	roomtest.Suite(t, func(t *testing.T) room.Log { return openLog(t, open(t, sqlite.Config{}), "log") })
}

func TestLogIsWholeAfterReopening(t *testing.T) {
	dir := t.TempDir()
	db := open(t, sqlite.Config{Dir: dir})
	log := openLog(t, db, "log")
	mustAppend(t, log, 0, 700)
	if err := log.SaveSnapshot(t.Context(), room.Snapshot{Seq: 500, Fold: 2, Data: []byte("state")}); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	log = open(t, sqlite.Config{Dir: dir}).Log("log")

	wantCount(t, log, 700)
	s, err := log.Snapshot(t.Context())
	if err != nil || s.Seq != 500 || s.Fold != 2 || string(s.Data) != "state" {
		t.Errorf("snapshot: got %v and %v, want the one saved", s, err)
	}
	mustAppend(t, log, 700, 1)
}

// open opens a database that is closed when the test ends. Without a directory it
// gets a new one.
func open(t testing.TB, c sqlite.Config) *sqlite.DB {
	t.Helper()
	if c.Dir == "" {
		c.Dir = t.TempDir()
	}
	db, err := sqlite.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return db
}

func openLog(t testing.TB, db *sqlite.DB, id string) room.Log {
	t.Helper()
	if err := db.CreateLog(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	return db.Log(id)
}

func createNotebook(t testing.TB, db *sqlite.DB, n directory.Notebook) {
	t.Helper()
	if err := db.UpsertPerson(t.Context(), directory.Person{ID: n.Owner, Name: n.Owner, Created: 1}); err != nil {
		t.Fatal(err)
	}
	if err := db.CreateNotebook(t.Context(), n); err != nil {
		t.Fatal(err)
	}
}

func mustAppend(t testing.TB, log room.Log, after event.Seq, n int) {
	t.Helper()
	if err := log.Append(t.Context(), room.Batch{After: after, Records: roomtest.Records(after, n)}); err != nil {
		t.Fatal(err)
	}
}

// wantCount checks that a log has n records, the ones that roomtest.Records gives.
func wantCount(t testing.TB, log room.Log, n int) {
	t.Helper()
	want, got := roomtest.Records(0, n), 0
	err := log.Read(t.Context(), 0, func(r event.Record) error {
		if got < n && (r.Seq != want[got].Seq || string(r.Data) != string(want[got].Data)) {
			t.Errorf("record %d: got %d %s, want %s", got, r.Seq, r.Data, want[got].Data)
		}
		got++
		return nil
	})
	if err != nil || got != n {
		t.Errorf("got %d records and %v, want %d", got, err, n)
	}
}
