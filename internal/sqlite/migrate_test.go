package sqlite

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
)

func TestAnEmptyDirectoryGetsAllMigrations(t *testing.T) {
	db := openTest(t, Config{})
	if diff := cmp.Diff([]string{"migrations/001_logs.sql", "migrations/002_directory.sql", "migrations/003_artifacts.sql", "migrations/004_cells.sql"}, applied(t, db)); diff != "" {
		t.Errorf("applied (-want +got):\n%s", diff)
	}
}

func TestADatabaseOfTheFirstVersionIsBroughtUpToDateWithItsLogs(t *testing.T) {
	dir := t.TempDir()
	old, err := prepare(dir)
	if err != nil {
		t.Fatal(err)
	}
	file, err := openFile(t.Context(), old, writing)
	if err != nil {
		t.Fatal(err)
	}
	err = migrate(t.Context(), file, migrations()[:1])
	if err == nil {
		_, err = file.Exec(`INSERT INTO logs (id) VALUES ('log'); INSERT INTO segments VALUES ((1 << 40) + 1, 2, 0, CAST('{}' || char(10) || '[]' || char(10) AS BLOB))`)
	}
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}

	db := openTest(t, Config{Dir: dir})

	if got := len(applied(t, db)); got != len(migrations()) {
		t.Errorf("got %d migrations applied, want %d", got, len(migrations()))
	}
	var got []string
	err = db.Log("log").Read(t.Context(), 0, func(r event.Record) error {
		got = append(got, string(r.Data))
		return nil
	})
	if diff := cmp.Diff([]string{"{}", "[]"}, got); err != nil || diff != "" {
		t.Errorf("read: %v (-want +got):\n%s", err, diff)
	}
	if err := db.UpsertPerson(t.Context(), directory.Person{ID: "ada"}); err != nil {
		t.Errorf("a table of the second version: %v", err)
	}
}

func TestAMigrationThatFailsLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	if _, err := prepare(dir); err != nil {
		t.Fatal(err)
	}
	file, err := openFile(t.Context(), dir, writing)
	if err != nil {
		t.Fatal(err)
	}
	bad := append(migrations(), migration{name: "bad", sql: `CREATE TABLE fine (x); CREATE TABLE`})
	if err := migrate(t.Context(), file, bad); err == nil {
		t.Error("got no error, want one")
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	openTest(t, Config{Dir: dir})
}

func applied(t *testing.T, db *DB) []string {
	t.Helper()
	rows, err := db.read.QueryContext(context.Background(), `SELECT name FROM migrations ORDER BY version`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}
