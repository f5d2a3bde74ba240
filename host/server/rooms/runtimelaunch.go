package rooms

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/quirehq/quire/core/artifact"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/runtime"
)

// Launcher starts the processes of runtimes, and ends them.
type Launcher interface {
	// Launch starts the process of a runtime and returns when it runs, or the reason why it
	// cannot, in words for the user who pressed run. The runtime outlives ctx, which ends when
	// the server stops. Launch starts none if a runtime of the notebook that it started before
	// is not over: that one will connect.
	Launch(ctx context.Context, l runtime.Launch) error
	// End returns when those of a notebook's launched runtimes for which over reports true are
	// gone, including those that an earlier server launched. The log has told them to end; a
	// runtime that does not is killed. An error says that ctx ended first.
	End(ctx context.Context, notebook string, over func(event.RuntimeID) bool) error
	// Left returns the spooled events of a launched runtime that is gone, in order. Before, it
	// puts the artifacts that they mention into the store. With an error it may return a part
	// of them.
	Left(ctx context.Context, notebook string, id event.RuntimeID, to artifact.Store) ([]event.Draft, error)
	// Gone says for users, behind "the runtime is gone: ", how a launched runtime has ended. It
	// is empty while the runtime has not ended, and if how it ended is not known. It must not
	// block.
	Gone(notebook string, id event.RuntimeID) string
}

// maxDetail bounds the bytes of a launcher's error that users see.
const maxDetail = 1 << 10

// roomActor is the author of the events that report a failed launch.
var roomActor = event.NewActor(event.ActorRoom, "room")

// launch starts the runtime of one room when a run waits for one, or a user requests one. It
// calls the launcher once for a waiting run: after a failure the log says why, and the next
// requested run is another attempt. It also ends runtimes that are over according to the log.
type launch struct {
	cfg      *Config
	launcher Launcher    // nil if runtimes of the kind are started by hand
	takes    event.Takes // the kind of the runtimes that are launched
	room     *Room
	news     chan struct{} // has a token when the need may have changed
	asks     chan launchAsk
	running  sync.WaitGroup

	attached attachment // owned by the goroutine of the room

	mu      sync.Mutex
	need    launchNeed
	brought event.Actor // of the runtime that is connected; empty if the server launched it
}

// attachment is the runtime that was last logged as attached.
type attachment struct {
	id    event.RuntimeID
	ended bool // and was logged as ended
}

// launchAsk is a request for a runtime though no run waits for one.
type launchAsk struct {
	not    event.RuntimeID // a stopped runtime, which does not count
	answer chan error      // has space for one
}

// launchNeed is the state of a notebook that decides about launches of runtimes of a kind.
type launchNeed struct {
	live event.RuntimeID // the current runtime, which may be away; empty if none
	last event.RuntimeID // the stopped one, if there is no current one
	run  event.RunID     // the last waiting run, if there is no current runtime
}

func newLaunch(cfg *Config, r *Room, takes event.Takes) *launch {
	l := &launch{cfg: cfg, launcher: cfg.Launcher, takes: takes, room: r, news: make(chan struct{}, 1), asks: make(chan launchAsk)}
	if takes == event.TakesAI {
		l.launcher = cfg.Assistants
	}
	return l
}

// aiPrefix begins the ids of launched assistants, by which their launcher is found.
const aiPrefix = event.RuntimeID(event.TakesAI) + "-"

// launchOf returns the launch that started a runtime, if this server did.
func (r *Room) launchOf(id event.RuntimeID) *launch {
	if strings.HasPrefix(string(id), string(aiPrefix)) {
		return r.assistants
	}
	return r.launch
}

// committed is called by the goroutine of the room after each commit.
func (l *launch) committed(n *notebook.Notebook, changes []notebook.Change) {
	l.log(n, changes)
	now, brought := needOf(n, l.takes), broughtIn(n)
	l.mu.Lock()
	same := now == l.need
	l.need, l.brought = now, brought
	l.mu.Unlock()
	if same || l.launcher == nil {
		return
	}
	select {
	case l.news <- struct{}{}:
	default:
	}
}

