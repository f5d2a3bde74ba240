package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/quirehq/quire/core/event"
)

// A packed segment is full at either bound. Larger ones compress hardly better, and reading one
// record decompresses its whole segment.
const (
	fullEvents = 4096
	fullBytes  = 1 << 20
)

// hotEvents is the number of latest records that background packing leaves uncompressed, so a
// client that resumes after a moment reads them cheaply.
const hotEvents = 512

// A log is ripe for background packing once so much was appended to it.
const (
	ripeEvents = fullEvents
	ripeBytes  = fullBytes
)

// run is consecutive segments that are packed into one.
type run struct {
	number      int64
	first, last event.Seq
	rows        int
	raw         int // bytes of the present rows
	lines       []byte
}

func (r *run) count() int { return int(r.last - r.first + 1) }

func (r *run) full() bool { return r.count() >= fullEvents || len(r.lines) >= fullBytes }

// Compact packs all records of a log, including the latest. Readers see no change, and a crash
// leaves the log packed or unpacked. It is for a log that is no longer appended to; others are
// packed in the background as they grow.
func (db *DB) Compact(ctx context.Context, id string) error {
	number, err := db.number(ctx, id)
	if err != nil {
		return err
	}
	if err := db.do(ctx, drainJob{}); err != nil {
		return fmt.Errorf("compact log %s: %w", id, err)
	}
	if err := db.packer.pack(ctx, number, 0); err != nil {
		return fmt.Errorf("compact log %s: %w", id, db.explain(err))
	}
	return nil
}

// replaceJob replaces consecutive segments by the one packed from them.
type replaceJob struct {
	run  *run
	form form
	data []byte
}

func (replaceJob) events() int { return 0 }

// errMoved says that the rows changed since they were read.
var errMoved = errors.New("the records were packed by another")

func (j replaceJob) do(t *tx) error {
	r := j.run
	return t.within(func(ctx context.Context, c *sql.Conn) error {
		res, err := c.ExecContext(ctx, `DELETE FROM segments WHERE place BETWEEN ? AND ? AND last <= ?`,
			place(r.number, r.first), place(r.number, r.last), int64(r.last))
		if err != nil {
			return fmt.Errorf("replace segments: %w", err)
		}
		if n, err := res.RowsAffected(); err != nil || n != int64(r.rows) {
			return refusal{errors.Join(errMoved, err)}
		}
		_, err = c.ExecContext(ctx, statements[insertSegment], place(r.number, r.first), int64(r.last), int64(j.form), j.data)
		if err != nil {
			return fmt.Errorf("replace segments: %w", err)
		}
		return nil
	})
}

// vacuumJob returns free pages to the file system, a few at a time to keep appends fast.
type vacuumJob struct{ pages int }

func (vacuumJob) events() int { return 0 }

func (j vacuumJob) do(t *tx) error {
	err := t.begin()
	if err == nil {
		_, err = t.conn.ExecContext(context.Background(), fmt.Sprintf(`PRAGMA incremental_vacuum(%d)`, j.pages))
	}
	if err != nil {
		return fmt.Errorf("free pages: %w", err)
	}
	return nil
}
