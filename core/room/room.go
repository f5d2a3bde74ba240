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
	mailbox       = 64                     // messages
	batchEvents   = 2_048                  // events in a commit, about
	batchBytes    = 16 << 20               // of them, about
	gatherTime    = 2 * time.Millisecond   // from one commit to the next, if many write at once
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
	large  chan struct{} // has a token while a large message is taken in

	mu      sync.Mutex
	drained []*Member // whose outboxes have space again

	// Owned by Run.
	landed  chan error   // has what became of the batch that was being stored
	aboard  []submission // that wait for it
	waiting []submission // that wait for the batch behind it
	taken   time.Time    // when the last batch was closed
	crowded bool         // many members had events in it
	saving  sync.WaitGroup
	saved   chan error // has a token while no snapshot is being saved
	told    time.Time  // when presence was last told
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
		large:  make(chan struct{}, 1),
		landed: make(chan error, 1),
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
		if err := r.turn(ctx, work, timer.C); err != nil {
			r.saving.Wait()
			return err
		}
		if ctx.Err() != nil {
			return r.close(work)
		}
	}
}

// turn does what comes next. Its error ends the room.
func (r *Room) turn(ctx, work context.Context, timer <-chan time.Time) error {
	select {
	case op := <-r.open():
		op(work)
		r.drain(work)
	case stored := <-r.landed:
		if err := r.land(work, stored); err != nil {
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
	r.tellPresence()
	return r.takeOff(work)
}

// open returns the mailbox, which is closed while the disk has one batch and the
// next is full.
func (r *Room) open() <-chan func(context.Context) {
	if r.seq.flight != nil && r.full() {
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

// drain does what else is in the mailbox, so that one commit serves all of it. It
// ends even when the mailbox does not become empty, for all wait for the commit.
func (r *Room) drain(ctx context.Context) {
	for range mailbox {
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
	if at, ok := r.seq.NextLease(); ok {
		wait = min(wait, time.Duration(at-r.seq.cfg.Clock())*time.Millisecond)
	}
	if r.seq.Moved() {
		wait = min(wait, presenceEvery-time.Since(r.told))
	}
	if r.seq.flight == nil && r.seq.Batched() > 0 {
		wait = min(wait, r.untilDue())
	}
	return max(wait, 0)
}

func (r *Room) close(ctx context.Context) error {
	r.drain(ctx)
	err := r.settle(ctx)
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

// tellPresence passes on who moved, unless that was done just now.
func (r *Room) tellPresence() {
	if r.seq.Notebook() != nil && r.seq.Moved() && time.Since(r.told) >= presenceEvery {
		r.seq.TellPresence()
		r.told = time.Now()
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