// log writes to the server's log which runtimes have attached and ended, and which runs were lost
// with them, such as by a limit.
func (l *launch) log(n *notebook.Notebook, changes []notebook.Change) {
	if l.takes == event.TakesCode { // once for both kinds
		l.logLost(n, changes)
	}
	rt := n.Runtime(l.takes)
	changed := func(c notebook.Change) bool { return c.Table == notebook.TableRuntimes }
	if rt == nil || !slices.ContainsFunc(changes, changed) {
		return
	}
	say := func(what string, id event.RuntimeID, more ...any) {
		l.cfg.Logger.Info(what, append([]any{"notebook", l.room.ID, "runtime", id}, more...)...)
	}
	if rt.ID != l.attached.id {
		if l.attached.id != "" && !l.attached.ended {
			say("runtime ended", l.attached.id, "reason", "another has taken its place")
		}
		l.attached = attachment{id: rt.ID}
		if rt.State != notebook.RuntimeStopped && rt.Actor != roomActor { // else it attached before this room was opened, or never
			say("runtime attached", rt.ID, "by", rt.Actor)
		}
	}
	if rt.State == notebook.RuntimeStopped && !l.attached.ended {
		l.attached.ended = true
		say("runtime ended", rt.ID, "reason", rt.Reason, "detail", rt.Detail)
	}
}

// logLost logs lost runs. The ends of other runs are in the notebook alone.
func (l *launch) logLost(n *notebook.Notebook, changes []notebook.Change) {
	for _, c := range changes {
		if c.Table != notebook.TableRuns {
			continue
		}
		if run := n.Run(event.RunID(c.ID)); run != nil && run.State == notebook.RunFinished && run.Status == event.StatusLost {
			l.cfg.Logger.Info("run lost", "notebook", l.room.ID, "run", run.ID, "reason", run.Reason)
		}
	}
}

// spooledTime bounds the storing of a dead runtime's artifacts, for which the room waits.
const spooledTime = 30 * time.Second

// spooled returns the spooled events of a dead runtime. It is called by the goroutine of the room.
func (l *launch) spooled(id event.RuntimeID) []event.Draft {
	if l.launcher == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), spooledTime)
	defer cancel()
	drafts, err := l.launcher.Left(ctx, l.room.ID, id, l.cfg.Artifacts.Of(l.room.ID))
	if err != nil {
		l.cfg.Logger.Error("spool of a runtime is incomplete", "notebook", l.room.ID, "runtime", id, "events", len(drafts), "error", err)
	}
	return drafts
}

// gone says how a runtime has ended; it is empty if that is not known. It is called by the
// goroutine of the room.
func (l *launch) gone(id event.RuntimeID) string {
	if l.launcher == nil {
		return ""
	}
	return l.launcher.Gone(l.room.ID, id)
}

// broughtIn returns the actor who connected a current runtime of a notebook, empty if there is none
// or the server launched it.
func broughtIn(n *notebook.Notebook) event.Actor {
	for _, takes := range event.Kinds() {
		if rt := n.Runtime(takes); rt != nil && rt.State != notebook.RuntimeStopped && rt.Brought != "" {
			return rt.Brought
		}
	}
	return ""
}

// broughtBy returns the result of broughtIn after the last commit.
func (l *launch) broughtBy() event.Actor {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.brought
}

func needOf(n *notebook.Notebook, takes event.Takes) launchNeed {
	var need launchNeed
	if rt := n.Runtime(takes); rt != nil {
		if rt.State != notebook.RuntimeStopped {
			return launchNeed{live: rt.ID}
		}
		need.last = rt.ID
	}
	queue := n.Queue()
	for i := len(queue) - 1; i >= 0; i-- {
		if r := n.Run(queue[i]); r.State == notebook.RunPending && r.Takes == takes {
			need.run = r.ID
			break
		}
	}
	return need
}

func (l *launch) now() launchNeed {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.need
}

