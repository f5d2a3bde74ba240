package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
)

// maxLoose bounds the result of LooseArtifacts.
const maxLoose = 1_000

// LooseArtifacts returns artifacts that were uploaded before a time and that no log has mentioned,
// the oldest first. There may be more than it returns at once.
func (db *DB) LooseArtifacts(ctx context.Context, before event.Time) ([]directory.Artifact, error) {
	rows, err := db.read.QueryContext(ctx, `SELECT notebook, hash FROM artifacts WHERE mentioned = 0 AND uploaded < ?
		ORDER BY uploaded LIMIT ?`, int64(before), maxLoose)
	if err != nil {
		return nil, fmt.Errorf("list loose artifacts: %w", db.explain(err))
	}
	defer rows.Close()
	var list []directory.Artifact
	for rows.Next() {
		var a directory.Artifact
		if err := rows.Scan(&a.Notebook, &a.Hash); err != nil {
			return nil, fmt.Errorf("list loose artifacts: %w", db.explain(err))
		}
		list = append(list, a)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("list loose artifacts: %w", db.explain(err))
	}
	return list, nil
}

// DropArtifact removes an artifact from a notebook, if it is still loose and was not uploaded again
// since before.
func (db *DB) DropArtifact(ctx context.Context, a directory.Artifact, before event.Time) error {
	err := db.change(ctx, func(ctx context.Context, c *sql.Conn) error {
		_, err := c.ExecContext(ctx, `DELETE FROM artifacts WHERE notebook = ? AND hash = ? AND mentioned = 0 AND uploaded < ?`,
			a.Notebook, a.Hash, int64(before))
		return err
	})
	if err != nil {
		return fmt.Errorf("drop artifact of notebook %s: %w", a.Notebook, err)
	}
	return nil
}

// HoldsArtifact reports whether any notebook, deleted or not, has the bytes of a hash.
func (db *DB) HoldsArtifact(ctx context.Context, hash string) (held bool, err error) {
	err = db.read.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM artifacts WHERE hash = ?)`, hash).Scan(&held)
	if err != nil {
		return false, fmt.Errorf("look for artifact: %w", db.explain(err))
	}
	return held, nil
}
