package sqlite

import (
	"context"
	"database/sql"
	"errors"

	lib "modernc.org/sqlite/lib"

	"github.com/quirehq/quire/core/directory"
)

// changeJob is a write to the directory.
type changeJob func(ctx context.Context, c *sql.Conn) error

func (changeJob) events() int { return 0 }

func (f changeJob) do(t *tx) error {
	err := t.within(f)
	switch {
	case isConstraint(err, lib.SQLITE_CONSTRAINT_FOREIGNKEY):
		return refusal{directory.ErrNotFound}
	case isConstraint(err, lib.SQLITE_CONSTRAINT_UNIQUE), isConstraint(err, lib.SQLITE_CONSTRAINT_PRIMARYKEY):
		return refusal{directory.ErrExists}
	case errors.Is(err, directory.ErrNotFound), errors.Is(err, directory.ErrOwner):
		return refusal{err}
	}
	return err
}

func (db *DB) change(ctx context.Context, f changeJob) error { return db.do(ctx, f) }

// insertLog creates a log and returns its number.
func insertLog(ctx context.Context, c *sql.Conn, id string) (int64, error) {
	res, err := c.ExecContext(ctx, `INSERT INTO logs (id) VALUES (?)`, id)
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}

// changeOne executes a statement that must change one row, and returns directory.ErrNotFound if it
// does not.
func changeOne(ctx context.Context, c *sql.Conn, query string, args ...any) error {
	res, err := c.ExecContext(ctx, query, args...)
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err == nil && n == 0 {
		return directory.ErrNotFound
	}
	return err
}

// found translates sql.ErrNoRows to directory.ErrNotFound.
func (db *DB) found(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return directory.ErrNotFound
	}
	return db.explain(err)
}
