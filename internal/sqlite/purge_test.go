package sqlite_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/internal/sqlite"
)

// filesWith returns the files of a directory that have a text.
func filesWith(t *testing.T, dir, text string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		data, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(data, []byte(text)) {
			names = append(names, entry.Name())
		}
	}
	return names
}

// appendText appends records that have a text.
func appendText(t *testing.T, log room.Log, text string, n int) {
	t.Helper()
	last, err := log.Last(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b := room.Batch{After: last}
	for i := range n {
		b.Records = append(b.Records, event.Record{Seq: last + event.Seq(i) + 1, Data: fmt.Appendf(nil, `{"text":%q,"n":%d}`, text, i)})
	}
	if err := log.Append(t.Context(), b); err != nil {
		t.Fatal(err)
	}
}

func TestNothingOfANotebookThatWasPurgedIsInTheFiles(t *testing.T) {
	dir := t.TempDir()
	db := open(t, sqlite.Config{Dir: dir})
	for _, id := range []string{"n1", "n2"} {
		createNotebook(t, db, directory.Notebook{ID: id, Owner: "ada", Title: "of " + id})
	}
	gone, kept := db.Log("n1"), db.Log("n2")
	appendText(t, gone, "sesame", 3000)
	appendText(t, kept, "remains", 100)
	if err := db.Compact(t.Context(), "n1"); err != nil { // leaves free pages
		t.Fatal(err)
	}
	appendText(t, gone, "sesame", 10)
	if filesWith(t, dir, "sesame") == nil {
		t.Fatal("the text is in no file to begin with")
	}
	add(t, db, "n1", artifact("a", 7), 1)
	hashes, err := db.PurgeNotebook(t.Context(), "n1")
	if err != nil || len(hashes) != 1 || hashes[0] != artifact("a", 7).Hash {
		t.Fatalf("got %v and %v, want the artifact that it had", hashes, err)
	}
	if names := filesWith(t, dir, "sesame"); names != nil {
		t.Errorf("while it is open: %v have it", names)
	}
	if _, err := db.Notebook(t.Context(), "n1"); !errors.Is(err, directory.ErrNotFound) || !errors.Is(err, directory.ErrPurged) {
		t.Errorf("got %v, want that it is not there", err)
	}
	if err := db.CreateNotebook(t.Context(), directory.Notebook{ID: "n1", Owner: "ada"}); !errors.Is(err, directory.ErrExists) {
		t.Errorf("got %v, want that its id is never used again", err)
	}
	appendText(t, kept, "remains", 1)
	n := 0
	if err := kept.Read(t.Context(), 0, func(event.Record) error { n++; return nil }); err != nil || n != 101 {
		t.Errorf("got %d records of the other and %v, want 101", n, err)
	}
	if hashes, err := db.PurgeNotebook(t.Context(), "n1"); err != nil || len(hashes) != 0 {
		t.Errorf("again: got %v and %v", hashes, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if names := filesWith(t, dir, "sesame"); names != nil {
		t.Errorf("after it was closed: %v have it", names)
	}
}
