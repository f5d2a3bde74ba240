package server

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

// runtimeLife is for how long the token of a runtime is good.
const runtimeLife = 30 * 24 * time.Hour

// maxDetail is how much of a launcher's error people are shown.
const maxDetail = 1 << 10

// roomActor is who states what became of a launch.
var roomActor = event.NewActor(event.ActorRoom, "room")

// launch starts the runtime of one room when a run waits for one. It asks the
// launcher once for what waits: when that fails the log says so, and the next
// request of a run asks again.
type launch struct {
	cfg     Config
	room    *room
	news    chan struct{} // has a token when the need may have changed
	running sync.WaitGroup

	mu   sync.Mutex
	need launchNeed
}

// launchNeed is what a notebook says of runtimes that take code.
type launchNeed struct {
	present bool        // there is one, or it may come back
	run     event.RunID // the last that waits, if there is none
}

func newLaunch(cfg Config, r *room) *launch {
	return &launch{cfg: cfg, room: r, news: make(chan struct{}, 1)}
}

// committed is called by the room's owner after each commit.
func (l *launch) committed(n *notebook.Notebook, _ []notebook.Change) {
	if l.cfg.Launcher == nil {
		return
	}
	now := needOf(n)
	l.mu.Lock()
	same := now == l.need
	l.need = now
	l.mu.Unlock()
	if same {
		return
	}
	select {
	case l.news <- struct{}{}:
	default:
	}
}

func needOf(n *notebook.Notebook) launchNeed {
	if rt := n.Runtime(event.TakesCode); rt != nil && rt.State != notebook.RuntimeStopped {
		return launchNeed{present: true}
	}
	queue := n.Queue()
	for i := len(queue) - 1; i >= 0; i-- {
		if r := n.Run(queue[i]); r.State == notebook.RunPending && r.Takes == event.TakesCode {
			return launchNeed{run: r.ID}
		}
	}
	return launchNeed{}
}

func (l *launch) now() launchNeed {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.need
}

// start begins to watch the room, until ctx ends; wait waits for the end of that.
func (l *launch) start(ctx context.Context) {
	if l.cfg.Launcher != nil {
		l.running.Go(func() { l.watch(ctx) })
	}
}

func (l *launch) wait() { l.running.Wait() }

func (l *launch) watch(ctx context.Context) {
	// A run may have been waiting since before the server stopped.
	err := l.room.View(ctx, func(n *notebook.Notebook) { l.committed(n, nil) })
	var tried event.RunID
	for err == nil && ctx.Err() == nil {
		if need := l.now(); need.run != "" && need.run != tried {
			tried = need.run
			l.launch(ctx)
			continue
		}
		select {
		case <-l.news:
		case <-ctx.Done():
			return
		}
	}
}

// launch starts a runtime, and returns when it is there or will not come.
func (l *launch) launch(ctx context.Context) {
	id := event.RuntimeID(newID())
	err := l.ask(ctx, id)
	if err == nil {
		err = l.await(ctx)
	}
	if ctx.Err() != nil {
		return // the server stops, and the runtime finds the next one
	}
	l.cfg.Metrics.launch(err)
	if err == nil {
		return
	}
	l.cfg.Logger.Error("runtime not launched", "notebook", l.room.id, "runtime", id, "error", err)
	if err := l.tell(ctx, id, err); err != nil {
		l.cfg.Logger.Error("launch not reported", "notebook", l.room.id, "error", err)
	}
}

func (l *launch) ask(ctx context.Context, id event.RuntimeID) error {
	now := l.cfg.Now()
	token, err := Sign(l.cfg.Secret, Claims{
		Kind: event.ActorRuntime, Name: string(id), Notebook: l.room.id, Role: access.Runtime,
		Expires: now.Add(runtimeLife).Unix(), Issued: event.Time(now.UnixMilli()),
	})
	if err != nil {
		return err
	}
	return l.cfg.Launcher.Launch(ctx, Launch{Notebook: l.room.id, Runtime: id, Token: token})
}

// await waits until a runtime is there.
func (l *launch) await(ctx context.Context) error {
	timer := time.NewTimer(l.cfg.Limits.LaunchStart)
	defer timer.Stop()
	for !l.now().present {
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
	if l.now().present {
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
