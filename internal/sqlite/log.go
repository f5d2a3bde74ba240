package sqlite

import (
	"bytes"
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

// appendJob stores one batch.
type appendJob struct {
	number int64 // of the log
	after  event.Seq
	count  int
	data   []byte // the records in lines
	time   event.Time
	title  *string
	cells  *int
}

// newAppend makes the job of a batch, with a copy of its records. The callers copy, since they run
// in parallel and the writer is one goroutine.
func newAppend(number int64, b room.Batch, limit int) (*appendJob, error) {
	size := 0
	for i, r := range b.Records {
		if want := b.After + event.Seq(i) + 1; r.Seq != want || want > maxSeq {
			return nil, fmt.Errorf("append after %d: record %d has number %d, want %d", b.After, i, r.Seq, want)
		}
		if len(r.Data) == 0 || bytes.IndexByte(r.Data, '\n') >= 0 {
			return nil, fmt.Errorf("append record %d: it is not one line", r.Seq)
		}
		size += len(r.Data) + 1
	}
	if size > limit {
		return nil, fmt.Errorf("append after %d: the batch has %d bytes, at most %d fit", b.After, size, limit)
	}
	return &appendJob{
		number: number, after: b.After, count: len(b.Records),
		data: joinLines(make([]byte, 0, size), b.Records), time: b.Time, title: clone(b.Title), cells: clone(b.Cells),
	}, nil
}

// joinLines appends the records to dst as lines.
func joinLines(dst []byte, records []event.Record) []byte {
	for _, r := range records {
		dst = append(append(dst, r.Data...), '\n')
	}
	return dst
}

func clone[T any](v *T) *T {
	if v == nil {
		return nil
	}
	return new(*v)
}

func (a *appendJob) events() int { return a.count }

func (a *appendJob) do(t *tx) error {
	log, err := t.log(a.number)
	if err != nil {
		return err
	}
	if log.last != a.after {
		return refusal{fmt.Errorf("append after %d, the last is %d: %w", a.after, log.last, room.ErrConflict)}
	}
	if err := a.touch(t, log); err != nil {
		return err
	}
	if a.count > 0 {
		log.last += event.Seq(a.count)
		s := segment{first: a.after + 1, last: log.last, form: formLines, data: a.data}
		t.pending = append(t.pending, entry{number: a.number, segment: s})
	}
	return nil
}

// touch updates the time of the notebook's entry. A write with each batch would double its cost, so
// the entry may lag by a second.
func (a *appendJob) touch(t *tx, log *logState) error {
	const lag = 1000
	if a.time >= log.updated+lag {
		if err := t.exec(setUpdated, int64(a.time), a.number); err != nil {
			return fmt.Errorf("set time of notebook: %w", err)
		}
		log.updated = a.time
	}
	if a.title != nil {
		if err := t.exec(setTitle, *a.title, a.number); err != nil {
			return fmt.Errorf("set title of notebook: %w", err)
		}
	}
	if a.cells != nil {
		if err := t.exec(setCells, *a.cells, a.number); err != nil {
			return fmt.Errorf("set number of cells of notebook: %w", err)
		}
	}
	return nil
}
