package server_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quirehq/quire/core/artifact"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	worker "github.com/quirehq/quire/core/runtime"
	"github.com/quirehq/quire/host/server"
	"github.com/quirehq/quire/internal/ws"
)

// launched is the request for a runtime, with the token that was issued for it.
type launched struct {
	worker.Launch
	Token string
}

// launcher is a launcher whose runtimes are names only.
type launcher struct {
	asked chan launched
	ended chan event.RuntimeID

	mu    sync.Mutex
	err   error             // of each launch
	alive []event.RuntimeID // of all notebooks
	gone  map[event.RuntimeID]string
}

func newLauncher() *launcher {
	return &launcher{asked: make(chan launched, 100), ended: make(chan event.RuntimeID, 100)}
}

func (l *launcher) Launch(_ context.Context, what worker.Launch) error {
	token, err := what.Token()
	if err != nil {
		return err
	}
	l.asked <- launched{what, token}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.alive = append(l.alive, what.Runtime)
	}
	return l.err
}

func (l *launcher) End(_ context.Context, _ string, over func(event.RuntimeID) bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.alive = slices.DeleteFunc(l.alive, func(id event.RuntimeID) bool {
		if over(id) {
			l.ended <- id
		}
		return over(id)
	})
	return nil
}

func (l *launcher) Left(context.Context, string, event.RuntimeID, artifact.Store) ([]event.Draft, error) {
	return nil, nil
}

func (l *launcher) Gone(_ string, id event.RuntimeID) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.gone[id]
}

// dies records the end of a runtime's process.
func (l *launcher) dies(id event.RuntimeID, how string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gone = map[event.RuntimeID]string{id: how}
}

// wantEnded waits for the end of a runtime.
func (l *launcher) wantEnded(t *testing.T, want event.RuntimeID) {
	t.Helper()
	select {
	case got := <-l.ended:
		if got != want {
			t.Errorf("runtime %s was ended, want %s", got, want)
		}
	case <-soon(t).Done():
		t.Fatalf("runtime %s was not ended", want)
	}
}

func (l *launcher) answer(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err = err
}

// next waits for a launch.
func (l *launcher) next(t *testing.T) launched {
	t.Helper()
	select {
	case what := <-l.asked:
		return what
	case <-soon(t).Done():
		t.Fatal("got no launch")
	}
	return launched{}
}

// none wants that nothing more was asked for.
func (l *launcher) none(t *testing.T) {
	t.Helper()
	select {
	case what := <-l.asked:
		t.Errorf("got another launch, of %s", what.Runtime)
	default:
	}
}

// launchWorld is a world with a launcher and a notebook b1 with a cell k1, and a
// member of it.
func launchWorld(t *testing.T, l *launcher, changes ...func(*server.Config)) (*world, *peer) {
	t.Helper()
	w := newWorld(t, append(changes, func(c *server.Config) { c.Launcher = l })...)
	w.book("b1")
	p := w.join(t, "b1", ownerToken, "c1")
	p.committed(p.push(created("k1", "1"))[0])
	return w, p
}

func runOf(id event.RunID) *event.RunRequested {
	return &event.RunRequested{Runs: []event.RunOf{{Run: id, Cell: "k1"}}}
}

// runtimeOf joins as the runtime of a launch, and starts.
func (w *world) runtimeOf(t *testing.T, what launched) *peer {
	t.Helper()
	client := event.ClientID("runtime-" + what.Runtime)
	rt := w.joinAs(t, what.Notebook, what.Token, helloOf(client, what.Runtime))
	rt.committed(rt.push(&event.RuntimeStarted{Runtime: what.Runtime, Takes: event.TakesCode})[0])
	return rt
}

func TestARunStartsARuntimeOnce(t *testing.T) {
	l := newLauncher()
	w, p := launchWorld(t, l)
	l.none(t)
	p.committed(p.push(runOf("run1"))[0])
	what := l.next(t)
	if what.Notebook != "b1" {
		t.Errorf("got a launch for %s, want b1", what.Notebook)
	}
	p.committed(p.push(runOf("run2"))[0]) // while it is on its way
	rt := w.runtimeOf(t, what)
	p.committed(p.push(runOf("run3"))[0])
	rt.committed(rt.push(&event.RunAssigned{Run: "run3", Epoch: 1})[0])
	w.eventually(t, `quire_launches_total{outcome="started"} 1`)
	l.none(t)

	// A runtime that stopped leaves runs that wait, and they get another one.
	rt.committed(rt.push(&event.RuntimeStopped{Runtime: what.Runtime, Epoch: 1, Reason: event.StopShutdown})[0])
	if again := l.next(t); again.Runtime == what.Runtime || again.Token == what.Token {
		t.Errorf("got runtime %s again, want another", again.Runtime)
	}
}

