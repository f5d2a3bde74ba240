package mcp

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/tool"
)

const (
	// awayTime is how long the server may be away before a call that waits for it ends.
	awayTime = 15 * time.Second
	// onlineTime is how long a call waits for a server that is away when it begins.
	onlineTime = 5 * time.Second
	// sweepTime is how often unused notebooks are looked for.
	sweepTime = time.Minute
)

var (
	errAway = errors.New("the server of Quire does not answer, and nothing was done; start it with `quire serve` if it has ended, " +
		"and make the call again")
	errWentAway = errors.New("the server of Quire went away during the call; what was changed is sent when it is back: " +
		"read the cells then, before you make the call again")
)

// books are the notebooks in which the agent has a session.
type books struct {
	cfg  *Config
	tell func(ctx context.Context, address string) // tells the agent that a resource has changed
	turn chan struct{}                             // held while a notebook is joined or left

	mu   sync.Mutex
	open map[string]*book // by id
}

// book is an open notebook.
type book struct {
	id string
	Joined
	set     *tool.Set
	point   func(event.CellID, int)
	changed chan struct{} // has an item when the replica has changed since the watches were looked at
	cancel  context.CancelFunc
	running sync.WaitGroup

	// The mutex of books guards these.
	users   int       // calls and watches that hold it
	used    time.Time // when it was last let go
	away    chan struct{}
	watches map[string]*watch // by the address that the agent follows
}

func newBooks(cfg *Config, tell func(ctx context.Context, address string)) *books {
	return &books{cfg: cfg, tell: tell, turn: make(chan struct{}, 1), open: map[string]*book{}}
}

// has reports whether a notebook is open.
func (b *books) has(id string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.open[id] != nil
}

// take returns an open notebook, which it joins if that must be. The caller gives it back to release.
func (b *books) take(ctx context.Context, id string) (*book, error) {
	select {
	case b.turn <- struct{}{}:
		defer func() { <-b.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	k := b.hold(id)
	if k != nil {
		select {
		case <-k.Ended: // such as of a notebook that was deleted, and may be restored
			b.drop(k)
		default:
			return k, nil
		}
	}
	k, err := b.join(ctx, id)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open[id] = k
	return k, nil
}

// hold returns an open notebook with one more user, nil if it is not open.
func (b *books) hold(id string) *book {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.open[id]
	if k != nil {
		k.users++
	}
	return k
}

func (b *books) release(k *book) {
	b.mu.Lock()
	defer b.mu.Unlock()
	k.users--
	k.used = time.Now()
}

// join opens a session in a notebook, for one user.
func (b *books) join(ctx context.Context, id string) (*book, error) {
	k := &book{id: id, changed: make(chan struct{}, 1), users: 1, away: make(chan struct{}), watches: map[string]*watch{}}
	joined, err := b.cfg.Notebooks.Open(ctx, id, func() {
		select {
		case k.changed <- struct{}{}:
		default:
		}
	})
	if err != nil {
		return nil, err
	}
	k.Joined = joined
	k.point = tool.PointBy(joined.Session, b.cfg.Name)
	k.set = tool.New(tool.Config{Session: joined.Session, NewID: b.cfg.NewID, Point: k.point})
	k.point("", 0)
	run, cancel := context.WithCancel(context.WithoutCancel(ctx))
	k.cancel = cancel
	k.running.Go(func() { b.follow(run, k) })
	k.running.Go(func() { b.notify(run, k) })
	return k, nil
}

// follow notes when the connection of a notebook is lost, and when it is back, until ctx or the session ends.
func (b *books) follow(ctx context.Context, k *book) {
	offline := func(r *replica.Replica) bool { return !r.Online() }
	for k.Wait(ctx, offline) == nil {
		b.cfg.Reached(k.id, false)
		short, stop := context.WithTimeout(ctx, awayTime)
		err := k.Wait(short, (*replica.Replica).Online)
		stop()
		if err != nil {
			close(b.awayOf(k))
			if k.Wait(ctx, (*replica.Replica).Online) != nil {
				return
			}
			b.mu.Lock()
			k.away = make(chan struct{})
			b.mu.Unlock()
		}
		b.cfg.Reached(k.id, true)
		k.point("", 0) // the room has forgotten the name
	}
}

// awayOf returns the channel that is closed when the server has been away for too long.
func (b *books) awayOf(k *book) chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return k.away
}

// online waits until a notebook is connected.
func (k *book) online(ctx context.Context) error {
	short, stop := context.WithTimeout(ctx, onlineTime)
	defer stop()
	k.Retry()
	err := k.Wait(short, (*replica.Replica).Online)
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return errAway
	}
	return err
}

// present returns a context that also ends when the server has been away for too long.
func (b *books) present(ctx context.Context, k *book) (_ context.Context, done func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	away, ended := b.awayOf(k), make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-away:
			cancel(errWentAway)
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		cancel(nil)
		<-ended
	}
}

// sweep leaves notebooks that have not been used for a while, until ctx ends.
func (b *books) sweep(ctx context.Context) {
	tick := time.NewTicker(min(sweepTime, b.cfg.Idle))
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		b.turn <- struct{}{}
		for _, k := range b.unused(time.Now().Add(-b.cfg.Idle)) {
			b.drop(k)
		}
		<-b.turn
	}
}

// unused returns the notebooks without a user since a time.
func (b *books) unused(since time.Time) []*book {
	b.mu.Lock()
	defer b.mu.Unlock()
	var found []*book
	for _, k := range b.open {
		if k.users == 0 && k.used.Before(since) {
			found = append(found, k)
		}
	}
	return found
}

// drop leaves a notebook. The caller holds the turn.
func (b *books) drop(k *book) {
	b.mu.Lock()
	delete(b.open, k.id)
	b.mu.Unlock()
	k.cancel()
	k.Leave()
	k.running.Wait()
}

// close leaves all notebooks.
func (b *books) close() {
	b.turn <- struct{}{}
	defer func() { <-b.turn }()
	b.mu.Lock()
	all := slices.Collect(maps.Values(b.open))
	b.mu.Unlock()
	for _, k := range all {
		b.drop(k)
	}
}
