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

// unripe resets a log, which becomes ripe again with its next append.
func (t *tx) unripe(number int64) {
	if s, ok := t.logs[number]; ok {
		s.loose = ripeEvents
	}
}

func isFull(err error) bool { return err != nil && kindOf(err) == Full }
