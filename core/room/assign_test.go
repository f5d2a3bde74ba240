package room_test

import (
	"slices"
	"testing"

	"github.com/quirehq/quire/core/room/roomtest"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room"
)

// claimant seats a runtime that claims runs, and starts it. It is not ready yet.
func claimant(d *roomtest.Sequencer, id event.RuntimeID, takes event.Takes) (*roomtest.Member, event.Epoch) {
	d.T.Helper()
	s := d.Connect(takes.Actor(id), access.Serving(takes), protocol.Hello{Client: event.ClientID("of-" + id), Runtime: id, Takes: takes, Claims: true})
	s.Push(&event.RuntimeStarted{Runtime: id, Takes: takes})
	d.MustCommit()
	return s, d.Notebook().Runtime(takes).Epoch
}

// assigned returns the runs that the room has given since a number.
func assignedAfter(d *roomtest.Sequencer, after event.Seq) []event.RunID {
	d.T.Helper()
	var runs []event.RunID
	for _, e := range d.Logged(after) {
		if p, ok := e.Payload.(*event.RunAssigned); ok {
			runs = append(runs, p.Run)
			if e.Actor != "room:room" {
				d.T.Errorf("run %s is assigned by %s, want the room", p.Run, e.Actor)
			}
		}
	}
	return runs
}

func wantAssigned(d *roomtest.Sequencer, after event.Seq, want ...event.RunID) {
	d.T.Helper()
	if got := assignedAfter(d, after); !slices.Equal(got, want) {
		d.T.Errorf("assigned: got %v, want %v", got, want)
	}
}

func TestSY130ARunIsGivenInTheCommitThatMakesItPossible(t *testing.T) {
	commits := 0
	d := roomtest.NewSequencer(t, func(c *room.Config) {
		c.Committed = func(*notebook.Notebook, []notebook.Change) { commits++ }
	})
	d.MustSubmit(roomtest.NewCell("c"), roomtest.NewCell("d"), roomtest.NewCell("e"), roomtest.Request("r1", "c"))
	rt, epoch := claimant(d, "rt", event.TakesCode)
	wantAssigned(d, 0)
	steps := []struct {
		when string
		do   func()
		want []event.RunID
	}{
		{"it is ready", func() { rt.Push(&event.RuntimeReady{Runtime: "rt", Epoch: epoch}); d.MustCommit() }, []event.RunID{"r1"}},
		{"it has a run", func() { d.MustSubmit(roomtest.Request("r2", "d"), roomtest.Request("r3", "e")) }, nil},
		{"it has started", func() { rt.Push(&event.RunStarted{Run: "r1", Epoch: epoch}); d.MustCommit() }, nil},
		{"it has finished", func() { rt.Push(roomtest.Finish("r1", epoch, event.StatusOK)); d.MustCommit() }, []event.RunID{"r2"}},
		{"one that waits is cancelled", func() { d.MustSubmit(&event.RunCancelled{Run: "r3"}) }, nil},
		{"it has nothing more", func() { rt.Push(roomtest.Finish("r2", epoch, event.StatusOK)); d.MustCommit() }, nil},
		{"a run is requested", func() { d.MustSubmit(roomtest.Request("r4", "c")) }, []event.RunID{"r4"}},
	}
	for _, s := range steps {
		before := d.Notebook().Seq()
		commits = 0
		s.do()
		if got := assignedAfter(d, before); !slices.Equal(got, s.want) {
			t.Errorf("when %s: got %v assigned, want %v", s.when, got, s.want)
		}
		if commits != 1 {
			t.Errorf("when %s: got %d commits, want one", s.when, commits)
		}
	}
	roomtest.WantCodes(t, rt.Take())
}

func TestSY130ARuntimeThatComesBackIsGivenWhatWaits(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	d.MustSubmit(roomtest.NewCell("c"))
	rt, epoch := claimant(d, "rt", event.TakesCode)
	rt.Push(&event.RuntimeReady{Runtime: "rt", Epoch: epoch})
	d.MustCommit()
	d.Leave(rt.Member)
	d.MustSubmit(roomtest.Request("r1", "c"))
	wantAssigned(d, 0)
	d.Connect("runtime:rt", access.Runtime, protocol.Hello{Client: "of-rt", Runtime: "rt", Since: d.Notebook().Seq(), Claims: true})
	d.MustCommit()
	wantAssigned(d, 0, "r1")
}

