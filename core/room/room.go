// Package room orders the events of a notebook.
//
// A [Sequencer] checks what its members push, rebases their edits, gives the events their
// numbers and appends them to a [Log]; it acknowledges and publishes them only once they are
// on disk. It holds the lease of the runtime, assigns runs to it and passes calls on. A [Room]
// is a sequencer with the goroutine that owns it. The package knows neither sockets nor disks:
// its host connects an [Outbox] and lends a log. spec/sync.md has the rules.
package room

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Bounds of a room's work. A member that pushes into a full mailbox waits.
const (
	mailboxSize   = 64                     // messages
	batchEvents   = 2_048                  // events in a commit, about
	batchBytes    = 16 << 20               // of them, about
	gatherTime    = 2 * time.Millisecond   // from one commit to the next, if many write at once
	presenceEvery = 50 * time.Millisecond  // between news of presence
	closeTime     = 4 * time.Second        // for what is under way when the room is stopped, and the last snapshot
	retryPause    = 250 * time.Millisecond // after the log did not take a batch
)

// Room is a [Sequencer] with the goroutine that owns it: the one place that gives
// the events of a log their numbers. All methods but Run may be called from any
// goroutine; they wait for space in the room's mailbox, and fail once Run ended.
type Room struct {
	seq    *Sequencer
	failed func(error)
	ops    chan func(context.Context)
	ended  chan struct{} // closed when Run ends
	kick   chan struct{} // has a token when drained may have members
	large  chan struct{} // has a token while a large message is taken in

	mu      sync.Mutex
	drained []*Member // whose outboxes have space again

	// Owned by Run.
	stored       chan error   // has what became of the batch that was being stored
	committing   []submission // that wait for it
	waiting      []submission // that wait for the batch behind it
	closed       time.Time    // when the last batch was closed
	crowded      bool         // many members had events in it
	saving       sync.WaitGroup
	saved        chan error // has a token while no snapshot is being saved
	presenceSent time.Time  // when presence was last told
}

// submission is a request of the server's own that waits for the commit.
type submission struct {
	refused error
	done    chan error
}

// errEnded says that a room has stopped.
var errEnded = errors.Join(ErrUnavailable, errors.New("the room has closed; connect again"))

// errUnreadable says that a room could not fold its log again.
var errUnreadable = errors.Join(ErrUnavailable, errors.New("the notebook's log cannot be read"))

// Open folds the log and returns the room, which serves once Run is called.
// Failed is told of errors that the room recovers from by itself.
func Open(ctx context.Context, cfg Config, failed func(error)) (*Room, error) {
	r := &Room{
		failed: failed,
		ops:    make(chan func(context.Context), mailboxSize),
		ended:  make(chan struct{}),
		kick:   make(chan struct{}, 1),
		large:  make(chan struct{}, 1),
		stored: make(chan error, 1),
		saved:  make(chan error, 1),
	}
	cfg.wake = r.wake
	seq, err := OpenSequencer(ctx, cfg)
	if err != nil {
		return nil, err
	}
	r.seq = seq
	r.saved <- nil
	return r, nil
}

// Run serves the room until ctx ends. Then it commits what it has, tells the
// members to connect again, and saves a snapshot. It returns an error when the
// log can be read no more.
func (r *Room) Run(ctx context.Context) error {
	defer close(r.ended)
	work, cancel := outlast(ctx, closeTime)
	defer cancel()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		timer.Reset(r.untilNext())
		if err := r.step(ctx, work, timer.C); err != nil {
			r.saving.Wait()
			return err
		}
		if ctx.Err() != nil {
			return r.shutDown(work)
		}
	}
}

// step does what comes next. Its error ends the room.
func (r *Room) step(ctx, work context.Context, timer <-chan time.Time) error {
	select {
	case op := <-r.receiving():
		op(work)
		r.drainMailbox(work)
	case stored := <-r.stored:
		if err := r.finishCommit(work, stored); err != nil {
			return err
		}
	case <-r.kick:
		r.serveDrained(work)
	case <-timer:
		if err := r.seq.Expire(work); err != nil {
			r.failed(err)
		}
	case <-ctx.Done():
		return nil
	}
	r.publishPresence()
	return r.beginCommit(work)
}

// receiving returns the mailbox, which is closed while the disk has one batch and the
// next is full.
func (r *Room) receiving() <-chan func(context.Context) {
	if r.seq.inFlight != nil && r.full() {
		return nil
	}
	return r.ops
}

// full reports whether the batch should take in no more.
func (r *Room) full() bool {
	s := r.seq
	return s.book == nil || len(s.batch)+len(s.replies) >= batchEvents || len(s.buf) >= batchBytes
}

// outlast returns a context that ends so long after another, for what must not be
// broken off by its end.
func outlast(ctx context.Context, by time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		pause(longer, by)
		cancel()
	})
	return longer, func() { stop(); cancel() }
}

