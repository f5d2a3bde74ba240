package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/quirehq/quire/core/event"
)

// job is one write, executed inside a shared transaction: if it returns a refusal, it must have
// changed nothing.
type job interface {
	do(tx *tx) error
	events() int // stored events, for the statistics
}

// refusal is an error of one job only; the transaction continues.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

// request is a job with its caller.
type request struct {
	ctx  context.Context
	job  job
	err  error
	done chan error // of capacity one
}

// writer is the only goroutine that changes the database. Concurrent requests share a transaction,
// and so one sync of the disk.
type writer struct {
	commits, batches, events atomic.Uint64

	queue   chan *request
	closing chan struct{} // closed to end the goroutine
	stopped chan struct{} // closed when it has ended
	group   int
	observe func(batches, events int, took time.Duration)
	tx      *tx
	files   *files
	last    atomic.Pointer[error] // error of the last transaction, nil after a success
	ripe    chan int64            // logs with much to pack; a dropped hint is repeated
}

func newWriter(ctx context.Context, db *sql.DB, c Config) (*writer, error) {
	t, err := newTx(ctx, db)
	if err != nil {
		return nil, err
	}
	w := &writer{
		queue:   make(chan *request, c.Queue),
		closing: make(chan struct{}),
		stopped: make(chan struct{}),
		group:   c.Group,
		observe: c.Observe,
		tx:      t,
		ripe:    make(chan int64, 64),
	}
	return w, nil
}

// do waits until the job is done, or ctx ends; after that the job may still be executed.
func (w *writer) do(ctx context.Context, j job) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r := &request{ctx: ctx, job: j, done: make(chan error, 1)}
	select {
	case <-w.closing:
		return errClosed
	default:
	}
	select {
	case w.queue <- r:
	case <-ctx.Done():
		return ctx.Err()
	case <-w.closing:
		return errClosed
	}
	return w.wait(ctx, r)
}

func (w *writer) wait(ctx context.Context, r *request) error {
	select {
	case err := <-r.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-w.stopped:
	}
	select { // it may have been executed before the end
	case err := <-r.done:
		return err
	default:
		return errClosed
	}
}

// run writes until close, and then the queued requests.
func (w *writer) run() {
	defer close(w.stopped)
	group := make([]*request, 0, w.group)
	for {
		select {
		case r := <-w.queue:
			runtime.Gosched() // callers just answered may write again
			group = w.gather(append(group[:0], r))
			w.commit(group)
		case <-w.closing:
			for len(w.queue) > 0 {
				w.commit(w.gather(group[:0]))
			}
			_ = w.empty() // records that stay in the journal are as safe
			return
		}
		clear(group) // release the requests while the writer is idle
	}
}

func (w *writer) close() { close(w.closing) }

func (w *writer) release() error { return w.tx.close() }

// maxGroupEvents bounds the memory and the duration of one transaction.
const maxGroupEvents = 16_384

// gather adds queued requests, up to a full group.
func (w *writer) gather(group []*request) []*request {
	events := 0
	for _, r := range group {
		events += r.job.events()
	}
	for len(group) < w.group && events < maxGroupEvents {
		select {
		case r := <-w.queue:
			group = append(group, r)
			events += r.job.events()
		default:
			return group
		}
	}
	return group
}

// commit executes the jobs in one transaction and answers them.
func (w *writer) commit(group []*request) {
	start := time.Now()
	if len(group) > 1 && slices.ContainsFunc(group, isScrub) {
		w.commitEach(group)
		return
	}
	err := w.transact(group)
	if isFull(err) && len(group) > 1 {
		w.commitEach(group) // only the job that is too large should fail
		return
	}
	if w.last.Store(nil); err != nil {
		w.last.Store(&err)
	} else {
		w.count(group, time.Since(start))
	}
	for _, r := range group {
		if err != nil {
			r.err = err
		}
		r.done <- r.err
	}
	w.hint()
}

// commitEach executes each job in a transaction of its own.
func (w *writer) commitEach(group []*request) {
	for _, r := range group {
		w.commit([]*request{r})
	}
}

// transact executes the jobs in one transaction. Refusals are in the requests; after its own error
// none is done.
func (w *writer) transact(group []*request) error {
	if len(group) == 1 && isScrub(group[0]) {
		return w.tx.scrub()
	}
	if w.tx.tail.bytes >= drainBytes || slices.ContainsFunc(group, isDrain) {
		if err := w.tx.drain(); err != nil {
			return errors.Join(err, w.tx.rollback())
		}
	}
	for _, r := range group {
		if r.err = r.ctx.Err(); r.err != nil {
			continue // its caller has left
		}
		r.err = r.job.do(w.tx)
		if _, ok := errors.AsType[refusal](r.err); r.err != nil && !ok {
			return errors.Join(r.err, w.tx.rollback())
		}
	}
	if err := w.tx.commit(); err != nil {
		return errors.Join(fmt.Errorf("commit: %w", err), w.tx.rollback())
	}
	if w.files == nil { // during the open
		return nil
	}
	return w.files.check()
}

func isDrain(r *request) bool { _, ok := r.job.(drainJob); return ok }

func (w *writer) count(group []*request, took time.Duration) {
	batches, events := 0, 0
	for _, r := range group {
		if n := r.job.events(); r.err == nil && n > 0 {
			batches++
			events += n
		}
	}
	w.commits.Add(1)
	w.batches.Add(uint64(batches))
	w.events.Add(uint64(events))
	w.observe(batches, events, took)
}

// hint sends the ripe logs to the packer, if it is ready.
func (w *writer) hint() {
	for _, number := range w.tx.ripe {
		select {
		case w.ripe <- number:
		default:
			w.tx.unripe(number)
		}
	}
	w.tx.ripe = w.tx.ripe[:0]
}

func isFull(err error) bool { return err != nil && kindOf(err) == Full }

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

// unripe resets a log, which becomes ripe again with its next append.
func (t *tx) unripe(number int64) {
	if s, ok := t.logs[number]; ok {
		s.loose = ripeEvents
	}
}
