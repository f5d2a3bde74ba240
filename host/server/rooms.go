package server

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/host/server/artifacts"
	"github.com/quirehq/quire/host/server/signin"
)

// rooms opens the room of a notebook when somebody first uses it, and closes it
// when nobody has for a while.
type rooms struct {
	cfg       Config
	log       *slog.Logger
	artifacts *artifacts.Service
	scale     *scale
	running   sync.WaitGroup // a goroutine for each room
	sockets   sync.WaitGroup // a count for each socket

	mu     sync.Mutex
	open   map[string]*openRoom
	closed bool
}

// openRoom is a room that is being opened, is open, or is being closed.
type openRoom struct {
	*room.Room
	id     string
	launch *launch       // set when the room is ready
	ready  chan struct{} // closed when the room is open, or err says why it is not
	err    error
	stop   context.CancelFunc
	done   chan struct{} // closed when all of it has ended

	clients atomic.Int32 // sockets

	// Guarded by rooms.mu.
	users   int
	closing bool
	idle    *time.Timer      // closes the room, while it has no users
	atEnd   map[*func()]bool // called when the room has ended
}

func newRooms(cfg Config, a *artifacts.Service, s *scale) *rooms {
	return &rooms{cfg: cfg, log: cfg.Logger, artifacts: a, scale: s, open: map[string]*openRoom{}}
}

// errStopping is the answer to who comes while the server stops.
var errStopping = fmt.Errorf("the server is stopping: %w", room.ErrUnavailable)

// use returns the open room of a notebook, which stays open until it is released.
func (rs *rooms) use(ctx context.Context, id string) (*openRoom, error) {
	for {
		r, wait, err := rs.enter(ctx, id)
		if err != nil {
			return nil, err
		}
		select {
		case <-wait:
		case <-ctx.Done():
			if r != nil {
				rs.release(r)
			}
			return nil, ctx.Err()
		}
		if r == nil {
			continue // the one that was closing is closed
		}
		if r.err != nil {
			rs.release(r)
			return nil, r.err
		}
		return r, nil
	}
}

// enter counts one more user of a room, which is ready after the wait. It returns
// no room when that is being closed; after the wait it is.
func (rs *rooms) enter(ctx context.Context, id string) (r *openRoom, wait <-chan struct{}, err error) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.closed {
		return nil, nil, errStopping
	}
	r = rs.open[id]
	if r == nil {
		r = rs.startLocked(context.WithoutCancel(ctx), id) // others may wait for it too
	}
	if r.closing {
		return nil, r.done, nil
	}
	r.users++
	if r.idle != nil {
		r.idle.Stop()
		r.idle = nil
	}
	return r, r.ready, nil
}

func (rs *rooms) startLocked(ctx context.Context, id string) *openRoom {
	ctx, stop := context.WithCancel(ctx)
	r := &openRoom{
		id: id, stop: stop, ready: make(chan struct{}), done: make(chan struct{}),
		atEnd: map[*func()]bool{},
	}
	rs.open[id] = r
	rs.running.Go(func() { rs.run(ctx, r) })
	return r
}

// run opens a room and serves it until it is stopped.
func (rs *rooms) run(ctx context.Context, r *openRoom) {
	r.launch = newLaunch(rs.cfg, rs.artifacts, r)
	r.Room, r.err = rs.openRoom(ctx, r.id, r.launch)
	close(r.ready)
	if r.err == nil {
		rs.cfg.Metrics.rooms.Inc()
		r.launch.start(ctx)
		if err := r.Run(ctx); err != nil {
			rs.log.Error("room ended", "notebook", r.id, "error", err)
		}
		rs.cfg.Metrics.rooms.Dec()
	}
	r.stop()
	r.launch.wait()
	rs.forget(r)
}

