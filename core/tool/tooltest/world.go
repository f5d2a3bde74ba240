// Package tooltest has a room for tests of agents: with a person, and a runtime of a scripted language.
package tooltest

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/core/room/roomtest"
	"github.com/quirehq/quire/core/runtime"
)

// World is a room with a person and a runtime of code. It lives in one bubble of fake time.
type World struct {
	T      *testing.T
	Ctx    context.Context
	Person *replica.Session // person:ada, the owner
	Log    *roomtest.Memory
	Engine *langtest.Scripted // of the runtime of code

	room *room.Room
	all  sync.WaitGroup
	ids  atomic.Int64
}

// Open opens a world, in a bubble of testing/synctest, and returns what ends it.
func Open(t *testing.T) (w *World, end func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
	w = &World{T: t, Ctx: ctx, Log: roomtest.NewMemory(), Engine: langtest.NewScripted()}
	opened, err := room.Open(ctx, room.Config{Log: w.Log, MayEdit: func(context.Context, event.Actor) bool { return true }}, func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	w.room = opened
	w.all.Go(func() { _ = opened.Run(ctx) })
	w.Person = w.Join("ada", access.Owner)
	w.AddRuntime(runtime.Config{Runtime: "code", Engines: lang.NewSet([]lang.Spec{{
		Language: "python", New: func() (lang.Engine, error) { return w.Engine, nil },
	}})})
	return w, func() {
		cancel()
		w.all.Wait()
	}
}

// Join connects a person with a role.
func (w *World) Join(name string, role access.Role) *replica.Session {
	w.T.Helper()
	s := replica.NewSession(replica.SessionConfig{Dial: w.Dial(event.NewActor(event.ActorPerson, name), role), Replica: replica.New(event.ClientID(name))})
	w.all.Go(func() { _ = s.Run(w.Ctx) })
	if err := s.Wait(w.Ctx, (*replica.Replica).Online); err != nil {
		w.T.Fatal(err)
	}
	return s
}

// AddRuntime attaches a runtime, which needs an id, and returns it once the notebook lists it.
func (w *World) AddRuntime(cfg runtime.Config) *runtime.Runtime {
	w.T.Helper()
	kind := cmp.Or(cfg.Takes, event.TakesCode)
	cfg.Name = string(cfg.Runtime)
	cfg.Dial = w.Dial(kind.Actor(cfg.Runtime), access.Owner)
	rt, err := runtime.New(cfg)
	if err != nil {
		w.T.Fatal(err)
	}
	w.all.Go(func() { _ = rt.Run(w.Ctx) })
	w.Until(func(n *notebook.Notebook) bool {
		listed := n.Runtime(kind)
		return listed != nil && listed.ID == cfg.Runtime && listed.State == notebook.RuntimeReady
	})
	return rt
}

// Dial returns what connects an actor to the room.
func (w *World) Dial(actor event.Actor, role access.Role) func(context.Context) (protocol.Conn, error) {
	return func(context.Context) (protocol.Conn, error) {
		client, server := roomtest.Pipe()
		m := &room.Member{Actor: actor, Role: role, Out: room.NewOutbox(1 << 20)}
		w.all.Go(func() { _ = roomtest.Serve(w.Ctx, w.room, m, server) })
		return client, nil
	}
}

// NewID returns an id that no other call returns.
func (w *World) NewID() string { return fmt.Sprintf("n%02d", w.ids.Add(1)) }

// Do appends events of the person.
func (w *World) Do(payloads ...event.Payload) {
	w.T.Helper()
	if err := w.Person.Do(w.Ctx, payloads...); err != nil {
		w.T.Fatal(err)
	}
}

// Cell adds a cell at the end.
func (w *World) Cell(kind event.CellKind, lines ...string) event.CellID {
	w.T.Helper()
	id := event.CellID(w.NewID())
	made := &event.CellCreated{Cell: id, Kind: kind, Source: strings.Join(lines, "\n")}
	w.See(func(n *notebook.Notebook) {
		var err error
		if made.Order, err = n.Between(len(n.Cells())); err != nil {
			w.T.Fatal(err)
		}
	})
	w.Do(made)
	return id
}

// Run requests a run of a cell by the person.
func (w *World) Run(cell event.CellID) event.RunID {
	w.T.Helper()
	id := event.RunID(w.NewID())
	w.Do(&event.RunRequested{Runs: []event.RunOf{{Run: id, Cell: cell}}})
	return id
}

// Finished waits until a run is finished, and returns it.
func (w *World) Finished(id event.RunID) (run notebook.Run) {
	w.T.Helper()
	w.Until(func(n *notebook.Notebook) bool {
		r := n.Run(id)
		if r == nil || r.State != notebook.RunFinished {
			return false
		}
		run = *r
		return true
	})
	return run
}

// Until waits until the person sees a notebook that fits.
func (w *World) Until(f func(*notebook.Notebook) bool) {
	w.T.Helper()
	if err := w.Person.Wait(w.Ctx, func(r *replica.Replica) bool { return f(r.Confirmed()) }); err != nil {
		w.T.Fatal(err)
	}
}

// See calls f with the notebook that the person sees.
func (w *World) See(f func(*notebook.Notebook)) {
	_ = w.Person.With(func(r *replica.Replica) error {
		f(r.Confirmed())
		return nil
	})
}

// Source returns the source of a cell.
func (w *World) Source(cell event.CellID) (source string) {
	w.See(func(n *notebook.Notebook) { source = n.Cell(cell).Source() })
	return source
}

// Events returns the events of the log.
func (w *World) Events() []event.Event {
	w.T.Helper()
	var all []event.Event
	err := w.Log.Read(w.Ctx, 0, func(r event.Record) error {
		e, err := event.Decode(r.Data)
		all = append(all, e)
		return err
	})
	if err != nil {
		w.T.Fatal(err)
	}
	return all
}

// Sync waits until the person and another session have each other's events.
func (w *World) Sync(other *replica.Session) {
	w.T.Helper()
	for _, both := range [][2]*replica.Session{{w.Person, other}, {other, w.Person}} {
		var has event.Seq
		_ = both[0].With(func(r *replica.Replica) error {
			has = r.Confirmed().Seq()
			return nil
		})
		if err := both[1].Wait(w.Ctx, func(r *replica.Replica) bool { return r.Confirmed().Seq() >= has }); err != nil {
			w.T.Fatal(err)
		}
	}
}
