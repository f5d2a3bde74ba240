package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/room"
)

// log is one log of the database.
type log struct {
	db *DB
	id string
}

// Log returns the log with the id, created by CreateNotebook or CreateLog. If there is none, its
// methods return room.ErrNotFound. A log is cheap and need not be closed. It also has a method
// Compact, like [DB.Compact].
func (db *DB) Log(id string) room.Log { return &log{db: db, id: id} }

// CreateLog creates an empty log without a notebook, such as that of an agent session. It returns
// directory.ErrExists if the id is taken.
func (db *DB) CreateLog(ctx context.Context, id string) error {
	err := db.change(ctx, func(ctx context.Context, c *sql.Conn) error {
		_, err := insertLog(ctx, c, id)
		return err
	})
	if err != nil {
		return fmt.Errorf("create log %s: %w", id, err)
	}
	return nil
}

// Append stores a batch.
func (l *log) Append(ctx context.Context, b room.Batch) error {
	number, err := l.db.number(ctx, l.id)
	if err != nil {
		return err
	}
	j, err := newAppend(number, b, l.db.config.MaxBatch)
	if err != nil {
		return fmt.Errorf("log %s: %w", l.id, err)
	}
	if err := l.db.do(ctx, j); err != nil {
		return fmt.Errorf("log %s: %w", l.id, err)
	}
	return nil
}

// Last returns the number of the last record.
func (l *log) Last(ctx context.Context) (event.Seq, error) {
	number, err := l.db.number(ctx, l.id)
	if err != nil {
		return 0, err
	}
	if last := l.db.writer.tx.tail.last(number); last > 0 {
		return last, nil
	}
	var last event.Seq
	err = l.db.reads.last.QueryRowContext(ctx, place(number, 0), place(number, maxSeq)).Scan(&last)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, l.failed("read last number", err)
	}
	return last, nil
}

// Size returns the bytes of the log on disk, with its snapshot.
func (l *log) Size(ctx context.Context) (size int64, err error) {
	number, err := l.db.number(ctx, l.id)
	if err != nil {
		return 0, err
	}
	newest := l.db.writer.tx.tail.after(number, 0) // first: batches that move to segments meanwhile count twice
	const query = `SELECT coalesce(sum(length(data)), 0) + coalesce((SELECT length(data) FROM snapshots WHERE log = ?), 0)
		FROM segments WHERE place BETWEEN ? AND ?`
	if err := l.db.read.QueryRowContext(ctx, query, number, place(number, 0), place(number, maxSeq)).Scan(&size); err != nil {
		return 0, l.failed("weigh", err)
	}
	for _, s := range newest {
		size += int64(len(s.data))
	}
	return size, nil
}

// Compact packs all records of the log.
func (l *log) Compact(ctx context.Context) error { return l.db.Compact(ctx, l.id) }

func (l *log) failed(what string, err error) error {
	return fmt.Errorf("%s of log %s: %w", what, l.id, l.db.explain(err))
}

// number returns the number of the log with the id. It is cached: numbers never change, and logs
// are never removed.
func (db *DB) number(ctx context.Context, id string) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if n, ok := db.logs.Load(id); ok {
		return n.(int64), nil
	}
	var number int64
	err := db.reads.number.QueryRowContext(ctx, id).Scan(&number)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("log %s: %w", id, room.ErrNotFound)
	}
	if err != nil {
		return 0, fmt.Errorf("find log %s: %w", id, db.explain(err))
	}
	db.logs.Store(id, number)
	return number, nil
}
