package runtime

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/order"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/core/room/roomtest"
)

// world is a room with a person in it, and the runtimes that a test adds. Everything
// in it lives in one bubble of fake time.
type world struct {
	t      *testing.T
	ctx    context.Context
	log    *roomtest.Memory
	slow   func() // called before each append, if not nil
	person *replica.Session
	all    sync.WaitGroup

	mu      sync.Mutex
	room    *room.Room // nil while the server is down
	stop    func()
	conns   map[event.Actor][]protocol.Conn
	unheard map[event.Actor]bool // who cannot connect

	cells, runs int
	inputs      []event.InputID // the questions that asked has returned
}

// lifetime is when a world ends for a test that still waits then, which fails: while
// the clocks of a world tick, nothing else would end it.
const lifetime = 7 * 24 * time.Hour

// inWorld runs a test in a world of its own.
func inWorld(t *testing.T, f func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithTimeout(context.Background(), lifetime)
		w := &world{
			t: t, ctx: ctx, log: roomtest.NewMemory(),
			conns: map[event.Actor][]protocol.Conn{}, unheard: map[event.Actor]bool{},
		}
		w.start()
		w.person = replica.NewSession(replica.SessionConfig{Dial: w.dial("person:ada", access.Owner), Replica: replica.New("ada")})
		w.all.Go(func() { _ = w.person.Run(ctx) })
		defer func() {
			end()
			w.crash()
			w.all.Wait()
		}()
		f(t, w)
	})
}

// slowLog is a log that a test can hold up.
type slowLog struct {
	room.Log
	before func()
}

func (l slowLog) Append(ctx context.Context, b room.Batch) error {
	if l.before != nil {
		l.before()
	}
	return l.Log.Append(ctx, b)
}

// start starts the server.
func (w *world) start() {
	w.t.Helper()
	log := slowLog{w.log, func() {
		if w.slow != nil {
			w.slow()
		}
	}}
	room, err := room.Open(w.ctx, room.Config{Log: log, MayEdit: func(context.Context, event.Actor) bool { return true }}, func(error) {})
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(w.ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = room.Run(ctx)
	}()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.room = room
	w.stop = func() {
		cancel()
		<-done
	}
}

// crash takes the server down as kill -9 would: events that are not on disk are lost.
func (w *world) crash() {
	w.mu.Lock()
	stop := w.stop
	w.room, w.stop = nil, nil
	w.mu.Unlock()
	if stop == nil {
		return
	}
	w.log = w.log.Reopen()
	w.cut("")
	stop()
}

// stopRoom stops the server as a signal does: it stores all there is.
func (w *world) stopRoom() {
	w.mu.Lock()
	stop := w.stop
	w.room, w.stop = nil, nil
	w.mu.Unlock()
	stop()
}

// cut ends the connections of an actor, or of all.
func (w *world) cut(actor event.Actor) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for a, conns := range w.conns {
		if actor == "" || a == actor {
			for _, c := range conns {
				_ = c.Close()
			}
			delete(w.conns, a)
		}
	}
}

// part cuts an actor off until the function it returns is called.
func (w *world) part(actor event.Actor) (rejoin func()) {
	set := func(to bool) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.unheard[actor] = to
	}
	set(true)
	w.cut(actor)
	return func() { set(false) }
}

func (w *world) dial(actor event.Actor, role access.Role) func(context.Context) (protocol.Conn, error) {
	return func(context.Context) (protocol.Conn, error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		served := w.room
		if served == nil || w.unheard[actor] {
			return nil, errors.New("there is no way to the server")
		}
		client, server := roomtest.Pipe()
		w.conns[actor] = append(w.conns[actor], client)
		m := &room.Member{Actor: actor, Role: role, Out: room.NewOutbox(1 << 20)}
		w.all.Go(func() { _ = roomtest.Serve(w.ctx, served, m, server) })
		return client, nil
	}
}

// until waits until the person sees something.
func (w *world) until(what string, f func(*notebook.Notebook) bool) {
	w.t.Helper()
	err := w.person.Wait(w.ctx, func(r *replica.Replica) bool { return f(r.Confirmed()) })
	if err != nil {
		w.t.Fatalf("wait until %s: %v", what, err)
	}
}

func (w *world) do(payloads ...event.Payload) {
	w.t.Helper()
	if err := w.person.Do(w.ctx, payloads...); err != nil {
		w.t.Fatal(err)
	}
}

// cell makes a code cell with a program of the scripted language.
func (w *world) cell(lines ...string) event.CellID {
	w.t.Helper()
	return w.cellOf(event.KindCode, "", lines...)
}

func (w *world) cellOf(kind event.CellKind, language string, lines ...string) event.CellID {
	w.t.Helper()
	w.cells++
	id := event.CellID(fmt.Sprintf("c%02d", w.cells))
	key, err := order.Between(order.Place{}, order.Place{})
	if err != nil {
		w.t.Fatal(err)
	}
	w.do(&event.CellCreated{Cell: id, Kind: kind, Language: language, Order: key, Source: strings.Join(lines, "\n")})
	return id
}

// request asks for runs in one batch, and returns them.
func (w *world) request(cells ...event.CellID) []event.RunID {
	w.t.Helper()
	req := &event.RunRequested{}
	var ids []event.RunID
	for _, cell := range cells {
		w.runs++
		id := event.RunID(fmt.Sprintf("r%02d", w.runs))
		ids = append(ids, id)
		req.Runs = append(req.Runs, event.RunOf{Run: id, Cell: cell})
	}
	w.do(req)
	return ids
}

// state waits until a run has got to a state.
func (w *world) state(id event.RunID, state notebook.RunState) {
	w.t.Helper()
	w.until(fmt.Sprintf("%s is %s", id, state), func(n *notebook.Notebook) bool {
		r := n.Run(id)
		return r != nil && r.State == state
	})
}

// printed waits until a cell has an output.
func (w *world) printed(cell event.CellID) {
	w.t.Helper()
	w.until("there is an output", func(n *notebook.Notebook) bool { return len(n.Cell(cell).Outputs) > 0 })
}

// run runs a program in a new cell to its end, and returns its outputs.
func (w *world) run(lines ...string) []string {
	w.t.Helper()
	cell := w.cell(lines...)
	id := w.request(cell)[0]
	w.state(id, notebook.RunFinished)
	return w.outputs(cell)
}

// ended says how a run finished.
func (w *world) ended(id event.RunID) (status event.RunStatus, reason string) {
	w.t.Helper()
	w.state(id, notebook.RunFinished)
	_ = w.person.With(func(r *replica.Replica) error {
		run := r.Confirmed().Run(id)
		status, reason = run.Status, run.Reason
		return nil
	})
	return status, reason
}

// wantCause checks the cause of a run that has finished.
func (w *world) wantCause(id event.RunID, want event.Cause) {
	w.t.Helper()
	w.state(id, notebook.RunFinished)
	_ = w.person.With(func(r *replica.Replica) error {
		if got := r.Confirmed().Run(id).Cause; got != want {
			w.t.Errorf("run %s: got the cause %q, want %q", id, got, want)
		}
		return nil
	})
}

// hasStarted reports whether a run was ever executing.
func (w *world) hasStarted(id event.RunID) (started bool) {
	w.t.Helper()
	_ = w.person.With(func(r *replica.Replica) error {
		started = r.Confirmed().Run(id).Started != 0
		return nil
	})
	return started
}

func (w *world) wantStatus(id event.RunID, want event.RunStatus) {
	w.t.Helper()
	if got, reason := w.ended(id); got != want {
		w.t.Errorf("run %s: got %s (%s), want %s", id, got, reason, want)
	}
}