// drainMailbox does what else is in the mailbox, so that one commit serves all of it. It
// ends even when the mailbox does not become empty, for all wait for the commit.
func (r *Room) drainMailbox(ctx context.Context) {
	for range mailboxSize {
		if r.full() {
			return
		}
		select {
		case op := <-r.ops:
			op(ctx)
		default:
			return
		}
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// untilNext returns how long Run may wait for a message.
func (r *Room) untilNext() time.Duration {
	wait := time.Hour
	if at, ok := r.seq.NextDeadline(); ok {
		wait = min(wait, time.Duration(at-r.seq.cfg.Clock())*time.Millisecond)
	}
	if r.seq.PresenceChanged() {
		wait = min(wait, presenceEvery-time.Since(r.presenceSent))
	}
	if r.seq.inFlight == nil && r.seq.Batched() > 0 {
		wait = min(wait, r.untilDue())
	}
	return max(wait, 0)
}

func (r *Room) shutDown(ctx context.Context) error {
	r.drainMailbox(ctx)
	err := r.commitAll(ctx)
	r.seq.DropAll("the server is stopping; connect again")
	r.saving.Wait()
	if err != nil || r.seq.unsaved == 0 {
		return err
	}
	err = SaveSnapshot(ctx, r.seq.cfg.Log, r.seq.TakeSnapshot())
	if ctx.Err() != nil {
		return nil // the time was too short for a large notebook, and the log has all of it
	}
	return err
}

// publishPresence passes on who moved, unless that was done just now.
func (r *Room) publishPresence() {
	if r.seq.Notebook() != nil && r.seq.PresenceChanged() && time.Since(r.presenceSent) >= presenceEvery {
		r.seq.PublishPresence()
		r.presenceSent = time.Now()
	}
}

// wake notes that a member's outbox has space again. It is called by the goroutine
// that empties the outbox, which must not wait for the room.
func (r *Room) wake(m *Member) {
	r.mu.Lock()
	r.drained = append(r.drained, m)
	r.mu.Unlock()
	select {
	case r.kick <- struct{}{}:
	default:
	}
}

func (r *Room) serveDrained(ctx context.Context) {
	r.mu.Lock()
	members := r.drained
	r.drained = nil
	r.mu.Unlock()
	for _, m := range members {
		r.seq.Drained(ctx, m)
	}
}

// beginCommit sends the batch on its way to the disk, unless one is under way or it had
// better wait for more. Its error ends the room.
func (r *Room) beginCommit(ctx context.Context) error {
	switch {
	case r.seq.Notebook() == nil:
		return errUnreadable
	case r.seq.inFlight != nil || r.untilDue() > 0:
		return nil
	}
	f := r.closeBatch()
	switch {
	case f == nil:
		return nil
	case len(f.records) == 0:
		return r.finishCommit(ctx, nil) // there are only answers
	}
	go func() { r.stored <- f.Store(ctx) }() // land or settle waits for it
	return nil
}

// untilDue returns how long the batch should wait for more. When many write at once
// their events share a commit, and the frames that show it. One who writes alone,
// and after a pause anybody, need not wait.
func (r *Room) untilDue() time.Duration {
	if !r.crowded || r.full() {
		return 0
	}
	return gatherTime - time.Since(r.closed)
}

// closeBatch closes the batch, and returns it if there is anything to store or to say.
func (r *Room) closeBatch() *Commit {
	if r.seq.Batched() > 0 {
		r.crowded, r.closed = r.seq.resetCrowd(), time.Now()
	}
	f := r.seq.BeginCommit()
	r.committing, r.waiting = r.waiting, r.committing[:0]
	if f == nil {
		r.answerSubmissions(nil)
	}
	return f
}

// finishCommit shows what was stored, or recovers when it was not. Its error ends the room.
func (r *Room) finishCommit(ctx context.Context, stored error) error {
	err := r.seq.FinishCommit(ctx, stored)
	r.answerSubmissions(err)
	if err != nil {
		r.committing, r.waiting = r.waiting, r.committing
		r.answerSubmissions(err) // what was behind it is gone as well
		r.failed(err)
		if r.seq.Notebook() == nil {
			return err
		}
		pause(ctx, retryPause)
	}
	if r.seq.SnapshotDue() {
		return r.saveSnapshot(ctx)
	}
	return nil
}

// answerSubmissions tells those who wait for the flight what became of it.
func (r *Room) answerSubmissions(err error) {
	for _, w := range r.committing {
		w.done <- errors.Join(w.refused, err)
	}
	clear(r.committing)
	r.committing = r.committing[:0]
}

// commitAll stores all there is and waits for it, so that the notebook is what the log
// has. Its error ends the room.
func (r *Room) commitAll(ctx context.Context) error {
	if r.seq.inFlight != nil {
		if err := r.finishCommit(ctx, <-r.stored); err != nil {
			return err
		}
	}
	if r.seq.Notebook() == nil {
		return errUnreadable
	}
	f := r.closeBatch()
	if f == nil {
		return nil
	}
	return r.finishCommit(ctx, f.Store(ctx))
}

// saveSnapshot stores a snapshot in the background, unless one is being stored. A snapshot
// must not be ahead of the log, so the batch is stored first.
func (r *Room) saveSnapshot(ctx context.Context) error {
	select {
	case err := <-r.saved:
		if err != nil {
			r.failed(err)
		}
	default:
		return nil
	}
	if err := r.commitAll(ctx); err != nil {
		return err
	}
	book := r.seq.TakeSnapshot()
	r.saving.Go(func() { r.saved <- SaveSnapshot(ctx, r.seq.cfg.Log, book) })
	return nil
}
