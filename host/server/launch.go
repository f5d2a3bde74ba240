package server

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/runtime"
	"github.com/quirehq/quire/host/server/artifacts"
	"github.com/quirehq/quire/host/server/signin"
)

// maxDetail is how much of a launcher's error people are shown.
const maxDetail = 1 << 10

// roomActor is who states what became of a launch.
var roomActor = event.NewActor(event.ActorRoom, "room")

// launch starts the runtime of one room when a run waits for one, or somebody asks
// for one. It asks the launcher once for what waits: when that fails the log says
// so, and the next request of a run asks again. A runtime that the log says is over
// it has ended.
type launch struct {
	cfg       Config
	room      *openRoom
	artifacts *artifacts.Service
	news      chan struct{} // has a token when the need may have changed
	asks      chan launchAsk
	running   sync.WaitGroup

	attached attachment // owned by the room's owner

	mu      sync.Mutex
	need    launchNeed
	brought event.Actor // who connected a runtime that is there; empty if none but the server did
}

// attachment is the runtime that was last said to have come.
type attachment struct {
	id    event.RuntimeID
	ended bool // so it was said
}

// launchAsk is somebody's wish for a runtime though no run waits for one.
type launchAsk struct {
	not    event.RuntimeID // the one that will not do
	answer chan error      // has space for one
}

// launchNeed is what a notebook says of runtimes that take code.
type launchNeed struct {
	live event.RuntimeID // the one there is, or that may come back; empty if none
	last event.RuntimeID // that has stopped, if there is none
	run  event.RunID     // the last that waits, if there is none
}

func newLaunch(cfg Config, a *artifacts.Service, r *openRoom) *launch {
	return &launch{cfg: cfg, room: r, artifacts: a, news: make(chan struct{}, 1), asks: make(chan launchAsk)}
}

// committed is called by the room's owner after each commit.
func (l *launch) committed(n *notebook.Notebook, changes []notebook.Change) {
	l.log(n, changes)
	now, brought := needOf(n), broughtIn(n)
	l.mu.Lock()
	same := now == l.need
	l.need, l.brought = now, brought
	l.mu.Unlock()
	if same || l.cfg.Launcher == nil {
		return
	}
	select {
	case l.news <- struct{}{}:
	default:
	}
}

// log says which runtimes have come and gone, and which runs went with what executed them,
// such as for a limit.
func (l *launch) log(n *notebook.Notebook, changes []notebook.Change) {
	l.logLost(n, changes)
	rt := n.Runtime(event.TakesCode)
	changed := func(c notebook.Change) bool { return c.Table == notebook.TableRuntimes }
	if rt == nil || !slices.ContainsFunc(changes, changed) {
		return
	}
	say := func(what string, id event.RuntimeID, more ...any) {
		l.cfg.Logger.Info(what, append([]any{"notebook", l.room.id, "runtime", id}, more...)...)
	}
	if rt.ID != l.attached.id {
		if l.attached.id != "" && !l.attached.ended {
			say("runtime ended", l.attached.id, "reason", "another has taken its place")
		}
		l.attached = attachment{id: rt.ID}
		if rt.State != notebook.RuntimeStopped && rt.Actor != roomActor { // else it came before this room was opened, or never
			say("runtime attached", rt.ID, "by", rt.Actor)
		}
	}
	if rt.State == notebook.RuntimeStopped && !l.attached.ended {
		l.attached.ended = true
		say("runtime ended", rt.ID, "reason", rt.Reason, "detail", rt.Detail)
	}
}

// logLost says which runs were lost. How the others ended is the notebook's alone.
func (l *launch) logLost(n *notebook.Notebook, changes []notebook.Change) {
	for _, c := range changes {
		if c.Table != notebook.TableRuns {
			continue
		}
		if run := n.Run(event.RunID(c.ID)); run != nil && run.State == notebook.RunFinished && run.Status == event.StatusLost {
			l.cfg.Logger.Info("run lost", "notebook", l.room.id, "run", run.ID, "reason", run.Reason)
		}
	}
}

// leftTime is how long it may take to store what a runtime has left: the room waits.
const leftTime = 30 * time.Second

// left returns what a runtime that is gone has left. It is called by the room's owner.
func (l *launch) left(id event.RuntimeID) []event.Draft {
	if l.cfg.Launcher == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), leftTime)
	defer cancel()
	drafts, err := l.cfg.Launcher.Left(ctx, l.room.id, id, l.artifacts.Of(l.room.id))
	if err != nil {
		l.cfg.Logger.Error("what a runtime left is not whole", "notebook", l.room.id, "runtime", id, "events", len(drafts), "error", err)
	}
	return drafts
}

// gone says how a runtime has ended, nothing if that is not known. It is called by the room's owner.
func (l *launch) gone(id event.RuntimeID) string {
	if e, ok := l.cfg.Launcher.(Explainer); ok {
		return e.Gone(l.room.id, id)
	}
	return ""
}

// broughtIn returns who has connected a runtime that is in a notebook, empty if none but the
// server did.
func broughtIn(n *notebook.Notebook) event.Actor {
	for _, takes := range [...]event.Takes{event.TakesCode, event.TakesAI} {
		if rt := n.Runtime(takes); rt != nil && rt.State != notebook.RuntimeStopped && rt.Brought != "" {
			return rt.Brought
		}
	}
	return ""
}

