package directorytest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
)

// Artifacts is a directory that also knows which notebook has which artifacts. The rules AR10
// to AR15 are in spec/artifacts.md.
type Artifacts interface {
	Directory
	// AddArtifact gives a notebook an artifact. It reports false, and adds nothing, if the
	// notebook would have more bytes than the limit.
	AddArtifact(ctx context.Context, notebook string, a event.Artifact, at event.Time, limit int64) (bool, error)
	// Artifact returns an artifact of a notebook, or ErrNotFound.
	Artifact(ctx context.Context, notebook, hash string) (event.Artifact, error)
	// ArtifactBytes returns the bytes of all artifacts of a notebook.
	ArtifactBytes(ctx context.Context, notebook string) (int64, error)
	// MentionArtifacts records that the log may mention artifacts: all of them, or none and
	// ErrNotFound.
	MentionArtifacts(ctx context.Context, notebook string, artifacts []event.Artifact) error
	// CopyArtifacts gives a notebook the artifacts that the log of another mentions.
	CopyArtifacts(ctx context.Context, from, to string, at event.Time) error
	// LooseArtifacts returns artifacts that no log mentions and that were added before a time.
	LooseArtifacts(ctx context.Context, before event.Time) ([]directory.Artifact, error)
	// DropArtifact removes one from its notebook, if it is still loose and still as old.
	DropArtifact(ctx context.Context, a directory.Artifact, before event.Time) error
	// HoldsArtifact reports whether any notebook has the bytes.
	HoldsArtifact(ctx context.Context, hash string) (bool, error)
}

var artifactRules = []struct {
	name string
	test func(t *testing.T, d Artifacts)
}{
	{"AR10 an artifact is in the notebooks that it was added to only", added},
	{"AR11 only artifacts of the notebook can be mentioned, all or none", mentioned},
	{"AR12 only loose and old artifacts can be dropped", dropped},
	{"AR13 a copy has the artifacts that the log mentions", copied},
	{"AR15 a notebook has no more bytes than its limit", limited},
	{"many notebooks add and mention artifacts at once", crowded},
}

// ArtifactSuite checks the artifacts of a directory. Every call of open must return a new one
// without notebooks.
func ArtifactSuite(t *testing.T, open func(t *testing.T) Artifacts) {
	for _, r := range artifactRules {
		t.Run(r.name, func(t *testing.T) {
			d := open(t)
			for _, id := range []string{"n1", "n2"} {
				create(t, d, directory.Notebook{ID: id, Owner: "ada"})
			}
			r.test(t, d)
		})
	}
}

func added(t *testing.T, d Artifacts) {
	a := artifact("a", 7)
	add(t, d, "n1", a, 1)
	add(t, d, "n1", a, 2)
	wantArtifact(t, d, "n1", a, true)
	wantArtifact(t, d, "n2", a, false)
	wantArtifact(t, d, "n1", artifact("b", 7), false)
	if _, err := d.AddArtifact(t.Context(), "n3", a, 1, plenty); !errors.Is(err, directory.ErrNotFound) {
		t.Errorf("an unknown notebook: got %v", err)
	}
}

func limited(t *testing.T, d Artifacts) {
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
		got, err := d.AddArtifact(t.Context(), "n1", c.a, 1, 100)
		if err != nil || got != c.want {
			t.Errorf("%d: got %t and %v, want %t", i, got, err, c.want)
		}
		if !c.want {
			continue
		}
		wantArtifact(t, d, "n1", c.a, true)
	}
	wantArtifact(t, d, "n1", artifact("c", 1), false)
	if n, err := d.ArtifactBytes(t.Context(), "n1"); err != nil || n != 100 {
		t.Errorf("got %d bytes and %v, want 100", n, err)
	}
	if n, err := d.ArtifactBytes(t.Context(), "n2"); err != nil || n != 0 {
		t.Errorf("got %d bytes of another notebook and %v, want none", n, err)
	}
}

func mentioned(t *testing.T, d Artifacts) {
	a, b := artifact("a", 1), artifact("b", 2)
	add(t, d, "n1", a, 1)
	add(t, d, "n2", b, 1)
	for name, list := range map[string][]event.Artifact{
		"that another has": {a, b}, "of another size": {{Hash: a.Hash, Size: 2}}, "that no notebook has": {artifact("c", 1), a},
	} {
		if err := d.MentionArtifacts(t.Context(), "n1", list); !errors.Is(err, directory.ErrNotFound) {
			t.Errorf("one %s: got %v", name, err)
		}
	}
	if diff := cmp.Diff([]directory.Artifact{{Notebook: "n1", Hash: a.Hash}, {Notebook: "n2", Hash: b.Hash}}, loose(t, d, 9)); diff != "" {
		t.Errorf("loose (-want +got):\n%s", diff)
	}
	for range 2 {
		if err := d.MentionArtifacts(t.Context(), "n1", []event.Artifact{a, a}); err != nil {
			t.Error(err)
		}
	}
	if diff := cmp.Diff([]directory.Artifact{{Notebook: "n2", Hash: b.Hash}}, loose(t, d, 9)); diff != "" {
		t.Errorf("loose (-want +got):\n%s", diff)
	}
}

