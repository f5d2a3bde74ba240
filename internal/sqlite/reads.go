package sqlite

import (
	"context"
	"database/sql"
	"fmt"
)

// reads are the prepared statements of readers.
type reads struct {
	number, last, page, snapshot *sql.Stmt
}

func prepareReads(ctx context.Context, db *sql.DB) (r reads, err error) {
	for _, p := range []struct {
		stmt **sql.Stmt
		text string
	}{
		{&r.number, `SELECT number FROM logs WHERE id = ?`},
		{&r.last, statements[lastOf]},
		// From the segment with the number, or the first one after it.
		{&r.page, `SELECT place, last, form, data FROM segments
			WHERE place >= coalesce((SELECT max(place) FROM segments WHERE place BETWEEN ?1 AND ?2), ?2) AND place <= ?3
			ORDER BY place`},
		{&r.snapshot, `SELECT seq, fold, data FROM snapshots WHERE log = ?`},
	} {
		if *p.stmt, err = db.PrepareContext(ctx, p.text); err != nil {
			return r, fmt.Errorf("prepare %q: %w", p.text, err)
		}
	}
	return r, nil
}
