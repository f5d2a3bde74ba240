package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"time"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migration is one step of the schema. Its version is its index in the list.
type migration struct{ name, sql string }

// migrations returns the steps in order. A released step never changes.
func migrations() []migration {
	// Embedded files can always be read, and Glob sorts them.
	names, _ := fs.Glob(migrationFiles, "migrations/*.sql")
	list := make([]migration, len(names))
	for i, name := range names {
		text, _ := fs.ReadFile(migrationFiles, name)
		list[i] = migration{name: name, sql: string(text)}
	}
	return list
}

// migrate applies all missing steps to a database, or none of them.
func migrate(ctx context.Context, db *sql.DB, steps []migration) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("migrate database: %w", err)
	}
	if err := migrateIn(ctx, tx, steps); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("migrate database: %w", err)
	}
	return nil
}

func migrateIn(ctx context.Context, tx *sql.Tx, steps []migration) error {
	version, err := schemaVersion(ctx, tx)
	if err != nil {
		return fmt.Errorf("read version of database: %w", err)
	}
	if version > len(steps) {
		return &Error{Kind: Newer, Err: fmt.Errorf("database has version %d, known is %d", version, len(steps))}
	}
	for i, s := range steps[version:] {
		if _, err := tx.ExecContext(ctx, s.sql); err != nil {
			return fmt.Errorf("migrate database with %s: %w", s.name, err)
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO migrations (version, name, applied) VALUES (?, ?, ?)`,
			version+i+1, s.name, time.Now().UnixMilli())
		if err != nil {
			return fmt.Errorf("note migration %s: %w", s.name, err)
		}
	}
	return nil
}

func schemaVersion(ctx context.Context, tx *sql.Tx) (version int, err error) {
	_, err = tx.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS migrations (
		version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied INTEGER NOT NULL) STRICT`)
	if err == nil {
		err = tx.QueryRowContext(ctx, `SELECT coalesce(max(version), 0) FROM migrations`).Scan(&version)
	}
	return version, err
}
