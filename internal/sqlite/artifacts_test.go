package sqlite_test

import (
	"strings"
	"testing"

	"github.com/quirehq/quire/core/directory/directorytest"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/internal/sqlite"
)

func TestTheDatabaseKeepsTheRulesOfArtifacts(t *testing.T) {
	directorytest.ArtifactSuite(t, func(t *testing.T) directorytest.Artifacts { return open(t, sqlite.Config{}) })
}

// artifact returns an artifact whose hash consists of a letter.
func artifact(letter string, size int64) event.Artifact {
	return event.Artifact{Hash: strings.Repeat(letter, 64), Size: size}
}

func add(t *testing.T, db *sqlite.DB, notebook string, a event.Artifact, at event.Time) {
	t.Helper()
	if added, err := db.AddArtifact(t.Context(), notebook, a, at, 1<<40); err != nil || !added {
		t.Fatalf("add to %s: got %t and %v", notebook, added, err)
	}
}
