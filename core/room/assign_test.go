package room_test

import (
	"slices"
	"testing"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room"
)

// claimant seats a runtime that claims runs, and starts it. It is not ready yet.
func (d *desk) claimant(id event.RuntimeID, takes event.Takes) (*seat, event.Epoch) {
	d.t.Helper()
	actor := event.NewActor(event.ActorRuntime, string(id))
	s := d.seat(actor, access.Runtime, protocol.Hello{Client: event.ClientID("of-" + id), Runtime: id, Claims: true})
	s.push(&event.RuntimeStarted{Runtime: id, Takes: takes})
	d.commit()
	return s, d.Notebook().Runtime(takes).Epoch
}

// assigned returns the runs that the room has given since a number.
func (d *desk) assigned(after event.Seq) []event.RunID {
	d.t.Helper()
	var runs []event.RunID
	for _, e := range d.logged(after) {
		if p, ok := e.Payload.(*event.RunAssigned); ok {
			runs = append(runs, p.Run)
			if e.Actor != "room:room" {
				d.t.Errorf("run %s is assigned by %s, want the room", p.Run, e.Actor)
			}
		}
	}
	return runs
}

func (d *desk) wantAssigned(after event.Seq, want ...event.RunID) {
	d.t.Helper()
	if got := d.assigned(after); !slices.Equal(got, want) {
		d.t.Errorf("assigned: got %v, want %v", got, want)
	}
}

func finish(run event.RunID, epoch event.Epoch, status event.RunStatus) *event.RunFinished {
	return &event.RunFinished{Run: run, Epoch: epoch, Status: status}
}

func TestSY130ARunIsGivenInTheCommitThatMakesItPossible(t *testing.T) {
	commits := 0
	d := newDesk(t, func(c *room.Config) {
		c.Committed = func(*notebook.Notebook, []notebook.Change) { commits++ }
	})
	d.submit(newCell("c"), newCell("d"), newCell("e"), request("r1", "c"))
	rt, epoch := d.claimant("rt", event.TakesCode)
	d.wantAssigned(0)
	steps := []struct {
		when string
		do   func()
		want []event.RunID
	}{
		{"it is ready", func() { rt.push(&event.RuntimeReady{Runtime: "rt", Epoch: epoch}); d.commit() }, []event.RunID{"r1"}},
		{"it has a run", func() { d.submit(request("r2", "d"), request("r3", "e")) }, nil},
		{"it has started", func() { rt.push(&event.RunStarted{Run: "r1", Epoch: epoch}); d.commit() }, nil},
		{"it has finished", func() { rt.push(finish("r1", epoch, event.StatusOK)); d.commit() }, []event.RunID{"r2"}},
		{"one that waits is cancelled", func() { d.submit(&event.RunCancelled{Run: "r3"}) }, nil},
		{"it has nothing more", func() { rt.push(finish("r2", epoch, event.StatusOK)); d.commit() }, nil},
		{"a run is requested", func() { d.submit(request("r4", "c")) }, []event.RunID{"r4"}},
	}
	for _, s := range steps {
		before := d.Notebook().Seq()
		commits = 0
		s.do()
		if got := d.assigned(before); !slices.Equal(got, s.want) {
			t.Errorf("when %s: got %v assigned, want %v", s.when, got, s.want)
		}
		if commits != 1 {
			t.Errorf("when %s: got %d commits, want one", s.when, commits)
		}
	}
	wantCodes(t, rt.take())
}

func TestSY130ARuntimeThatComesBackIsGivenWhatWaits(t *testing.T) {
	d := newDesk(t, nil)
	d.submit(newCell("c"))
	rt, epoch := d.claimant("rt", event.TakesCode)
	rt.push(&event.RuntimeReady{Runtime: "rt", Epoch: epoch})
	d.commit()
	d.Leave(rt.Member)
	d.submit(request("r1", "c"))
	d.wantAssigned(0)
	d.seat("runtime:rt", access.Runtime, protocol.Hello{Client: "of-rt", Runtime: "rt", Since: d.Notebook().Seq(), Claims: true})
	d.commit()
	d.wantAssigned(0, "r1")
}