func TestAC24TheTokenOfALaunchIsForItsNotebookAndRuntimeOnly(t *testing.T) {
	l := newLauncher()
	w, p := launchWorld(t, l)
	w.book("b2")
	p.committed(p.push(runOf("run1"))[0])
	what := l.next(t)
	_, err := ws.Dial(soon(t), w.url+"/api/notebooks/b2/sync", what.Token, ws.Options{})
	var closed *protocol.Closed
	if !errors.As(err, &closed) || closed.Code != protocol.CodeNotFound {
		t.Errorf("another notebook: got %v, want not-found", err)
	}
	other := w.open(t, "b1", what.Token)
	other.hello(helloOf("c2", "another"))
	wantClosed(t, other, protocol.CodeForbidden)
	w.runtimeOf(t, what)
}

func TestALaunchThatFailsIsTold(t *testing.T) {
	l := newLauncher()
	l.answer(errors.New("python3 is not installed: install it and run the cell again"))
	w, p := launchWorld(t, l)
	p.committed(p.push(runOf("run1"))[0])
	what := l.next(t)
	stopped := waitFor[*event.RuntimeStopped](p)
	want := event.RuntimeStopped{
		Runtime: what.Runtime, Epoch: 1, Reason: event.StopFailed,
		Detail: "python3 is not installed: install it and run the cell again",
	}
	if *stopped != want {
		t.Errorf("got %+v, want %+v", *stopped, want)
	}
	p.titled("and it does not try for ever")
	l.none(t)

	l.answer(nil)
	p.committed(p.push(runOf("run2"))[0])
	w.runtimeOf(t, l.next(t))
	w.eventually(t, `quire_launches_total{outcome="failed"} 1`)
}

func TestARuntimeThatDoesNotConnectIsTold(t *testing.T) {
	l := newLauncher()
	w, p := launchWorld(t, l, func(c *server.Config) { c.Limits.LaunchStart = time.Millisecond })
	p.committed(p.push(runOf("run1"))[0])
	what := l.next(t)
	if got := waitFor[*event.RuntimeStopped](p); got.Reason != event.StopFailed || !strings.Contains(got.Detail, "did not connect") {
		t.Errorf("got %+v, want that it did not connect", got)
	}
	w.runtimeOf(t, what) // late is better than never
}

func TestARuntimeThatEndsBeforeItConnectsIsTold(t *testing.T) {
	l := newLauncher()
	w, p := launchWorld(t, l, func(c *server.Config) { c.Limits.LaunchStart = time.Hour })
	p.committed(p.push(runOf("run1"))[0])
	l.dies(l.next(t).Runtime, "its process has ended: exit status 1")
	want := "the runtime ended before it connected: its process has ended: exit status 1"
	if got := waitFor[*event.RuntimeStopped](p); got.Reason != event.StopFailed || got.Detail != want {
		t.Errorf("got %+v, want %q", got, want)
	}
	p.committed(p.push(runOf("run2"))[0])
	w.runtimeOf(t, l.next(t))
}

func TestARuntimeThatStopsAsItStartsIsNotAwaited(t *testing.T) {
	l := newLauncher()
	w, p := launchWorld(t, l, func(c *server.Config) { c.Limits.LaunchStart = time.Hour })
	p.committed(p.push(runOf("run1"))[0])
	what := l.next(t)
	client := event.ClientID("runtime-" + what.Runtime)
	rt := w.joinAs(t, what.Notebook, what.Token, helloOf(client, what.Runtime))
	rt.push(
		&event.RuntimeStarted{Runtime: what.Runtime, Takes: event.TakesCode},
		&event.RuntimeStopped{Runtime: what.Runtime, Epoch: 1, Reason: event.StopFailed, Detail: "there is no python3"},
	)
	if got := waitFor[*event.RuntimeStopped](p); got.Detail != "there is no python3" {
		t.Errorf("got %+v, want what the runtime said", got)
	}
	p.committed(p.push(runOf("run2"))[0])
	w.runtimeOf(t, l.next(t))
}

func TestARunThatWaitedForTheServerStartsARuntime(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	p := w.join(t, "b1", ownerToken, "c1")
	p.committed(p.push(created("k1", "1"), runOf("run1"))[1])
	w.stop()
	l := newLauncher()
	next := newWorldOn(t, w.store, func(c *server.Config) { c.Launcher = l })
	next.join(t, "b1", person(t, "viewer"), "c2")
	l.next(t)
}

func TestALaunchUnderWayDoesNotHoldUpTheStop(t *testing.T) {
	l := newLauncher()
	w, p := launchWorld(t, l)
	p.committed(p.push(runOf("run1"))[0])
	l.next(t)
	w.stop()
	last, err := w.store.log("b1").Last(t.Context())
	if err != nil || last != 2 {
		t.Errorf("got %d events, %v, want 2: a launch that goes on has not failed", last, err)
	}
}