func TestSY131ARunIsNotGivenToARuntimeThatCannotOrWillNotTakeIt(t *testing.T) {
	for name, arrange := range map[string]func(d *roomtest.Sequencer){
		"there is none": func(*roomtest.Sequencer) {},
		"it does not claim": func(d *roomtest.Sequencer) {
			rt, e := d.AddRuntime("rt")
			rt.Push(&event.RuntimeReady{Runtime: "rt", Epoch: e})
		},
		"it is not ready": func(d *roomtest.Sequencer) { claimant(d, "rt", event.TakesCode) },
		"it takes others": func(d *roomtest.Sequencer) {
			rt, e := claimant(d, "rt", event.TakesAI)
			rt.Push(&event.RuntimeReady{Runtime: "rt", Epoch: e})
		},
		"it has stopped": func(d *roomtest.Sequencer) {
			rt, e := claimant(d, "rt", event.TakesCode)
			rt.Push(&event.RuntimeReady{Runtime: "rt", Epoch: e}, &event.RuntimeStopped{Runtime: "rt", Epoch: e, Reason: event.StopShutdown})
		},
		"another has its place": func(d *roomtest.Sequencer) {
			rt, e := claimant(d, "rt", event.TakesCode)
			rt.Push(&event.RuntimeReady{Runtime: "rt", Epoch: e})
			newer, e := d.AddRuntime("rt2")
			newer.Push(&event.RuntimeReady{Runtime: "rt2", Epoch: e})
		},
	} {
		d := roomtest.NewSequencer(t, nil)
		d.MustSubmit(roomtest.NewCell("c"))
		arrange(d)
		d.MustCommit()
		d.MustSubmit(roomtest.Request("r1", "c"))
		if got := assignedAfter(d, 0); len(got) != 0 || d.Notebook().Run("r1").State != notebook.RunPending {
			t.Errorf("%s: got %v assigned, want the run to wait", name, got)
		}
	}
}

func TestSY132ARuntimeThatHasARunIsNotIdle(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	d.MustSubmit(roomtest.NewCell("c"))
	rt, epoch := claimant(d, "rt", event.TakesCode)
	rt.Push(&event.RuntimeReady{Runtime: "rt", Epoch: epoch})
	d.MustSubmit(roomtest.Request("r1", "c"))
	idle := &event.RuntimeStopped{Runtime: "rt", Epoch: epoch, Reason: event.StopIdle}
	rt.Push(idle)
	d.MustCommit()
	roomtest.WantCodes(t, rt.Take(), protocol.CodeConflict)
	if got := d.Notebook().Run("r1").State; got != notebook.RunAssigned {
		t.Errorf("got a run that is %s, want it to be the runtime's yet", got)
	}
	rt.Push(&event.RunStarted{Run: "r1", Epoch: epoch}, roomtest.Finish("r1", epoch, event.StatusOK), idle)
	d.MustCommit()
	roomtest.WantCodes(t, rt.Take())
}

func TestSY132ARuntimeThatIsShutDownEndsWithItsRun(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	d.MustSubmit(roomtest.NewCell("c"))
	rt, epoch := claimant(d, "rt", event.TakesCode)
	rt.Push(&event.RuntimeReady{Runtime: "rt", Epoch: epoch})
	d.MustSubmit(roomtest.Request("r1", "c"))
	rt.Push(&event.RuntimeStopped{Runtime: "rt", Epoch: epoch, Reason: event.StopShutdown})
	d.MustCommit()
	roomtest.WantCodes(t, rt.Take())
	if got := d.Notebook().Run("r1").Status; got != event.StatusLost {
		t.Errorf("got a run that is %s, want it lost", got)
	}
}

func TestSY131EachKindOfRunGoesToItsRuntime(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	d.MustSubmit(roomtest.NewCell("c"), &event.CellCreated{Cell: "ai", Kind: event.KindAI, Order: "U"}, roomtest.NewCell("d"))
	for id, takes := range map[event.RuntimeID]event.Takes{"code": event.TakesCode, "model": event.TakesAI} {
		rt, epoch := claimant(d, id, takes)
		rt.Push(&event.RuntimeReady{Runtime: id, Epoch: epoch})
		d.MustCommit()
	}
	d.MustSubmit(roomtest.Request("r1", "c"), roomtest.Request("r2", "ai"), roomtest.Request("r3", "d"))
	wantAssigned(d, 0, "r1", "r2")
	for run, takes := range map[event.RunID]event.Takes{"r1": event.TakesCode, "r2": event.TakesAI} {
		if got, want := d.Notebook().Run(run).Epoch, d.Notebook().Runtime(takes).Epoch; got != want {
			t.Errorf("run %s: got epoch %d, want %d", run, got, want)
		}
	}
}
