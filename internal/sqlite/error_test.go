package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/core/room/roomtest"
)

func TestAFullDiskRefusesAppendsAndLosesNothing(t *testing.T) {
	dir := t.TempDir()
	db := openTest(t, Config{Dir: dir})
	createLog(t, db, "log")
	log := db.Log("log")
	pragma(t, db, `PRAGMA max_page_count = 60`)
	acked := 0
	var err error
	for err == nil {
		if err = appendTo(t, log, acked, 100); err == nil {
			acked += 100
		}
	}
	wantKind(t, err, Full)
	if !errors.Is(err, room.ErrUnavailable) {
		t.Errorf("got %v, want ErrUnavailable", err)
	}
	if acked == 0 {
		t.Fatal("nothing fitted")
	}
	wantLast(t, log, acked)

	pragma(t, db, `PRAGMA max_page_count = 1000000`)
	if err := appendTo(t, log, acked, 100); err != nil {
		t.Errorf("with space again: got %v, want no error", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	wantLast(t, openTest(t, Config{Dir: dir}).Log("log"), acked+100)
}

func TestABatchThatDoesNotFitOnTheDiskFailsAlone(t *testing.T) {
	db := openTest(t, Config{})
	createLog(t, db, "small")
	createLog(t, db, "large")
	pragma(t, db, `PRAGMA max_page_count = 60`)
	errs := together(t, db, 2, func(i int) error {
		if i == 0 {
			return appendTo(t, db.Log("large"), 0, 5000)
		}
		return appendTo(t, db.Log("small"), 0, 2)
	})
	wantKind(t, errs[0], Full)
	if errs[1] != nil {
		t.Errorf("the small one: got %v, want no error", errs[1])
	}
	wantLast(t, db.Log("large"), 0)
	wantLast(t, db.Log("small"), 2)
}

func TestADatabaseThatCannotBeWrittenSaysSoAndGoesOnOnceItCan(t *testing.T) {
	db := openTest(t, Config{})
	createLog(t, db, "log")
	pragma(t, db, `PRAGMA query_only = on`)
	wantKind(t, appendTo(t, db.Log("log"), 0, 1), ReadOnly)
	if _, err := db.writer.tx.conn.ExecContext(t.Context(), `PRAGMA query_only = off`); err != nil {
		t.Fatal(err)
	}
	if err := appendTo(t, db.Log("log"), 0, 1); err != nil {
		t.Errorf("got %v, want no error", err)
	}
}

func TestADirectoryThatCannotBeMadeIsReadOnly(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "data")} {
		_, err := Open(t.Context(), Config{Dir: dir})
		wantKind(t, err, ReadOnly)
	}
}

func TestADirectoryWithoutRightsIsReadOnly(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("modes do not bind root")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), Config{Dir: dir})
	wantKind(t, err, ReadOnly)
}

func TestAFileThatIsNoDatabaseIsCorrupt(t *testing.T) {
	dir := t.TempDir()
	garbage := bytes.Repeat([]byte("this is not a database. "), 1000)
	if err := os.WriteFile(filepath.Join(dir, fileName), garbage, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), Config{Dir: dir})
	wantKind(t, err, Corrupt)
	if got, err := os.ReadFile(filepath.Join(dir, fileName)); err != nil || !bytes.Equal(got, garbage) {
		t.Errorf("the file was changed, or %v", err)
	}
}

func TestDamagedPagesAreFoundWhenTheyAreRead(t *testing.T) {
	dir := t.TempDir()
	db := openTest(t, Config{Dir: dir})
	createLog(t, db, "log")
	if err := appendTo(t, db.Log("log"), 0, 5000); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, fileName)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := len(data) / 3; i < len(data); i++ {
		data[i] = 0xa5
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	wantKind(t, readAll(t, dir), Corrupt)
}

func TestDamagedDataOfASegmentIsFoundWhenItIsRead(t *testing.T) {
	dir := t.TempDir()
	db := openTest(t, Config{Dir: dir})
	createLog(t, db, "log")
	if err := appendTo(t, db.Log("log"), 0, 50); err != nil {
		t.Fatal(err)
	}
	if err := db.Compact(t.Context(), "log"); err != nil {
		t.Fatal(err)
	}
	pragma(t, db, `UPDATE segments SET data = x'0102'`)
	err := db.Log("log").Read(t.Context(), 0, func(event.Record) error { return nil })
	wantKind(t, err, Corrupt)
}

func TestADatabaseOfANewerVersionIsRefused(t *testing.T) {
	dir := t.TempDir()
	db := openTest(t, Config{Dir: dir})
	pragma(t, db, `INSERT INTO migrations (version, name, applied) VALUES (99, 'later', 0)`)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), Config{Dir: dir})
	wantKind(t, err, Newer)
}

func TestASecondDatabaseOfOneDirectoryIsRefusedUntilTheFirstIsClosed(t *testing.T) {
	dir := t.TempDir()
	db := openTest(t, Config{Dir: dir})
	_, err := Open(t.Context(), Config{Dir: dir})
	wantKind(t, err, Locked)
	if e, ok := errors.AsType[*Error](err); ok && e.PID != os.Getpid() {
		t.Errorf("process: got %d, want %d", e.PID, os.Getpid())
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	openTest(t, Config{Dir: dir})
}

func TestOnlyTheUserMayReadTheFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "data")
	db := openTest(t, Config{Dir: dir})
	createLog(t, db, "log")
	for name, want := range map[string]os.FileMode{
		".": os.ModeDir | 0o700, fileName: 0o600, lockName: 0o600, fileName + "-wal": 0o600, fileName + "-shm": 0o600,
	} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode(); got != want {
			t.Errorf("%s: got mode %v, want %v", name, got, want)
		}
	}
}

func TestEveryKindOfErrorNamesTheDirectory(t *testing.T) {
	for _, k := range []Kind{Locked, Full, ReadOnly, Corrupt, Newer, "other"} {
		e := &Error{Kind: k, Dir: "/some/dir", Err: errors.New("cause")}
		if got := e.Error(); !strings.Contains(got, "/some/dir") || strings.Contains(got, "%!") {
			t.Errorf("%s: got %q, want a message with the directory", k, got)
		}
	}
}

// pragma runs a statement on the writer's connection.
func pragma(t *testing.T, db *DB, statement string) {
	t.Helper()
	err := db.change(t.Context(), func(ctx context.Context, c *sql.Conn) error {
		_, err := c.ExecContext(ctx, statement)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func readAll(t *testing.T, dir string) error {
	t.Helper()
	db, err := Open(t.Context(), Config{Dir: dir})
	if err != nil {
		return err
	}
	defer db.Close()
	return db.Log("log").Read(t.Context(), 0, func(event.Record) error { return nil })
}

func appendTo(t *testing.T, log room.Log, after, n int) error {
	t.Helper()
	return log.Append(t.Context(), room.Batch{After: event.Seq(after), Records: roomtest.Records(event.Seq(after), n)})
}

func wantKind(t *testing.T, err error, want Kind) {
	t.Helper()
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Kind != want {
		t.Errorf("got %v, want an error of kind %s", err, want)
	}
}

func wantLast(t *testing.T, log room.Log, want int) {
	t.Helper()
	if got, err := log.Last(t.Context()); err != nil || got != event.Seq(want) {
		t.Errorf("last: got %d and %v, want %d", got, err, want)
	}
}
