package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/quirehq/quire/core/event"
)

// tx is the writer's connection, with a cache of logs it has written to. Its context never ends: an
// interrupted transaction would fail the jobs of other callers.
type tx struct {
	conn  *sql.Conn
	stmts [stmtCount]*sql.Stmt
	logs  map[int64]*logState // by the number of the log
	tail  *tail
	ripe  []int64 // logs that became ripe in this transaction

	open    bool    // whether the transaction was begun in SQLite
	pending []entry // batches of this transaction
	drains  bool    // whether this transaction drains the journal
	row     []byte  // the journal's row, reused for its memory
}

// logState is the state of a log that an append needs.
type logState struct {
	last    event.Seq
	updated event.Time // as stored in the table
	loose   int        // events moved to segments since it was last ripe
	bytes   int        // and their bytes
}

// stmt identifies a prepared statement of the writer.
type stmt int

const (
	begin stmt = iota
	commit
	rollback
	lastOf
	updatedOf
	insertJournal
	clearJournal
	insertSegment
	setUpdated
	setTitle
	setCells
	saveSnapshot
	stmtCount
)

var statements = [stmtCount]string{
	begin:         `BEGIN IMMEDIATE`,
	commit:        `COMMIT`,
	rollback:      `ROLLBACK`,
	lastOf:        `SELECT last FROM segments WHERE place BETWEEN ? AND ? ORDER BY place DESC LIMIT 1`,
	updatedOf:     `SELECT updated FROM notebooks WHERE log = ?`,
	insertJournal: `INSERT INTO journal (data) VALUES (?)`,
	clearJournal:  `DELETE FROM journal`,
	insertSegment: `INSERT INTO segments (place, last, form, data) VALUES (?, ?, ?, ?)`,
	setUpdated:    `UPDATE notebooks SET updated = max(updated, ?) WHERE log = ?`,
	setTitle:      `UPDATE notebooks SET title = ? WHERE log = ?`,
	setCells:      `UPDATE notebooks SET cells = ? WHERE log = ?`,
	saveSnapshot: `INSERT INTO snapshots (log, seq, fold, data) VALUES (?, ?, ?, ?)
		ON CONFLICT (log) DO UPDATE SET seq = excluded.seq, fold = excluded.fold, data = excluded.data`,
}

func newTx(ctx context.Context, db *sql.DB) (*tx, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("open writer: %w", err)
	}
	t := &tx{conn: conn, logs: map[int64]*logState{}, tail: newTail()}
	for name, text := range statements {
		if t.stmts[name], err = conn.PrepareContext(ctx, text); err != nil {
			return nil, errors.Join(fmt.Errorf("prepare %q: %w", text, err), t.close())
		}
	}
	return t, nil
}

func (t *tx) close() error {
	var errs []error
	for _, s := range t.stmts {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(append(errs, t.conn.Close())...)
}

// begin begins the transaction in SQLite, if that is not done yet. Most need none there: a
// transaction with batches only is one statement, which is atomic by itself, and an explicit begin
// and commit would double its cost.
func (t *tx) begin() error {
	if t.open {
		return nil
	}
	if err := t.run(begin); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	t.open = true
	return nil
}

// commit commits the transaction, and then publishes its effects to readers.
func (t *tx) commit() error {
	if err := t.writeJournal(); err != nil {
		return err
	}
	if t.open {
		if err := t.run(commit); err != nil {
			return err
		}
	}
	t.tail.update(t.drains, t.pending)
	t.reset()
	return nil
}

func (t *tx) reset() {
	clear(t.pending)
	t.pending, t.drains, t.open = t.pending[:0], false, false
}

// rollback undoes the transaction, and drops the cached states.
func (t *tx) rollback() error {
	clear(t.logs)
	t.ripe = t.ripe[:0]
	open := t.open
	t.reset()
	if !open {
		return nil
	}
	if err := t.run(rollback); err != nil && !t.over() {
		return fmt.Errorf("rollback: %w", err)
	}
	return nil
}

// over reports whether no transaction is open. SQLite itself ends one after some errors, and then
// there is nothing to roll back.
func (t *tx) over() bool {
	if t.run(begin) != nil {
		return false
	}
	return t.run(rollback) == nil
}

// exec runs a statement within the transaction.
func (t *tx) exec(s stmt, args ...any) error {
	if err := t.begin(); err != nil {
		return err
	}
	return t.run(s, args...)
}

func (t *tx) run(s stmt, args ...any) error {
	_, err := t.stmts[s].ExecContext(context.Background(), args...)
	return err
}

// within executes f in a savepoint, which an error of f rolls back.
func (t *tx) within(f func(ctx context.Context, c *sql.Conn) error) error {
	ctx := context.Background()
	if err := t.begin(); err != nil {
		return err
	}
	if _, err := t.conn.ExecContext(ctx, `SAVEPOINT job`); err != nil {
		return err
	}
	err := f(ctx, t.conn)
	if err != nil {
		if _, undo := t.conn.ExecContext(ctx, `ROLLBACK TO job`); undo != nil {
			return fmt.Errorf("undo %v: %w", err, undo) // %v: it is not a refusal any more
		}
	}
	if _, free := t.conn.ExecContext(ctx, `RELEASE job`); free != nil {
		return fmt.Errorf("end job with %v: %w", err, free)
	}
	return err
}

// maxLogStates bounds the cache. A miss costs two look-ups.
const maxLogStates = 10_000

// log returns the state of a log, from the tables if it is not cached.
func (t *tx) log(number int64) (*logState, error) {
	if s, ok := t.logs[number]; ok {
		return s, nil
	}
	if len(t.logs) >= maxLogStates {
		clear(t.logs)
	}
	s := &logState{}
	first, end := place(number, 0), place(number, maxSeq)
	err := t.stmts[lastOf].QueryRowContext(context.Background(), first, end).Scan(&s.last)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("read last number: %w", err)
	}
	err = t.stmts[updatedOf].QueryRowContext(context.Background(), number).Scan(&s.updated)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("read time of notebook: %w", err)
	}
	s.last = max(s.last, t.tail.last(number))
	t.logs[number] = s
	return s, nil
}