// start reads the state of the room, and watches it if runtimes are launched, until ctx ends.
func (l *launch) start(ctx context.Context) {
	l.running.Go(func() { l.watch(ctx) })
}

// wait waits for the end of the watch.
func (l *launch) wait() { l.running.Wait() }

func (l *launch) watch(ctx context.Context) {
	apart(func() { l.readRoom(ctx) })
	if l.launcher == nil {
		return
	}
	var w launchWatch
	for {
		apart(func() { l.meetNeeds(ctx, &w) })
		select {
		case <-l.news:
		case <-w.again:
			w.tried, w.again = "", nil
		case ask := <-l.asks:
			apart(func() { ask.answer <- l.provide(ctx, ask.not) })
		case <-ctx.Done():
			return
		}
	}
}

// readRoom reads the state of a room that was opened: a run may have waited since before the server stopped, and a runtime may
// have been stopped.
func (l *launch) readRoom(ctx context.Context) {
	_ = l.room.View(ctx, func(n *notebook.Notebook) { l.committed(n, nil) }) // it fails when the room has ended
}

// launchWatch is the part of the need of a notebook that has been met.
type launchWatch struct {
	known launchNeed
	tried event.RunID      // the run for which a launch was last tried
	again <-chan time.Time // when the launch is tried again; nil if it is not
}

// meetNeeds ends the runtimes that are over and launches one for a run that waits, until nothing is left to do.
func (l *launch) meetNeeds(ctx context.Context, w *launchWatch) {
	for ctx.Err() == nil {
		need := l.now()
		switch {
		case need.live != w.known.live || need.last != w.known.last:
			w.known = need
			l.endOver(ctx)
		case need.run != "" && need.run != w.tried:
			w.tried = need.run
			if errors.Is(l.launch(ctx), errUntold) { // else the log says why the launch failed
				w.again = time.After(l.cfg.Limits.LaunchStart)
			}
		default:
			return
		}
	}
}

// isOver reports whether a runtime is over according to the log: there is another, or it is the
// last and has stopped. A runtime that the log does not know may still connect.
func (l *launch) isOver(id event.RuntimeID) bool {
	now := l.now()
	if now.live != "" {
		return id != now.live
	}
	return id == now.last
}

// endOver ends the runtimes of the notebook that are over.
func (l *launch) endOver(ctx context.Context) { l.end(ctx, l.isOver) }

func (l *launch) end(ctx context.Context, over func(event.RuntimeID) bool) {
	err := l.launcher.End(ctx, l.room.ID, over)
	if err != nil && ctx.Err() == nil {
		l.cfg.Logger.Error("runtime not ended", "notebook", l.room.ID, "error", err)
	}
}

// provide ensures that there is a runtime other than one that was stopped.
func (l *launch) provide(ctx context.Context, not event.RuntimeID) error {
	for not != "" && l.now().live == not {
		select {
		case <-l.news:
		case <-ctx.Done():
			return errStopping
		}
	}
	if l.now().live != "" {
		return nil
	}
	return l.launch(ctx)
}

// Provide requests a runtime in place of one that was stopped, if there was one. It returns when
// the runtime has connected, or cannot.
func (r *Room) Provide(ctx context.Context, not event.RuntimeID) error {
	l := r.launch
	ask := launchAsk{not: not, answer: make(chan error, 1)}
	select {
	case l.asks <- ask:
	case <-ctx.Done():
		return ctx.Err()
	case <-l.room.done:
		return errStopping
	}
	select {
	case err := <-ask.answer:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-l.room.done:
		return errStopping
	}
}

// launch starts a runtime, and returns when it has connected, or cannot; the log then says why.
func (l *launch) launch(ctx context.Context) error {
	l.endOver(ctx)
	id := event.RuntimeID(strings.ToLower(rand.Text()[:20]))
	if l.takes == event.TakesAI {
		id = aiPrefix + id
	}
	cause := l.ask(ctx, id)
	if cause == nil {
		cause = l.await(ctx, id)
	}
	if ctx.Err() != nil {
		return errStopping // the runtime connects to the next server
	}
	l.cfg.Metrics.Launched(cause)
	if cause == nil {
		return nil
	}
	l.end(ctx, func(id event.RuntimeID) bool { return id != l.now().live }) // it may hang, and must not connect later
	l.cfg.Logger.Error("runtime not launched", "notebook", l.room.ID, "runtime", id, "error", cause)
	if err := l.tell(ctx, id, cause); err != nil {
		l.cfg.Logger.Error("launch not reported", "notebook", l.room.ID, "error", err)
		return errors.Join(cause, errUntold)
	}
	return cause
}

