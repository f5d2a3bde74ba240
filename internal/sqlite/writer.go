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
)

// job is one write. It is done inside a transaction that others share: once it
// returns a refusal, it must have changed nothing.
type job interface {
	do(tx *tx) error
	events() int // how many it stores, for the figures
}

// refusal is an error that concerns one job only; the transaction goes on.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

// request is a job with somebody waiting for it.
type request struct {
	ctx  context.Context
	job  job
	err  error
	done chan error // has room for the answer
}

// writer is the one goroutine that changes the database. What is asked of it at
// the same time shares a transaction, and so one wait for the disk.
type writer struct {
	commits, batches, events atomic.Uint64

	queue   chan *request
	closing chan struct{} // closed to end the goroutine
	stopped chan struct{} // closed when it has ended
	group   int
	observe func(batches, events int, took time.Duration)
	tx      *tx
	files   *files
	last    atomic.Pointer[error] // why the last transaction failed, nil if it did not
	ripe    chan int64            // logs with much to pack; who is not heard says it again
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

// do waits until the job is done, or ctx ends; then it may be done yet.
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
	select { // it may have been among the last
	case err := <-r.done:
		return err
	default:
		return errClosed
	}
}

// run writes until close, and then what still waits.
func (w *writer) run() {
	defer close(w.stopped)
	group := make([]*request, 0, w.group)
	for {
		select {
		case r := <-w.queue:
			runtime.Gosched() // those that were just answered may have more to write
			group = w.gather(append(group[:0], r))
			w.commit(group)
		case <-w.closing:
			for len(w.queue) > 0 {
				w.commit(w.gather(group[:0]))
			}
			_ = w.empty() // what stays in the journal is as safe there
			return
		}
		clear(group) // the requests are the garbage collector's while nothing comes
	}
}

func (w *writer) close() { close(w.closing) }

func (w *writer) release() error { return w.tx.close() }

// maxGroupEvents keeps the memory of one transaction, and the wait for it, bounded.
const maxGroupEvents = 16_384

// gather adds what waits, up to a full group.
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

// commit does the jobs in one transaction and answers them.
func (w *writer) commit(group []*request) {
	start := time.Now()
	if len(group) > 1 && slices.ContainsFunc(group, isScrub) {
		w.commitEach(group)
		return
	}
	err := w.transact(group)
	if isFull(err) && len(group) > 1 {
		w.commitEach(group) // the one that is too large should fail, not those that would have fitted
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

// commitEach does each job in a transaction of its own.
func (w *writer) commitEach(group []*request) {
	for _, r := range group {
		w.commit([]*request{r})
	}
}

// transact does the jobs in one transaction. Refusals are in the requests; its own
// error says that none was done.
func (w *writer) transact(group []*request) error {
	if len(group) == 1 && isScrub(group[0]) {
		return w.tx.scrub()
	}
	if w.tx.tail.bytes >= settleBytes || slices.ContainsFunc(group, isSettle) {
		if err := w.tx.settle(); err != nil {
			return errors.Join(err, w.tx.rollback())
		}
	}
	for _, r := range group {
		if r.err = r.ctx.Err(); r.err != nil {
			continue // nobody waits for it any more
		}
		r.err = r.job.do(w.tx)
		if _, ok := errors.AsType[refusal](r.err); r.err != nil && !ok {
			return errors.Join(r.err, w.tx.rollback())
		}
	}
	if err := w.tx.commit(); err != nil {
		return errors.Join(fmt.Errorf("commit: %w", err), w.tx.rollback())
	}
	if w.files == nil { // it is being opened
		return nil
	}
	return w.files.check()
}

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

// hint tells the packer which logs have much to pack, if it listens.
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