// broughtBy returns who has connected a runtime that is there, empty if none but the server did.
func (l *launch) broughtBy() event.Actor {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.brought
}

func needOf(n *notebook.Notebook) launchNeed {
	var need launchNeed
	if rt := n.Runtime(event.TakesCode); rt != nil {
		if rt.State != notebook.RuntimeStopped {
			return launchNeed{live: rt.ID}
		}
		need.last = rt.ID
	}
	queue := n.Queue()
	for i := len(queue) - 1; i >= 0; i-- {
		if r := n.Run(queue[i]); r.State == notebook.RunPending && r.Takes == event.TakesCode {
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

// start takes in what is in the room, and watches it where runtimes are launched, until ctx
// ends; wait waits for the end of that.
func (l *launch) start(ctx context.Context) {
	l.running.Go(func() { l.watch(ctx) })
}

func (l *launch) wait() { l.running.Wait() }

func (l *launch) watch(ctx context.Context) {
	// A run may have been waiting since before the server stopped, and a runtime may
	// have been told to end.
	err := l.room.View(ctx, func(n *notebook.Notebook) { l.committed(n, nil) })
	if l.cfg.Launcher == nil {
		return
	}
	var tried event.RunID
	var again <-chan time.Time // when what waits is tried again; nil if it is not
	var known launchNeed
	for err == nil && ctx.Err() == nil {
		need := l.now()
		if need.live != known.live || need.last != known.last {
			known = need
			l.endOver(ctx)
			continue
		}
		if need.run != "" && need.run != tried {
			tried = need.run
			if errors.Is(l.launch(ctx), errUntold) { // else the log says why it failed
				again = time.After(l.cfg.Limits.LaunchStart)
			}
			continue
		}
		select {
		case <-l.news:
		case <-again:
			tried, again = "", nil
		case ask := <-l.asks:
			ask.answer <- l.provide(ctx, ask.not)
		case <-ctx.Done():
			return
		}
	}
}

// isOver reports whether the log says that a runtime is over: there is another, or it
// is the last and has stopped. One that the log does not know may be on its way.
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
	err := l.cfg.Launcher.End(ctx, l.room.id, over)
	if err != nil && ctx.Err() == nil {
		l.cfg.Logger.Error("runtime not ended", "notebook", l.room.id, "error", err)
	}
}

// provide sees to it that there is a runtime other than one that has been stopped.
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

// want asks for a runtime in place of one that has been stopped, if there was one,
// and returns when it is there or will not come.
func (l *launch) want(ctx context.Context, not event.RuntimeID) error {
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

// launch starts a runtime, and returns when it is there or will not come. The log
// says why it will not.
func (l *launch) launch(ctx context.Context) error {
	l.endOver(ctx)
	id := event.RuntimeID(newID())
	cause := l.ask(ctx, id)
	if cause == nil {
		cause = l.await(ctx)
	}
	if ctx.Err() != nil {
		return errStopping // the server stops, and the runtime finds the next one
	}
	l.cfg.Metrics.launch(cause)
	if cause == nil {
		return nil
	}
	l.end(ctx, func(id event.RuntimeID) bool { return id != l.now().live }) // it may hang, and must not come later
	l.cfg.Logger.Error("runtime not launched", "notebook", l.room.id, "runtime", id, "error", cause)
	if err := l.tell(ctx, id, cause); err != nil {
		l.cfg.Logger.Error("launch not reported", "notebook", l.room.id, "error", err)
		return errors.Join(cause, errUntold)
	}
	return cause
}

// errUntold says that the log could not be told of a launch that failed, as of one on a full
// disk: the run waits still, and nothing says why.
var errUntold = errors.New("the notebook could not be told")

func (l *launch) ask(ctx context.Context, id event.RuntimeID) error {
	// The token is good for as long as the runtime is the notebook's, however long that is.
	token, err := l.cfg.tokens.Issue(signin.Claims{
		Kind: event.ActorRuntime, Name: string(id), Notebook: l.room.id, Role: access.Runtime,
		Issued: l.cfg.stamp(),
	})
	if err != nil {
		return err
	}
	if err := l.cfg.Launcher.Launch(ctx, runtime.Launch{Notebook: l.room.id, Runtime: id, Token: token}); err != nil {
		return err
	}
	l.cfg.Logger.Info("runtime launched", "notebook", l.room.id, "runtime", id)
	return nil
}

// await waits until a runtime is there.
func (l *launch) await(ctx context.Context) error {
	timer := time.NewTimer(l.cfg.Limits.LaunchStart)
	defer timer.Stop()
	for l.now().live == "" {
		select {
		case <-l.news:
		case <-timer.C:
			return fmt.Errorf("the runtime was started, but did not connect within %v", l.cfg.Limits.LaunchStart)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// tell writes into the log that a runtime could not be had, and why.
func (l *launch) tell(ctx context.Context, id event.RuntimeID, cause error) error {
	if l.now().live != "" {
		return nil // another one came
	}
	if err := l.room.Submit(ctx, roomActor, &event.RuntimeStarted{Runtime: id, Takes: event.TakesCode}); err != nil {
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
