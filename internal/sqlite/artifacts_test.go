package sqlite_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/internal/sqlite"
)

const plenty = 1 << 40

// artifact returns an artifact whose hash consists of a letter.
func artifact(letter string, size int64) event.Artifact {
	return event.Artifact{Hash: strings.Repeat(letter, 64), Size: size}
}

// openBooks opens a database with the notebooks n1 and n2.
func openBooks(t *testing.T) *sqlite.DB {
	t.Helper()
	db := open(t, sqlite.Config{})
	for _, id := range []string{"n1", "n2"} {
		createNotebook(t, db, directory.Notebook{ID: id, Owner: "ada"})
	}
	return db
}

func add(t *testing.T, db *sqlite.DB, notebook string, a event.Artifact, at event.Time) {
	t.Helper()
	if added, err := db.AddArtifact(t.Context(), notebook, a, at, plenty); err != nil || !added {
		t.Fatalf("add to %s: got %t and %v", notebook, added, err)
	}
}

func wantArtifact(t *testing.T, db *sqlite.DB, notebook string, a event.Artifact, want bool) {
	t.Helper()
	got, err := db.Artifact(t.Context(), notebook, a.Hash)
	if want && (err != nil || got != a) || !want && !errors.Is(err, directory.ErrNotFound) {
		t.Errorf("artifact %.4s of %s: got %v and %v, want it there: %t", a.Hash, notebook, got, err, want)
	}
}

func TestAR10AnArtifactIsInTheNotebooksThatItWasAddedToOnly(t *testing.T) {
	db := openBooks(t)
	a := artifact("a", 7)
	add(t, db, "n1", a, 1)
	add(t, db, "n1", a, 2)
	wantArtifact(t, db, "n1", a, true)
	wantArtifact(t, db, "n2", a, false)
	wantArtifact(t, db, "n1", artifact("b", 7), false)
	if _, err := db.AddArtifact(t.Context(), "n3", a, 1, plenty); !errors.Is(err, directory.ErrNotFound) {
		t.Errorf("a notebook that is none: got %v", err)
	}
}

func TestAR15ANotebookHasNoMoreBytesThanItMay(t *testing.T) {
	db := openBooks(t)
	for i, c := range []struct {
		a    event.Artifact
		want bool
	}{
		{artifact("a", 60), true},
		{artifact("b", 41), false},
		{artifact("b", 40), true},
		{artifact("a", 60), true}, // the notebook has it already
		{artifact("c", 1), false},
		{artifact("d", 0), true},
	} {
		got, err := db.AddArtifact(t.Context(), "n1", c.a, 1, 100)
		if err != nil || got != c.want {
			t.Errorf("%d: got %t and %v, want %t", i, got, err, c.want)
		}
		if !c.want {
			continue
		}
		wantArtifact(t, db, "n1", c.a, true)
	}
	wantArtifact(t, db, "n1", artifact("c", 1), false)
	if n, err := db.ArtifactBytes(t.Context(), "n1"); err != nil || n != 100 {
		t.Errorf("got %d bytes and %v, want 100", n, err)
	}
	if n, err := db.ArtifactBytes(t.Context(), "n2"); err != nil || n != 0 {
		t.Errorf("got %d bytes of another notebook and %v, want none", n, err)
	}
}

func TestAR11OnlyWhatANotebookHasCanBeMentionedAndAllOrNothing(t *testing.T) {
	db := openBooks(t)
	a, b := artifact("a", 1), artifact("b", 2)
	add(t, db, "n1", a, 1)
	add(t, db, "n2", b, 1)
	for name, list := range map[string][]event.Artifact{
		"that another has": {a, b}, "of another size": {{Hash: a.Hash, Size: 2}}, "that nobody has": {artifact("c", 1), a},
	} {
		if err := db.MentionArtifacts(t.Context(), "n1", list); !errors.Is(err, directory.ErrNotFound) {
			t.Errorf("one %s: got %v", name, err)
		}
	}
	if diff := cmp.Diff([]directory.Artifact{{Notebook: "n1", Hash: a.Hash}, {Notebook: "n2", Hash: b.Hash}}, loose(t, db, 9)); diff != "" {
		t.Errorf("loose (-want +got):\n%s", diff)
	}
	for range 2 {
		if err := db.MentionArtifacts(t.Context(), "n1", []event.Artifact{a, a}); err != nil {
			t.Error(err)
		}
	}
	if diff := cmp.Diff([]directory.Artifact{{Notebook: "n2", Hash: b.Hash}}, loose(t, db, 9)); diff != "" {
		t.Errorf("loose (-want +got):\n%s", diff)
	}
}

