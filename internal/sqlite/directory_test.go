package sqlite_test

import (
	"errors"
	"testing"

	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/directory/directorytest"
	"github.com/quirehq/quire/internal/sqlite"
)

func TestTheDatabaseKeepsTheRulesOfDirectories(t *testing.T) {
	directorytest.Suite(t, func(t *testing.T) directorytest.Directory { return open(t, sqlite.Config{}) })
}

func TestALogWithTheIDOfANotebookIsNotCreated(t *testing.T) {
	db := open(t, sqlite.Config{})
	createNotebook(t, db, directory.Notebook{ID: "n1", Owner: "ada"})
	if err := db.CreateLog(t.Context(), "n1"); !errors.Is(err, directory.ErrExists) {
		t.Errorf("got %v, want ErrExists", err)
	}
}