// errUntold says that a failed launch could not be appended to the log, as on a full disk: the run
// still waits, and nothing says why.
var errUntold = errors.New("the failure could not be appended to the notebook")

func (l *launch) ask(ctx context.Context, id event.RuntimeID) error {
	issue := func() (string, error) { return l.cfg.Issue(l.room.ID, id, l.takes) }
	if err := l.launcher.Launch(ctx, runtime.Launch{Notebook: l.room.ID, Runtime: id, Takes: l.takes, Token: issue}); err != nil {
		return err
	}
	l.cfg.Logger.Info("runtime launched", "notebook", l.room.ID, "runtime", id)
	return nil
}

// goneEvery is the interval at which the end of a launched runtime is checked.
const goneEvery = 100 * time.Millisecond

// await waits until a runtime has connected, or the launched one has stopped by itself, and the
// log says why.
func (l *launch) await(ctx context.Context, id event.RuntimeID) error {
	timer := time.NewTimer(l.cfg.Limits.LaunchStart)
	defer timer.Stop()
	look := time.NewTicker(goneEvery)
	defer look.Stop()
	gone := ""
	for now := l.now(); now.live == "" && now.last != id; now = l.now() {
		select {
		case <-l.news:
		case <-look.C:
			if gone != "" { // a moment later, so its last events have arrived
				return fmt.Errorf("the runtime ended before it connected: %s", gone)
			}
			gone = l.gone(id)
		case <-timer.C:
			return fmt.Errorf("the runtime was started, but did not connect within %v", l.cfg.Limits.LaunchStart)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// tell appends to the log that a runtime could not be launched, and why.
func (l *launch) tell(ctx context.Context, id event.RuntimeID, cause error) error {
	if l.now().live != "" {
		return nil // another runtime has connected
	}
	if err := l.room.Submit(ctx, roomActor, &event.RuntimeStarted{Runtime: id, Takes: l.takes}); err != nil {
		return err
	}
	var rt *notebook.Runtime
	err := l.room.View(ctx, func(n *notebook.Notebook) { rt = n.RuntimeByID(id) })
	if err != nil || rt == nil {
		return errors.Join(err, ctx.Err())
	}
	detail := cause.Error()
	return l.room.Submit(ctx, roomActor, &event.RuntimeStopped{
		Runtime: id, Epoch: rt.Epoch, Reason: event.StopFailed, Detail: detail[:min(len(detail), maxDetail)],
	})
}

// StopRuntime appends that the launched runtime, or the one in its place, stops: it can append nothing more from
// then on, and ends when it reads that. StopRuntime returns when the runtime is gone, as far as
// this server can tell. The id is empty if there was none.
func (r *Room) StopRuntime(ctx context.Context, actor event.Actor, reason event.StopReason) (event.RuntimeID, error) {
	var stop *event.RuntimeStopped
	err := r.View(ctx, func(n *notebook.Notebook) {
		if rt := n.Runtime(r.launch.takes); rt != nil && rt.State != notebook.RuntimeStopped {
			stop = &event.RuntimeStopped{Runtime: rt.ID, Epoch: rt.Epoch, Reason: reason}
		}
	})
	if err != nil || stop == nil {
		return "", err
	}
	if err := r.Submit(ctx, actor, stop); err != nil {
		return "", err
	}
	launcher := r.launch.launcher
	if launcher == nil {
		return stop.Runtime, nil
	}
	return stop.Runtime, launcher.End(ctx, r.ID, func(id event.RuntimeID) bool { return id == stop.Runtime })
}