func loose(t *testing.T, db *sqlite.DB, before event.Time) []directory.Artifact {
	t.Helper()
	list, err := db.LooseArtifacts(t.Context(), before)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestAR12OnlyWhatIsLooseAndOldCanBeDropped(t *testing.T) {
	db := openBooks(t)
	mentioned, fresh, again, old := artifact("a", 1), artifact("b", 1), artifact("c", 1), artifact("d", 1)
	add(t, db, "n1", mentioned, 1)
	add(t, db, "n1", fresh, 20)
	add(t, db, "n1", again, 1)
	add(t, db, "n1", again, 20)
	add(t, db, "n1", old, 1)
	add(t, db, "n2", old, 2)
	if err := db.MentionArtifacts(t.Context(), "n1", []event.Artifact{mentioned}); err != nil {
		t.Fatal(err)
	}
	add(t, db, "n1", mentioned, 1)
	want := []directory.Artifact{{Notebook: "n1", Hash: old.Hash}, {Notebook: "n2", Hash: old.Hash}}
	if diff := cmp.Diff(want, loose(t, db, 10)); diff != "" {
		t.Errorf("loose (-want +got):\n%s", diff)
	}
	for _, a := range []event.Artifact{mentioned, fresh, again, old, artifact("e", 1)} {
		if err := db.DropArtifact(t.Context(), directory.Artifact{Notebook: "n1", Hash: a.Hash}, 10); err != nil {
			t.Error(err)
		}
		wantArtifact(t, db, "n1", a, a != old && a != artifact("e", 1))
	}
	for a, want := range map[event.Artifact]bool{mentioned: true, old: true, artifact("e", 1): false} {
		if got, err := db.HoldsArtifact(t.Context(), a.Hash); err != nil || got != want {
			t.Errorf("holds %.4s: got %t and %v, want %t", a.Hash, got, err, want)
		}
	}
	if err := db.DropArtifact(t.Context(), directory.Artifact{Notebook: "n2", Hash: old.Hash}, 10); err != nil {
		t.Error(err)
	}
	if got, err := db.HoldsArtifact(t.Context(), old.Hash); err != nil || got {
		t.Errorf("got %t and %v, want that nobody holds it any more", got, err)
	}
}

func TestAR13ACopyHasWhatTheLogMentions(t *testing.T) {
	db := openBooks(t)
	a, b := artifact("a", 1), artifact("b", 2)
	add(t, db, "n1", a, 1)
	add(t, db, "n1", b, 1)
	if err := db.MentionArtifacts(t.Context(), "n1", []event.Artifact{a}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := db.CopyArtifacts(t.Context(), "n1", "n2", 5); err != nil {
			t.Fatal(err)
		}
	}
	wantArtifact(t, db, "n2", a, true)
	wantArtifact(t, db, "n2", b, false)
	if err := db.CopyArtifacts(t.Context(), "n1", "n3", 5); !errors.Is(err, directory.ErrNotFound) {
		t.Errorf("to a notebook that is none: got %v", err)
	}
}

func TestManyNotebooksAddAndMentionArtifactsAtOnce(t *testing.T) {
	db := openBooks(t)
	var all sync.WaitGroup
	for i := range 16 {
		a := event.Artifact{Hash: fmt.Sprintf("%064x", i/2), Size: 10}
		book := fmt.Sprintf("n%d", 1+i%2)
		all.Go(func() {
			if added, err := db.AddArtifact(t.Context(), book, a, 1, plenty); err != nil || !added {
				t.Errorf("add: %t and %v", added, err)
			}
			if err := db.MentionArtifacts(t.Context(), book, []event.Artifact{a}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := loose(t, db, 9); len(got) > 0 {
		t.Errorf("got %v loose, want none", got)
	}
	if n, err := db.ArtifactBytes(t.Context(), "n1"); err != nil || n != 80 {
		t.Errorf("got %d bytes and %v, want 80", n, err)
	}
}
