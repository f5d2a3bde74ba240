package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/quirehq/quire/core/room"
)

func TestFilesThatAreRemovedOrReplacedEndTheAcknowledgements(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be removed there")
	}
	replace := func(path string) error {
		data, err := os.ReadFile(path)
		return errors.Join(err, os.WriteFile(path+".copy", data, 0o600), os.Rename(path+".copy", path))
	}
	away := func(path string) error { return os.Rename(path, path+".away") }
	for name, test := range map[string]struct {
		file string
		do   func(path string) error
	}{
		"the database is removed":  {fileName, os.Remove},
		"the database is replaced": {fileName, replace},
		"the database is moved":    {fileName, away},
		"the WAL is removed":       {fileName + "-wal", os.Remove},
		"the WAL is replaced":      {fileName + "-wal", replace},
		"the lock is removed":      {lockName, os.Remove},
		"the directory is moved":   {"", away},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			db := openTest(t, Config{Dir: dir})
			createLog(t, db, "log")
			if err := errors.Join(appendTo(t, db.Log("log"), 0, 10), db.Health()); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, test.file)
			if err := test.do(path); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				err := appendTo(t, db.Log("log"), 10, 1)
				wantKind(t, err, Removed)
				if !errors.Is(err, room.ErrRemoved) || !errors.Is(err, room.ErrUnavailable) {
					t.Errorf("got %v, want it to be known as removed and unavailable", err)
				}
				wantKind(t, db.Health(), Removed)
			}
			if test.file != "" {
				return
			}
			if err := os.Rename(path+".away", path); err != nil { // it may lack refused writes
				t.Fatal(err)
			}
			wantKind(t, appendTo(t, db.Log("log"), 10, 1), Removed)
		})
	}
}

func TestADatabaseThatCannotBeWrittenSaysThatItIsNotWell(t *testing.T) {
	db := openTest(t, Config{})
	createLog(t, db, "log")
	if err := db.Health(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(db.config.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name()[0] == '.' {
			t.Errorf("it left the file %s", e.Name())
		}
	}
	if err := os.Chmod(db.config.Dir, 0o500); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Chmod(db.config.Dir, 0o700) }()
	if os.Geteuid() == 0 {
		t.Skip("root can write in any directory")
	}
	wantKind(t, db.Health(), ReadOnly)
}

func TestADatabaseThatIsAsLargeAsItMayBeTakesNoMoreAndLosesNothing(t *testing.T) {
	dir := t.TempDir()
	db := openTest(t, Config{Dir: dir, MaxBytes: 512 << 10})
	createLog(t, db, "log")
	acked := 0
	var err error
	for err == nil && acked < 1_000_000 {
		if err = appendTo(t, db.Log("log"), acked, 1_000); err == nil {
			acked += 1_000
		}
	}
	wantKind(t, err, Full)
	wantKind(t, db.Health(), Full)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openTest(t, Config{Dir: dir})
	wantLast(t, db.Log("log"), acked)
	if err := errors.Join(appendTo(t, db.Log("log"), acked, 1_000), db.Health()); err != nil {
		t.Errorf("without the limit: got %v", err)
	}
}

func TestFilesThatCannotBeLookedAtForAMomentAreNotTakenForRemoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	db := openTest(t, Config{Dir: dir})
	createLog(t, db, "log")
	if err := errors.Join(os.Rename(dir, dir+".away"), os.Symlink(dir, dir)); err != nil { // a cycle: the system returns an error
		t.Skip("no links here: ", err)
	}
	var e *Error
	if err := db.Health(); err == nil || errors.As(err, &e) {
		t.Errorf("got %v, want that it cannot be told", err)
	}
	if err := appendTo(t, db.Log("log"), 0, 1); err == nil {
		t.Error("got an event acknowledged that may not be in the files")
	}
	if err := errors.Join(os.Remove(dir), os.Rename(dir+".away", dir)); err != nil {
		t.Fatal(err)
	}
	createLog(t, db, "later")
	if err := errors.Join(appendTo(t, db.Log("later"), 0, 1), db.Health()); err != nil {
		t.Errorf("got %v, want everything to go on", err)
	}
}