// openRoom opens the room of a notebook that is not deleted. It looks after the
// openRoom is in the table: a later deletion of the notebook will find it there.
func (rs *rooms) openRoom(ctx context.Context, id string, l *launch) (*room.Room, error) {
	n, err := rs.cfg.Directory.Notebook(ctx, id)
	if err != nil {
		return nil, err
	}
	if n.Deleted != 0 {
		return nil, fmt.Errorf("notebook %s was deleted: %w", id, directory.ErrNotFound)
	}
	log := rs.cfg.Logs.Log(id)
	cfg := room.Config{
		Log: auditedLog{Log: log, cfg: rs.cfg, notebook: id}, Now: rs.cfg.stamp, Clock: rs.cfg.Clock, Grace: rs.cfg.Limits.Grace, Committed: l.committed,
		Behind: rs.cfg.Metrics.behind.Inc, Spooled: l.left, Gone: l.gone,
		Mention: func(ctx context.Context, list []event.Artifact) error { return rs.artifacts.Mention(ctx, id, list) }, MaxSize: rs.cfg.Limits.Notebook,
		MayEdit: rs.mayEdit(id), MaxLog: rs.cfg.Limits.History, LogSize: sizeOf(log),
	}
	giveBack, err := rs.scale.takeFold(ctx, log)
	if err != nil {
		return nil, fmt.Errorf("open notebook %s: %w", id, err)
	}
	defer giveBack()
	opened, err := room.Open(ctx, cfg, func(err error) {
		rs.log.Error("room recovered", "notebook", id, "error", err)
	})
	if err != nil {
		return nil, fmt.Errorf("open notebook %s: %w", id, err)
	}
	return opened, nil
}

// mayEdit reports for a room whether a person may edit its notebook now. Who has a token alone
// may while they are connected, which the room sees itself.
func (rs *rooms) mayEdit(id string) func(context.Context, event.Actor) bool {
	return func(ctx context.Context, actor event.Actor) bool {
		if actor.Kind() != event.ActorPerson {
			return false
		}
		role, err := rs.cfg.roleOf(ctx, signin.PersonNamed(actor.Name()), id)
		return err == nil && role.May(access.Edit)
	}
}

// forget takes a room that has ended out of the table.
func (rs *rooms) forget(r *openRoom) {
	rs.mu.Lock()
	if rs.open[r.id] == r {
		delete(rs.open, r.id)
	}
	r.closing = true
	if r.idle != nil {
		r.idle.Stop()
	}
	atEnd := r.atEnd
	r.atEnd = nil
	rs.mu.Unlock()
	for f := range atEnd {
		(*f)()
	}
	close(r.done)
}

// attach counts a socket in, unless the room has ended. When it ends, f is called.
func (rs *rooms) attach(r *openRoom, f func()) (detach func(), ok bool) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if r.atEnd == nil {
		return nil, false
	}
	r.atEnd[&f] = true
	r.clients.Add(1)
	rs.sockets.Add(1)
	rs.cfg.Metrics.clients.Inc()
	return func() {
		rs.mu.Lock()
		delete(r.atEnd, &f)
		rs.mu.Unlock()
		r.clients.Add(-1)
		rs.cfg.Metrics.clients.Dec()
		rs.sockets.Done()
	}, true
}

// opened returns the room of a notebook if it is open or about to be, else nil.
func (rs *rooms) opened(id string) *openRoom {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	return rs.open[id]
}

// broughtBy returns who has connected a runtime to a notebook, empty if none but the server did.
// A notebook without an open room has no runtime.
func (rs *rooms) broughtBy(id string) event.Actor {
	r := rs.opened(id)
	if r == nil {
		return ""
	}
	select {
	case <-r.ready:
		return r.launch.broughtBy()
	default:
		return ""
	}
}

// release undoes a use.
func (rs *rooms) release(r *openRoom) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	r.users--
	if r.users == 0 && !r.closing && !rs.closed {
		r.idle = time.AfterFunc(rs.cfg.Limits.Idle, func() { rs.closeIdle(r) })
	}
}

func (rs *rooms) closeIdle(r *openRoom) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if r.users == 0 && !r.closing {
		r.closing = true
		r.stop()
	}
}

// shut closes the room of a notebook, whoever uses it, and waits until it is.
func (rs *rooms) shut(id string) {
	rs.mu.Lock()
	r := rs.open[id]
	if r != nil {
		r.closing = true
		r.stop()
	}
	rs.mu.Unlock()
	if r != nil {
		<-r.done
	}
}

// close closes all rooms, and waits for them and their sockets.
func (rs *rooms) close() {
	rs.mu.Lock()
	rs.closed = true
	for _, r := range rs.open {
		r.closing = true
		r.stop()
	}
	rs.mu.Unlock()
	rs.running.Wait()
	rs.sockets.Wait()
}
