package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/quirehq/quire/core/event"
)

// AddArtifact records that a notebook has an artifact, uploaded at a time. It reports false, and
// records nothing, if the notebook's artifacts would exceed limit bytes. It returns
// directory.ErrNotFound if there is no such notebook.
func (db *DB) AddArtifact(ctx context.Context, notebook string, a event.Artifact, at event.Time, limit int64) (added bool, err error) {
	err = db.change(ctx, func(ctx context.Context, c *sql.Conn) error {
		var others int64
		err := c.QueryRowContext(ctx, `SELECT coalesce(sum(size), 0) FROM artifacts WHERE notebook = ? AND hash <> ?`, notebook, a.Hash).Scan(&others)
		added = err == nil && a.Size <= limit-others
		if !added {
			return err
		}
		_, err = c.ExecContext(ctx, `INSERT INTO artifacts (notebook, hash, size, uploaded, mentioned) VALUES (?, ?, ?, ?, 0)
			ON CONFLICT (notebook, hash) DO UPDATE SET uploaded = max(uploaded, excluded.uploaded)`,
			notebook, a.Hash, a.Size, int64(at))
		return err
	})
	if err != nil {
		return false, fmt.Errorf("add artifact to notebook %s: %w", notebook, err)
	}
	return added, nil
}

// Artifact returns an artifact of a notebook, or directory.ErrNotFound if that notebook has none
// with the hash, even if others have.
func (db *DB) Artifact(ctx context.Context, notebook, hash string) (event.Artifact, error) {
	a := event.Artifact{Hash: hash}
	err := db.read.QueryRowContext(ctx, `SELECT size FROM artifacts WHERE notebook = ? AND hash = ?`, notebook, hash).Scan(&a.Size)
	if err != nil {
		return event.Artifact{}, fmt.Errorf("artifact of notebook %s: %w", notebook, db.found(err))
	}
	return a, nil
}

// ArtifactBytes returns the total size of a notebook's artifacts.
func (db *DB) ArtifactBytes(ctx context.Context, notebook string) (n int64, err error) {
	err = db.read.QueryRowContext(ctx, `SELECT coalesce(sum(size), 0) FROM artifacts WHERE notebook = ?`, notebook).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("artifacts of notebook %s: %w", notebook, db.explain(err))
	}
	return n, nil
}

// MentionArtifacts records permanently that the log of a notebook may mention artifacts. It returns
// directory.ErrNotFound, and records nothing, if the notebook lacks one of that hash and size.
func (db *DB) MentionArtifacts(ctx context.Context, notebook string, artifacts []event.Artifact) error {
	known, err := db.mentioned(ctx, notebook, artifacts)
	if err == nil && !known {
		err = db.change(ctx, func(ctx context.Context, c *sql.Conn) error {
			for _, a := range artifacts {
				err := changeOne(ctx, c, `UPDATE artifacts SET mentioned = 1 WHERE notebook = ? AND hash = ? AND size = ?`, notebook, a.Hash, a.Size)
				if err != nil {
					return fmt.Errorf("artifact %s of %d bytes: %w", a.Hash, a.Size, err)
				}
			}
			return nil
		})
	}
	if err != nil {
		return fmt.Errorf("mention artifacts in notebook %s: %w", notebook, err)
	}
	return nil
}

// mentioned reports whether all of them are recorded already, which needs no commit.
func (db *DB) mentioned(ctx context.Context, notebook string, artifacts []event.Artifact) (bool, error) {
	for _, a := range artifacts {
		var known bool
		err := db.read.QueryRowContext(ctx, `SELECT mentioned FROM artifacts WHERE notebook = ? AND hash = ? AND size = ?`, notebook, a.Hash, a.Size).Scan(&known)
		if errors.Is(err, sql.ErrNoRows) || err == nil && !known {
			return false, nil
		}
		if err != nil {
			return false, db.explain(err)
		}
	}
	return true, nil
}

// CopyArtifacts adds all artifacts that the log of one notebook mentions to another. It returns
// directory.ErrNotFound if there is no such target.
func (db *DB) CopyArtifacts(ctx context.Context, from, to string, at event.Time) error {
	err := db.change(ctx, func(ctx context.Context, c *sql.Conn) error {
		_, err := c.ExecContext(ctx, `INSERT INTO artifacts (notebook, hash, size, uploaded, mentioned)
			SELECT ?, hash, size, ?, 0 FROM artifacts WHERE notebook = ? AND mentioned = 1
			ON CONFLICT (notebook, hash) DO NOTHING`, to, int64(at), from)
		return err
	})
	if err != nil {
		return fmt.Errorf("copy artifacts of notebook %s to %s: %w", from, to, err)
	}
	return nil
}
