// Package rooms opens the room of a notebook when a client first uses it, closes it when it is
// idle, and launches the runtime that its runs wait for.
//
// It promises that a notebook has one room at most, that a room stays open while it is used, and
// that the log says why a runtime could not be launched. Sockets and permissions are left to
// the caller.
package rooms

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/host/server/artifacts"
)

// Config has the dependencies and limits of a [Set] of rooms.
type Config struct {
	Directory Directory
	Artifacts *artifacts.Service
	Launcher  Launcher // nil when runtimes are started by hand
	// Assistants launches assistants, when a run of an ai cell waits for one; nil when they are started by hand.
	Assistants Launcher
	Logger     *slog.Logger
	Metrics    Metrics
	Limits     Limits

	// Log returns the log of a notebook, and LogSize a function that returns its bytes on disk;
	// nil if the log does not know them.
	Log     func(notebook string) room.Log
	LogSize func(notebook string) func(context.Context) (int64, error)
	// Reserve waits for the memory that the folding of a log takes, until release is called.
	Reserve func(ctx context.Context, notebook string) (release func(), err error)
	// MayEdit reports whether an actor may edit a notebook now.
	MayEdit func(ctx context.Context, notebook string, actor event.Actor) bool
	// Issue returns a token for a runtime, good for as long as the notebook has that runtime.
	Issue func(notebook string, runtime event.RuntimeID, takes event.Takes) (token string, err error)

	Now, Clock func() event.Time // as in [room.Config]
}

// Limits bound rooms.
type Limits struct {
	Notebook    int64         // bytes that a notebook may hold
	History     int64         // bytes of its log on disk
	Idle        time.Duration // for a room to stay open without users
	LaunchStart time.Duration // for a launched runtime to connect
	Grace       time.Duration // for a runtime to come back; the default of rooms if 0
}

// Metrics count rooms.
type Metrics struct {
	Rooms, Clients Gauge
	Behind         Counter         // outboxes that were full
	Launched       func(err error) // called after each launch
}

// Gauge is a figure that grows and shrinks.
type Gauge interface {
	Inc()
	Dec()
}

// Counter is a figure that grows.
type Counter interface{ Inc() }

// Directory knows which notebooks there are.
type Directory interface {
	Notebook(ctx context.Context, id string) (directory.Notebook, error)
}

// Set has the open rooms of a server.
type Set struct {
	cfg     Config
	running sync.WaitGroup // a goroutine for each room
	sockets sync.WaitGroup // a count for each socket

	mu     sync.Mutex
	open   map[string]*Room
	closed bool
}

// Room is a room that is being opened, is open, or is being closed.
type Room struct {
	*room.Room
	// ID is the notebook of the room.
	ID string

	launch, assistants *launch // of runtimes of code and of ai; set when the room is ready

	ready chan struct{} // closed when the room is open, or err says why it is not
	err   error
	stop  context.CancelFunc
	done  chan struct{} // closed when all of it has ended

	clients atomic.Int32 // sockets

	// Guarded by Set.mu.
	users   int
	closing bool
	idle    *time.Timer      // closes the room, while it has no users
	atEnd   map[*func()]bool // called when the room has ended
}

// New returns a set without an open room.
func New(cfg Config) *Set { return &Set{cfg: cfg, open: map[string]*Room{}} }

// errStopping is the answer to a client that connects while the server stops.
var errStopping = fmt.Errorf("the server is stopping: %w", room.ErrUnavailable)

// Use returns the open room of a notebook, which stays open until it is released.
func (s *Set) Use(ctx context.Context, id string) (*Room, error) {
	for {
		r, wait, err := s.enter(ctx, id)
		if err != nil {
			return nil, err
		}
		select {
		case <-wait:
		case <-ctx.Done():
			if r != nil {
				s.Release(r)
			}
			return nil, ctx.Err()
		}
		if r == nil {
			continue // the one that was closing is closed
		}
		if r.err != nil {
			s.Release(r)
			return nil, r.err
		}
		return r, nil
	}
}