func TestSY131ARunIsNotGivenToARuntimeThatCannotOrWillNotTakeIt(t *testing.T) {
	for name, arrange := range map[string]func(d *desk){
		"there is none":     func(*desk) {},
		"it does not claim": func(d *desk) { rt, e := d.joinRuntime("rt"); rt.push(&event.RuntimeReady{Runtime: "rt", Epoch: e}) },
		"it is not ready":   func(d *desk) { d.claimant("rt", event.TakesCode) },
		"it takes others": func(d *desk) {
			rt, e := d.claimant("rt", event.TakesAI)
			rt.push(&event.RuntimeReady{Runtime: "rt", Epoch: e})
		},
		"it has stopped": func(d *desk) {
			rt, e := d.claimant("rt", event.TakesCode)
			rt.push(&event.RuntimeReady{Runtime: "rt", Epoch: e}, &event.RuntimeStopped{Runtime: "rt", Epoch: e, Reason: event.StopShutdown})
		},
		"another has its place": func(d *desk) {
			rt, e := d.claimant("rt", event.TakesCode)
			rt.push(&event.RuntimeReady{Runtime: "rt", Epoch: e})
			newer, e := d.joinRuntime("rt2")
			newer.push(&event.RuntimeReady{Runtime: "rt2", Epoch: e})
		},
	} {
		d := newDesk(t, nil)
		d.submit(newCell("c"))
		arrange(d)
		d.commit()
		d.submit(request("r1", "c"))
		if got := d.assigned(0); len(got) != 0 || d.Notebook().Run("r1").State != notebook.RunPending {
			t.Errorf("%s: got %v assigned, want the run to wait", name, got)
		}
	}
}

func TestSY132ARuntimeThatHasARunIsNotIdle(t *testing.T) {
	d := newDesk(t, nil)
	d.submit(newCell("c"))
	rt, epoch := d.claimant("rt", event.TakesCode)
	rt.push(&event.RuntimeReady{Runtime: "rt", Epoch: epoch})
	d.submit(request("r1", "c"))
	idle := &event.RuntimeStopped{Runtime: "rt", Epoch: epoch, Reason: event.StopIdle}
	rt.push(idle)
	d.commit()
	wantCodes(t, rt.take(), protocol.CodeConflict)
	if got := d.Notebook().Run("r1").State; got != notebook.RunAssigned {
		t.Errorf("got a run that is %s, want it to be the runtime's yet", got)
	}
	rt.push(&event.RunStarted{Run: "r1", Epoch: epoch}, finish("r1", epoch, event.StatusOK), idle)
	d.commit()
	wantCodes(t, rt.take())
}

func TestSY132ARuntimeThatIsShutDownEndsWithItsRun(t *testing.T) {
	d := newDesk(t, nil)
	d.submit(newCell("c"))
	rt, epoch := d.claimant("rt", event.TakesCode)
	rt.push(&event.RuntimeReady{Runtime: "rt", Epoch: epoch})
	d.submit(request("r1", "c"))
	rt.push(&event.RuntimeStopped{Runtime: "rt", Epoch: epoch, Reason: event.StopShutdown})
	d.commit()
	wantCodes(t, rt.take())
	if got := d.Notebook().Run("r1").Status; got != event.StatusLost {
		t.Errorf("got a run that is %s, want it lost", got)
	}
}

func TestSY131EachKindOfRunGoesToItsRuntime(t *testing.T) {
	d := newDesk(t, nil)
	d.submit(newCell("c"), &event.CellCreated{Cell: "ai", Kind: event.KindAI, Order: "U"}, newCell("d"))
	for id, takes := range map[event.RuntimeID]event.Takes{"code": event.TakesCode, "model": event.TakesAI} {
		rt, epoch := d.claimant(id, takes)
		rt.push(&event.RuntimeReady{Runtime: id, Epoch: epoch})
		d.commit()
	}
	d.submit(request("r1", "c"), request("r2", "ai"), request("r3", "d"))
	d.wantAssigned(0, "r1", "r2")
	for run, takes := range map[event.RunID]event.Takes{"r1": event.TakesCode, "r2": event.TakesAI} {
		if got, want := d.Notebook().Run(run).Epoch, d.Notebook().Runtime(takes).Epoch; got != want {
			t.Errorf("run %s: got epoch %d, want %d", run, got, want)
		}
	}
}
