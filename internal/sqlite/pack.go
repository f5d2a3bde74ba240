package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/quirehq/quire/core/event"
)

// A packed segment is full at either of these. Larger ones pack hardly better, and
// to read one record unpacks its whole segment.
const (
	fullEvents = 4096
	fullBytes  = 1 << 20
)

// hotEvents is how many of the newest records the background leaves in lines, so
// that to read them for a client that was away a moment costs nothing.
const hotEvents = 512

// A log is ripe for packing in the background once so much was appended to it.
const (
	ripeEvents = fullEvents
	ripeBytes  = fullBytes
)

// run is consecutive segments that will be one.
type run struct {
	number      int64
	first, last event.Seq
	rows        int
	raw         int // bytes of the rows as they are
	lines       []byte
}

func (r *run) count() int { return int(r.last - r.first + 1) }

func (r *run) full() bool { return r.count() >= fullEvents || len(r.lines) >= fullBytes }

// Compact packs all records of a log, the newest too. Nothing changes for those who
// read, and a crash leaves it as it was or as it will be. It is for a log that will
// rest; the others are packed in the background as they grow.
func (db *DB) Compact(ctx context.Context, id string) error {
	number, err := db.number(ctx, id)
	if err != nil {
		return err
	}
	if err := db.do(ctx, settleJob{}); err != nil {
		return fmt.Errorf("compact log %s: %w", id, err)
	}
	if err := db.packer.pack(ctx, number, 0); err != nil {
		return fmt.Errorf("compact log %s: %w", id, db.explain(err))
	}
	return nil
}

// replaceJob puts one segment in the place of the consecutive ones it was made of.
type replaceJob struct {
	run  *run
	form form
	data []byte
}

func (replaceJob) events() int { return 0 }

// errMoved says that the rows are not those that were read.
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

// vacuumJob gives pages that packing has freed back to the file system, some at a
// time so that appends need not wait long.
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