// waitFor waits for an event of a kind.
func waitFor[P event.Payload](p *peer) P {
	p.t.Helper()
	for {
		for _, e := range next[*protocol.Events](p).Events {
			if payload, ok := e.Payload.(P); ok {
				return payload
			}
		}
	}
}

// stopped states the end of a runtime.
func stopped(id event.RuntimeID) *event.RuntimeStopped {
	return &event.RuntimeStopped{Runtime: id, Epoch: 1, Reason: event.StopIdle}
}

// dialForbidden wants a token to be refused with a word in the reason.
func (w *world) dialForbidden(t *testing.T, token, word string) {
	t.Helper()
	_, err := ws.Dial(soon(t), w.url+"/api/notebooks/b1/sync", token, ws.Options{})
	var closed *protocol.Closed
	if !errors.As(err, &closed) || closed.Code != protocol.CodeForbidden || !strings.Contains(closed.Message, word) {
		t.Errorf("got %v, want forbidden with %q", err, word)
	}
}

func TestAC24TheTokenOfARuntimeEndsWithIt(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	token := runtime(t, "b1", "r1")
	w.joinAs(t, "b1", token, helloOf("early", "r1")) // it has not started yet
	rt := w.joinAs(t, "b1", token, helloOf("runtime", "r1"))
	rt.committed(rt.push(&event.RuntimeStarted{Runtime: "r1", Takes: event.TakesCode})[0])
	w.joinAs(t, "b1", token, helloOf("again", "r1")) // it runs
	rt.committed(rt.push(stopped("r1"))[0])
	w.dialForbidden(t, token, "was stopped (idle)")
	w.do(t, request{method: "GET", path: "/api/notebooks/b1/log", token: token}).want(t, 403).problem(t)
	w.joinAs(t, "b1", runtime(t, "b1", "r2"), helloOf("next", "r2"))
}

func TestAC24TheTokenOfARuntimeLastsForAsLongAsTheRuntime(t *testing.T) {
	l, now := newLauncher(), newClock()
	w, p := launchWorld(t, l, now.use)
	p.committed(p.push(runOf("run1"))[0])
	what := l.next(t)
	_ = w.runtimeOf(t, what).Close()
	now.add(3 * 365 * 24 * time.Hour)
	w.joinAs(t, "b1", what.Token, helloOf("again", what.Runtime))
	w.do(t, request{method: "GET", path: "/api/notebooks/b1/log", token: what.Token}).want(t, 200)
}

func TestAC24TheTokenOfALaunchEndsWhenAnotherTakesItsPlace(t *testing.T) {
	l, now := newLauncher(), newClock()
	w, p := launchWorld(t, l, now.use)
	p.committed(p.push(runOf("run1"))[0])
	what := l.next(t)
	now.add(time.Second)
	rt := w.runtimeOf(t, what)
	w.joinAs(t, "b1", what.Token, helloOf("again", what.Runtime))
	now.add(time.Second)
	mine := w.joinAs(t, "b1", ownerToken, helloOf("mine", "mine"))
	mine.committed(mine.push(&event.RuntimeStarted{Runtime: "mine", Takes: event.TakesCode})[0])
	w.dialForbidden(t, what.Token, "taken the place")

	// A launch from after that may displace it in turn.
	_ = rt.Close()
	mine.committed(mine.push(&event.RuntimeStopped{Runtime: "mine", Epoch: 2, Reason: event.StopIdle})[0])
	p.committed(p.push(runOf("run2"))[0])
	w.runtimeOf(t, l.next(t))
}

func TestARuntimeThatTheServerBeforeLaunchedMayStillCome(t *testing.T) {
	l := newLauncher()
	l.alive = []event.RuntimeID{"early"} // it was launched, and has not joined
	_, p := launchWorld(t, l)
	p.committed(p.push(runOf("run1"))[0])
	l.next(t) // what a launcher answers that has started one already is its own affair
	select {
	case id := <-l.ended:
		t.Errorf("runtime %s was ended, which the log does not know yet", id)
	default:
	}
}

// filling is a launcher with whose launches the disk becomes full.
type filling struct {
	*launcher
	store *store
}

func (f filling) Launch(_ context.Context, what worker.Launch) error {
	err := errors.New("the disk is full")
	f.store.failAppends(err)
	f.asked <- launched{Launch: what}
	return err
}

func TestALaunchOfWhichTheLogCouldNotBeToldIsTriedAgain(t *testing.T) {
	l, st := newLauncher(), newStore()
	w := newWorldOn(t, st, func(c *server.Config) {
		c.Launcher = filling{l, st}
		c.Limits.LaunchStart = 10 * time.Millisecond
	})
	w.book("b1")
	p := w.join(t, "b1", ownerToken, "c1")
	p.committed(p.push(created("k1", "1"))[0])
	p.push(runOf("r1"))
	l.next(t)
	l.next(t) // nothing else has happened
	st.failAppends(nil)
}
