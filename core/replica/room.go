package replica

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Bounds of a room's work. A member that pushes into a full mailbox waits.
const (
	mailbox       = 64                     // messages
	batchEvents   = 2_048                  // events in a commit, about
	gatherTime    = time.Millisecond       // between commits, if there is much to commit
	presenceEvery = 50 * time.Millisecond  // between news of presence
	closeTime     = 4 * time.Second        // for what is under way when the room is stopped, and the last snapshot
	anewPause     = 250 * time.Millisecond // after the log did not take a batch
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

	mu      sync.Mutex
	drained []*Member // whose outboxes have space again

	// Owned by Run.
	waiting   []submission
	saving    sync.WaitGroup
	saved     chan error // has a token while no snapshot is being saved
	committed time.Time  // when the last batch was
	crowded   bool       // many members had events in it
	told      time.Time  // when presence was last told
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

// OpenRoom folds the log and returns the room, which serves once Run is called.
// Failed is told of errors that the room recovers from by itself.
func OpenRoom(ctx context.Context, cfg Config, failed func(error)) (*Room, error) {
	r := &Room{
		failed: failed,
		ops:    make(chan func(context.Context), mailbox),
		ended:  make(chan struct{}),
		kick:   make(chan struct{}, 1),
		saved:  make(chan error, 1),
	}
	cfg.wake = r.wake
	seq, err := Open(ctx, cfg)
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
		select {
		case op := <-r.ops:
			op(work)
			r.gather(work)
			r.drain(work)
		case <-r.kick:
			r.serveDrained(work)
		case <-timer.C:
			if err := r.seq.Expire(work); err != nil {
				r.failed(err)
			}
		case <-ctx.Done():
			return r.close(work)
		}
		if err := r.commit(work); err != nil {
			r.saving.Wait()
			return err
		}
	}
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

// gather waits for what else comes when the last commit, in which many members
// had events, is only just over: many who write at once then share one, and the
// frames that show it. One who writes alone, and after a pause anybody, need not wait.
func (r *Room) gather(ctx context.Context) {
	left := gatherTime - time.Since(r.committed)
	if !r.crowded || left <= 0 {
		return
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	for r.seq.Notebook() != nil && r.seq.Batched() < batchEvents {
		select {
		case op := <-r.ops:
			op(ctx)
		case <-timer.C:
			return
		}
	}
}

// drain does what else is in the mailbox, so that one commit serves all of it. It
// ends even when the mailbox does not become empty, for all wait for the commit.
func (r *Room) drain(ctx context.Context) {
	for range mailbox {
		if r.seq.Notebook() == nil || r.seq.Batched() >= batchEvents {
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

// commit stores the batch and does what is due after it. Its error ends the room.
func (r *Room) commit(ctx context.Context) error {
	if r.seq.Notebook() == nil {
		return errUnreadable
	}
	if r.seq.Batched() > 0 {
		r.crowded = r.seq.takeCrowd()
		defer func() { r.committed = time.Now() }()
	}
	err := r.seq.Commit(ctx)
	for _, w := range r.waiting {
		w.done <- errors.Join(w.refused, err)
	}
	r.waiting = r.waiting[:0]
	if err != nil {
		r.failed(err)
		if r.seq.Notebook() == nil {
			return err
		}
		pause(ctx, anewPause)
	}
	if r.seq.Moved() && time.Since(r.told) >= presenceEvery {
		r.seq.TellPresence()
		r.told = time.Now()
	}
	if r.seq.SnapshotDue() {
		r.save(ctx)
	}
	return nil
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// save stores a snapshot in the background, unless one is being stored.
func (r *Room) save(ctx context.Context) {
	select {
	case err := <-r.saved:
		if err != nil {
			r.failed(err)
		}
	default:
		return
	}
	book := r.seq.TakeSnapshot()
	r.saving.Go(func() { r.saved <- SaveSnapshot(ctx, r.seq.cfg.Log, book) })
}

// untilNext returns how long Run may wait for a message.
func (r *Room) untilNext() time.Duration {
	wait := time.Hour
	if at, ok := r.seq.NextLease(); ok {
		wait = min(wait, time.Duration(at-r.seq.cfg.Now())*time.Millisecond)
	}
	if r.seq.Moved() {
		wait = min(wait, presenceEvery-time.Since(r.told))
	}
	return max(wait, 0)
}

func (r *Room) close(ctx context.Context) error {
	r.drain(ctx)
	err := r.commit(ctx)
	r.seq.DropAll("the server is stopping; connect again")
	r.saving.Wait()
	if err == nil && r.seq.unsaved > 0 {
		err = SaveSnapshot(ctx, r.seq.cfg.Log, r.seq.TakeSnapshot())
	}
	return err
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
