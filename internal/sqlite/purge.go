package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// purgeJob removes a notebook with its log. The number and the id stay reserved, so a stale
// reference never finds another notebook.
type purgeJob struct {
	number int64
	id     string
	hashes *[]string // of its artifacts
}

func (purgeJob) events() int { return 0 }

func (j purgeJob) do(t *tx) error {
	delete(t.logs, j.number)
	return t.within(func(ctx context.Context, c *sql.Conn) error {
		hashes, err := hashesOf(ctx, c, j.id)
		if err != nil {
			return err
		}
		*j.hashes = hashes
		for _, statement := range []string{
			`DELETE FROM artifacts WHERE notebook = ?2`, `DELETE FROM access WHERE notebook = ?2`,
			`DELETE FROM notebooks WHERE log = ?1`, `DELETE FROM snapshots WHERE log = ?1`,
			`DELETE FROM segments WHERE place BETWEEN ?3 AND ?4`,
		} {
			if _, err := c.ExecContext(ctx, statement, j.number, j.id, place(j.number, 0), place(j.number, maxSeq)); err != nil {
				return err
			}
		}
		return nil
	})
}

func hashesOf(ctx context.Context, c *sql.Conn, notebook string) (hashes []string, err error) {
	rows, err := c.QueryContext(ctx, `SELECT hash FROM artifacts WHERE notebook = ?`, notebook)
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		var hash string
		if err := rows.Scan(&hash); err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		hashes = append(hashes, hash)
	}
	return hashes, errors.Join(rows.Err(), rows.Close())
}

// scrubJob rewrites the database without removed data, and empties the write-ahead log. It runs
// alone, between transactions.
type scrubJob struct{}

func (scrubJob) events() int    { return 0 }
func (scrubJob) do(t *tx) error { return errors.New("it is no part of a transaction") }
func isScrub(r *request) bool   { _, ok := r.job.(scrubJob); return ok }

// scrub executes a scrubJob.
func (t *tx) scrub() error {
	ctx := context.Background()
	if _, err := t.conn.ExecContext(ctx, `VACUUM`); err != nil {
		return fmt.Errorf("rewrite the database: %w", err)
	}
	var busy, pages, moved int
	if err := t.conn.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &pages, &moved); err != nil {
		return fmt.Errorf("empty the write-ahead log: %w", err)
	}
	if busy != 0 {
		return errors.New("empty the write-ahead log: it is being read")
	}
	return nil
}

// PurgeNotebook removes a notebook, deleted or not, permanently: when it returns nil the database
// files contain nothing of its log. It returns the hashes of its artifacts. Callers must not append to the
// log any more. It may be called again after an error, even if the notebook is removed by
// then: the files are rewritten in any case.
func (db *DB) PurgeNotebook(ctx context.Context, id string) (hashes []string, err error) {
	number, err := db.number(ctx, id)
	if err != nil {
		return nil, err
	}
	db.packer.mu.Lock() // a pack in progress has read the data before
	defer db.packer.mu.Unlock()
	if err = db.do(ctx, drainJob{}); err == nil {
		err = db.do(ctx, purgeJob{number: number, id: id, hashes: &hashes})
	}
	if err == nil {
		err = db.do(ctx, scrubJob{})
	}
	if err != nil {
		return hashes, fmt.Errorf("purge notebook %s: %w", id, err)
	}
	return hashes, nil
}