func loose(t *testing.T, d Artifacts, before event.Time) []directory.Artifact {
	t.Helper()
	list, err := d.LooseArtifacts(t.Context(), before)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func dropped(t *testing.T, d Artifacts) {
	mentioned, fresh, again, old := artifact("a", 1), artifact("b", 1), artifact("c", 1), artifact("d", 1)
	add(t, d, "n1", mentioned, 1)
	add(t, d, "n1", fresh, 20)
	add(t, d, "n1", again, 1)
	add(t, d, "n1", again, 20)
	add(t, d, "n1", old, 1)
	add(t, d, "n2", old, 2)
	if err := d.MentionArtifacts(t.Context(), "n1", []event.Artifact{mentioned}); err != nil {
		t.Fatal(err)
	}
	add(t, d, "n1", mentioned, 1)
	want := []directory.Artifact{{Notebook: "n1", Hash: old.Hash}, {Notebook: "n2", Hash: old.Hash}}
	if diff := cmp.Diff(want, loose(t, d, 10)); diff != "" {
		t.Errorf("loose (-want +got):\n%s", diff)
	}
	for _, a := range []event.Artifact{mentioned, fresh, again, old, artifact("e", 1)} {
		if err := d.DropArtifact(t.Context(), directory.Artifact{Notebook: "n1", Hash: a.Hash}, 10); err != nil {
			t.Error(err)
		}
		wantArtifact(t, d, "n1", a, a != old && a != artifact("e", 1))
	}
	for a, want := range map[event.Artifact]bool{mentioned: true, old: true, artifact("e", 1): false} {
		if got, err := d.HoldsArtifact(t.Context(), a.Hash); err != nil || got != want {
			t.Errorf("holds %.4s: got %t and %v, want %t", a.Hash, got, err, want)
		}
	}
	if err := d.DropArtifact(t.Context(), directory.Artifact{Notebook: "n2", Hash: old.Hash}, 10); err != nil {
		t.Error(err)
	}
	if got, err := d.HoldsArtifact(t.Context(), old.Hash); err != nil || got {
		t.Errorf("got %t and %v, want that no notebook holds it", got, err)
	}
}

func copied(t *testing.T, d Artifacts) {
	a, b := artifact("a", 1), artifact("b", 2)
	add(t, d, "n1", a, 1)
	add(t, d, "n1", b, 1)
	if err := d.MentionArtifacts(t.Context(), "n1", []event.Artifact{a}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := d.CopyArtifacts(t.Context(), "n1", "n2", 5); err != nil {
			t.Fatal(err)
		}
	}
	wantArtifact(t, d, "n2", a, true)
	wantArtifact(t, d, "n2", b, false)
	if err := d.CopyArtifacts(t.Context(), "n1", "n3", 5); !errors.Is(err, directory.ErrNotFound) {
		t.Errorf("to an unknown notebook: got %v", err)
	}
}

func crowded(t *testing.T, d Artifacts) {
	var all sync.WaitGroup
	for i := range 16 {
		a := event.Artifact{Hash: fmt.Sprintf("%064x", i/2), Size: 10}
		book := fmt.Sprintf("n%d", 1+i%2)
		all.Go(func() {
			if added, err := d.AddArtifact(t.Context(), book, a, 1, plenty); err != nil || !added {
				t.Errorf("add: %t and %v", added, err)
			}
			if err := d.MentionArtifacts(t.Context(), book, []event.Artifact{a}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := loose(t, d, 9); len(got) > 0 {
		t.Errorf("got %v loose, want none", got)
	}
	if n, err := d.ArtifactBytes(t.Context(), "n1"); err != nil || n != 80 {
		t.Errorf("got %d bytes and %v, want 80", n, err)
	}
}

const plenty = 1 << 40

// artifact returns an artifact whose hash consists of a letter.
func artifact(letter string, size int64) event.Artifact {
	return event.Artifact{Hash: strings.Repeat(letter, 64), Size: size}
}

func add(t *testing.T, d Artifacts, notebook string, a event.Artifact, at event.Time) {
	t.Helper()
	if added, err := d.AddArtifact(t.Context(), notebook, a, at, plenty); err != nil || !added {
		t.Fatalf("add to %s: got %t and %v", notebook, added, err)
	}
}

func wantArtifact(t *testing.T, d Artifacts, notebook string, a event.Artifact, want bool) {
	t.Helper()
	got, err := d.Artifact(t.Context(), notebook, a.Hash)
	if want && (err != nil || got != a) || !want && !errors.Is(err, directory.ErrNotFound) {
		t.Errorf("artifact %.4s of %s: got %v and %v, want it there: %t", a.Hash, notebook, got, err, want)
	}
}