// enter counts one more user of a room, which is ready after the wait. It returns no room if
// the room is being closed; after the wait it is closed.
func (s *Set) enter(ctx context.Context, id string) (r *Room, wait <-chan struct{}, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, nil, errStopping
	}
	r = s.open[id]
	if r == nil {
		r = s.startLocked(context.WithoutCancel(ctx), id) // other requests may wait for the room too
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

func (s *Set) startLocked(ctx context.Context, id string) *Room {
	ctx, stop := context.WithCancel(ctx)
	r := &Room{
		ID: id, stop: stop, ready: make(chan struct{}), done: make(chan struct{}),
		atEnd: map[*func()]bool{},
	}
	s.open[id] = r
	s.running.Go(func() { s.run(ctx, r) })
	return r
}

// run opens a room and serves it until it is stopped.
func (s *Set) run(ctx context.Context, r *Room) {
	r.launch, r.assistants = newLaunch(&s.cfg, r, event.TakesCode), newLaunch(&s.cfg, r, event.TakesAI)
	apart(func() { r.Room, r.err = s.openRoom(ctx, r) })
	close(r.ready)
	if r.err == nil {
		s.serve(ctx, r)
	}
	r.stop()
	r.launch.wait()
	r.assistants.wait()
	s.forget(r)
}

// serve runs a room until it is stopped.
func (s *Set) serve(ctx context.Context, r *Room) {
	s.cfg.Metrics.Rooms.Inc()
	defer s.cfg.Metrics.Rooms.Dec()
	r.launch.start(ctx)
	r.assistants.start(ctx)
	if err := r.Run(ctx); err != nil {
		s.cfg.Logger.Error("room ended", "notebook", r.ID, "error", err)
	}
}

// apart calls a function on a stack of its own and waits for it. The goroutines of an open notebook wait most of the time, and
// each keeps the stack that its deepest call needed: what they do rarely and deep is done apart.
func apart(f func()) {
	var running sync.WaitGroup
	running.Go(f)
	running.Wait()
}

// openRoom opens the room of a notebook that is not deleted. The directory is asked after the room
// is in the table: a later deletion of the notebook will find it there.
func (s *Set) openRoom(ctx context.Context, r *Room) (*room.Room, error) {
	id := r.ID
	n, err := s.cfg.Directory.Notebook(ctx, id)
	if err != nil {
		return nil, err
	}
	if n.Deleted != 0 {
		return nil, fmt.Errorf("notebook %s was deleted: %w", id, directory.ErrNotFound)
	}
	cfg := room.Config{
		Log: s.cfg.Log(id), LogSize: s.cfg.LogSize(id), Now: s.cfg.Now, Clock: s.cfg.Clock, Grace: s.cfg.Limits.Grace,
		MaxSize: s.cfg.Limits.Notebook, MaxLog: s.cfg.Limits.History,
		Committed: r.committed, Behind: s.cfg.Metrics.Behind.Inc,
		Spooled: func(id event.RuntimeID) []event.Draft { return r.launchOf(id).spooled(id) },
		Gone:    func(id event.RuntimeID) string { return r.launchOf(id).gone(id) },
		Mention: func(ctx context.Context, list []event.Artifact) error { return s.cfg.Artifacts.Mention(ctx, id, list) },
		MayEdit: func(ctx context.Context, actor event.Actor) bool { return s.cfg.MayEdit(ctx, id, actor) },
	}
	release, err := s.cfg.Reserve(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("open notebook %s: %w", id, err)
	}
	defer release()
	opened, err := room.Open(ctx, cfg, func(err error) {
		s.cfg.Logger.Error("room recovered", "notebook", id, "error", err)
	})
	if err != nil {
		return nil, fmt.Errorf("open notebook %s: %w", id, err)
	}
	return opened, nil
}

// committed is called by the goroutine of the room after each commit.
func (r *Room) committed(n *notebook.Notebook, changes []notebook.Change) {
	r.launch.committed(n, changes)
	r.assistants.committed(n, changes)
}

// forget removes a room that has ended from the table.
func (s *Set) forget(r *Room) {
	s.mu.Lock()
	if s.open[r.ID] == r {
		delete(s.open, r.ID)
	}
	r.closing = true
	if r.idle != nil {
		r.idle.Stop()
	}
	atEnd := r.atEnd
	r.atEnd = nil
	s.mu.Unlock()
	for f := range atEnd {
		(*f)()
	}
	close(r.done)
}

// Attach counts a socket, unless the room has ended. It calls f when the room ends.
func (s *Set) Attach(r *Room, f func()) (detach func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.atEnd == nil {
		return nil, false
	}
	r.atEnd[&f] = true
	r.clients.Add(1)
	s.sockets.Add(1)
	s.cfg.Metrics.Clients.Inc()
	return func() {
		s.mu.Lock()
		delete(r.atEnd, &f)
		s.mu.Unlock()
		r.clients.Add(-1)
		s.cfg.Metrics.Clients.Dec()
		s.sockets.Done()
	}, true
}

// Opened returns the room of a notebook if it is open or being opened, else nil.
func (s *Set) Opened(id string) *Room {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open[id]
}

// Wait waits until the room is open, and returns the error if it could not be opened.
func (r *Room) Wait(ctx context.Context) error {
	select {
	case <-r.ready:
		return r.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Clients returns the number of sockets of the room.
func (r *Room) Clients() int { return int(r.clients.Load()) }

// BroughtBy returns the actor who connected a runtime to a notebook, empty if there is none or the
// server launched it. A notebook without an open room has no runtime.
func (s *Set) BroughtBy(id string) event.Actor {
	r := s.Opened(id)
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

// Release ends a use.
func (s *Set) Release(r *Room) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.users--
	if r.users == 0 && !r.closing && !s.closed {
		r.idle = time.AfterFunc(s.cfg.Limits.Idle, func() { s.closeIdle(r) })
	}
}

func (s *Set) closeIdle(r *Room) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.users == 0 && !r.closing {
		r.closing = true
		r.stop()
	}
}

// Shut closes the room of a notebook, even if it is used, and waits until it is closed.
func (s *Set) Shut(id string) {
	s.mu.Lock()
	r := s.open[id]
	if r != nil {
		r.closing = true
		r.stop()
	}
	s.mu.Unlock()
	if r != nil {
		<-r.done
	}
}

// Close closes all rooms, and waits for them and their sockets.
func (s *Set) Close() {
	s.mu.Lock()
	s.closed = true
	for _, r := range s.open {
		r.closing = true
		r.stop()
	}
	s.mu.Unlock()
	s.running.Wait()
	s.sockets.Wait()
}
