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
	batchEvents   = 2_048                  // events in a batch, about
	batchBytes    = 16 << 20               // bytes of a batch, about
	gatherTime    = 2 * time.Millisecond   // from one commit to the next, if many members write at once
	presenceEvery = 50 * time.Millisecond  // from one publication of presence to the next
	closeTime     = 4 * time.Second        // for the last commit and snapshot when the room is stopped
	retryPause    = 250 * time.Millisecond // after a failed append
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
	stored       chan error   // has the result of Store
	committing   []submission // in the commit in flight
	waiting      []submission // in the next batch
	closed       time.Time    // when the last batch was closed
	crowded      bool         // the last batch had events of many members
	saving       sync.WaitGroup
	saved        chan error // has a token while no snapshot is being saved
	presenceSent time.Time  // when presence was last published
}

// submission is a call of Submit that waits for its commit.
type submission struct {
	refused *error // may change until the commit
	done    chan error
}

// errEnded says that the room has ended.
var errEnded = errors.Join(ErrUnavailable, errors.New("the room has closed; connect again"))

// errUnreadable says that the room could not fold its log again.
var errUnreadable = errors.Join(ErrUnavailable, errors.New("the notebook's log cannot be read"))

// Open folds the log and returns the room, which serves once Run is called. Failed is
// called with errors that the room recovers from by itself.
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

// Run serves the room until ctx ends. Then it commits the last batch, tells the members to
// connect again, and saves a snapshot. It returns an error when the log cannot be read any
// more.
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

// step waits for an operation, a result, a wakeup or the timer, and handles it. Its error
// ends the room.
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

// receiving returns the mailbox, or nil while one batch is being stored and the next is
// full.
func (r *Room) receiving() <-chan func(context.Context) {
	if r.seq.inFlight != nil && r.full() {
		return nil
	}
	return r.ops
}

// full reports whether the batch should grow no more.
func (r *Room) full() bool {
	s := r.seq
	return s.book == nil || len(s.batch)+len(s.replies) >= batchEvents || len(s.buf) >= batchBytes
}

// outlast returns a context that ends a while after another, for work that must not be
// broken off by the end of that.
func outlast(ctx context.Context, by time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		pause(longer, by)
		cancel()
	})
	return longer, func() { stop(); cancel() }
}

// drainMailbox runs the other operations in the mailbox, so one commit serves all of them.
// It ends even when the mailbox does not become empty, since all callers wait for the commit.
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
		return nil // the time was too short for a large notebook, and the log has all events
	}
	return err
}

// publishPresence publishes changes of presence, unless it did so a moment ago.
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

// beginCommit starts to store the batch, unless a commit is in flight or the batch should
// wait for more events. Its error ends the room.
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
		return r.finishCommit(ctx, nil) // there are only refusals
	}
	go func() { r.stored <- f.Store(ctx) }() // step or commitAll receives the result
	return nil
}

// untilDue returns how long the batch should wait for more events. When many members write
// at once their events share a commit and its frames. A single writer does not wait, nor
// does any writer after a pause.
func (r *Room) untilDue() time.Duration {
	if !r.crowded || r.full() {
		return 0
	}
	return gatherTime - time.Since(r.closed)
}

// closeBatch closes the batch, and returns its commit if there is anything to store or to
// answer.
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

// crowdTurns is how often the author changes within a batch that counts as crowded.
const crowdTurns = 5

// resetCrowd reports whether the events of many members alternate in the batch, and starts
// counting for the next one.
func (s *Sequencer) resetCrowd() bool {
	crowd := s.turns >= crowdTurns
	s.author, s.turns = nil, 0
	return crowd
}

// finishCommit publishes a stored batch, or reloads the notebook when storing failed. Its
// error ends the room.
func (r *Room) finishCommit(ctx context.Context, stored error) error {
	err := r.seq.FinishCommit(ctx, stored)
	if errors.Is(err, ErrConflict) { // all that was to be committed is in the open batch again
		r.committing, r.waiting = r.waiting[:0], append(r.committing, r.waiting...)
		return nil
	}
	r.answerSubmissions(err)
	if err != nil {
		r.committing, r.waiting = r.waiting, r.committing
		r.answerSubmissions(err) // the next batch was dropped as well
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

// answerSubmissions returns the result of the commit to the callers of Submit.
func (r *Room) answerSubmissions(err error) {
	for _, w := range r.committing {
		w.done <- errors.Join(*w.refused, err)
	}
	clear(r.committing)
	r.committing = r.committing[:0]
}

// commitAll stores all admitted events and waits for it: then the notebook is as in the
// log. Its error ends the room.
func (r *Room) commitAll(ctx context.Context) error {
	if r.seq.inFlight != nil {
		if err := r.finishCommit(ctx, <-r.stored); err != nil {
			return err
		}
	}
	for {
		if r.seq.Notebook() == nil {
			return errUnreadable
		}
		f := r.closeBatch()
		if f == nil {
			return nil
		}
		if err := r.finishCommit(ctx, f.Store(ctx)); err != nil {
			return err
		}
	}
}

// saveSnapshot stores a snapshot in the background, unless it is doing so already. A
// snapshot must not be ahead of the log, so the batch is stored first.
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
