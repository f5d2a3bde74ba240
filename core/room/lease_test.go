package room_test

import (
	"testing"

	"github.com/quirehq/quire/core/room/roomtest"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room"
)

// grace is that of a Sequencer, in milliseconds.
const grace = 10_000

// working returns a sequencer with a runtime that has started one run and assigned another.
func working(t *testing.T) (*roomtest.Sequencer, *roomtest.Member) {
	t.Helper()
	d := roomtest.NewSequencer(t, nil)
	d.MustSubmit(roomtest.NewCell("c"), roomtest.Request("r1", "c"), roomtest.Request("r2", "c"), roomtest.Request("r3", "c"))
	s, epoch := d.AddRuntime("rt")
	s.Push(&event.RunAssigned{Run: "r1", Epoch: epoch}, &event.RunStarted{Run: "r1", Epoch: epoch}, &event.RunAssigned{Run: "r2", Epoch: epoch})
	d.MustCommit()
	roomtest.WantCodes(t, s.Take())
	return d, s
}

func TestSY80ARuntimeThatIsAwayTooLongIsStoppedOnceAndItsRunsAreLost(t *testing.T) {
	d, s := working(t)
	d.Leave(s.Member)
	if !d.RuntimePresent(event.TakesCode) {
		t.Error("got no runtime within the grace, want it still to come back")
	}
	if got := d.Pass(grace - 1); len(got) != 0 {
		t.Errorf("within the grace: got %v, want nothing", got)
	}
	events := d.Pass(1)
	if len(events) != 1 || events[0].Actor != "room:room" {
		t.Fatalf("got %v, want one event of the room", events)
	}
	stop, ok := events[0].Payload.(*event.RuntimeStopped)
	if !ok || stop.Runtime != "rt" || stop.Reason != event.StopLease || stop.Detail == "" {
		t.Errorf("got %+v, want that rt's lease ended", events[0].Payload)
	}
	for run, want := range map[event.RunID]notebook.RunState{"r3": notebook.RunPending} {
		if got := d.Notebook().Run(run); got.State != want {
			t.Errorf("run %s: got %s, want %s", run, got.State, want)
		}
	}
	if got := d.Notebook().Queue(); len(got) != 1 {
		t.Errorf("got %v in the queue, want only the run that nobody had", got)
	}
	if got := d.Pass(10 * grace); len(got) != 0 {
		t.Errorf("later: got %v, want nothing more", got)
	}
	if d.RuntimePresent(event.TakesCode) {
		t.Error("got a runtime, want none")
	}
}

func TestSY81ARuntimeThatComesBackInTimeGoesOn(t *testing.T) {
	d, s := working(t)
	d.Leave(s.Member)
	d.Time += grace - 1
	s = d.Connect("runtime:rt", access.Runtime, protocol.Hello{Client: "of-rt", Runtime: "rt", Since: d.Notebook().Seq()})
	if got := d.Pass(10 * grace); len(got) != 0 {
		t.Errorf("got %v, want nothing", got)
	}
	s.Push(&event.RunFinished{Run: "r1", Epoch: 1, Status: event.StatusOK})
	d.MustCommit()
	roomtest.WantCodes(t, s.Take())
	if _, waiting := d.NextDeadline(); waiting {
		t.Error("got a lease that ends, want none while the runtime is here")
	}
}

func TestSY81ASecondConnectionOfTheRuntimeKeepsItHere(t *testing.T) {
	for name, leave := range map[string]func(*roomtest.Sequencer, *roomtest.Member){
		"the first leaves": func(d *roomtest.Sequencer, s *roomtest.Member) { d.Leave(s.Member) },
		"it displaces the first": func(d *roomtest.Sequencer, s *roomtest.Member) {
			d.Connect("runtime:rt", access.Runtime, protocol.Hello{Client: s.Client, Runtime: "rt"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, s := working(t)
			d.Connect("runtime:rt", access.Runtime, protocol.Hello{Client: "second", Runtime: "rt"})
			leave(d, s)
			if got := d.Pass(10 * grace); len(got) != 0 {
				t.Errorf("got %v, want nothing", got)
			}
		})
	}
}

func TestSY82AfterTheRoomWasAwayTheGraceCountsAnew(t *testing.T) {
	d, s := working(t)
	d.Leave(s.Member)
	d.Time += grace - 1
	d.Restart()
	end, ok := d.NextDeadline()
	if !ok || end != d.Time+grace {
		t.Errorf("got a lease until %d (%t), want until %d", end, ok, d.Time+grace)
	}
	if got := d.Pass(grace - 1); len(got) != 0 {
		t.Errorf("within the grace: got %v, want nothing", got)
	}
	if got := d.Pass(1); len(got) != 1 {
		t.Errorf("after it: got %v, want one event", got)
	}
}

func TestSY82AfterAFailedBatchTheGraceCountsAnew(t *testing.T) {
	d, s := working(t)
	d.Log.Fail(errFull, false)
	s.Push(&event.RunFinished{Run: "r1", Epoch: 1, Status: event.StatusOK})
	if err := d.Commit(t.Context()); err == nil {
		t.Fatal("got no error of the log")
	}
	if end, ok := d.NextDeadline(); !ok || end != d.Time+grace {
		t.Errorf("got a lease until %d (%t), want until %d", end, ok, d.Time+grace)
	}
}

func TestSY83TheLeaseOfADisplacedRuntimeStopsNobody(t *testing.T) {
	d, s := working(t)
	d.Leave(s.Member)
	newer, epoch := d.AddRuntime("newer")
	if got := d.Pass(10 * grace); len(got) != 0 {
		t.Errorf("got %v, want nothing", got)
	}
	newer.Push(&event.RunAssigned{Run: "r3", Epoch: epoch})
	d.MustCommit()
	roomtest.WantCodes(t, newer.Take())
}

func TestSY83ARuntimeThatWasStoppedHasNoLease(t *testing.T) {
	d, s := working(t)
	s.Push(&event.RuntimeStopped{Runtime: "rt", Epoch: 1, Reason: event.StopShutdown})
	d.MustCommit()
	d.Leave(s.Member)
	if _, ok := d.NextDeadline(); ok {
		t.Error("got a lease, want none")
	}
	d.Restart()
	if _, ok := d.NextDeadline(); ok {
		t.Error("after a restart: got a lease, want none")
	}
}

func TestSY80ALeaseIsNeitherEndedNorProlongedByAClockThatIsSet(t *testing.T) {
	for _, by := range []event.Time{-3_600_000, 3_600_000} {
		var set event.Time
		d := roomtest.NewSequencer(t, func(c *room.Config) {
			now := c.Now
			c.Now = func() event.Time { return now() + set }
		})
		s, _ := d.AddRuntime("rt")
		d.MustCommit()
		d.Leave(s.Member)
		set = by
		if got := d.Pass(grace - 1); len(got) != 0 {
			t.Errorf("set by %d: got %v within the grace, want nothing", by, got)
		}
		if got := d.Pass(1); len(got) != 1 {
			t.Errorf("set by %d: got %v after the grace, want the end of the lease", by, got)
		}
	}
}

func TestSY80TheEndOfALeaseSaysHowTheRuntimeHasEndedWhereThatIsKnown(t *testing.T) {
	for why, want := range map[string]event.RuntimeStopped{
		"":                       {Detail: "the runtime's connection was gone for too long", Cause: event.CauseLease},
		"its process was killed": {Detail: "the runtime is gone: its process was killed", Cause: event.CauseDied},
	} {
		d := roomtest.NewSequencer(t, func(c *room.Config) {
			c.Gone = func(id event.RuntimeID) string {
				if id != "rt" {
					t.Errorf("asked for the end of %s", id)
				}
				return why
			}
		})
		s, _ := d.AddRuntime("rt")
		d.MustCommit()
		d.Leave(s.Member)
		events := d.Pass(grace)
		if len(events) != 1 {
			t.Fatalf("got %v, want one event", events)
		}
		if stop, ok := events[0].Payload.(*event.RuntimeStopped); !ok || stop.Detail != want.Detail || stop.Cause != want.Cause {
			t.Errorf("got %+v, want the detail %q and the cause %s", events[0].Payload, want.Detail, want.Cause)
		}
	}
}

func TestSY80ARuntimeThatIsKnownToHaveEndedIsNotAwaited(t *testing.T) {
	gone := ""
	d := roomtest.NewSequencer(t, func(c *room.Config) {
		c.Gone = func(event.RuntimeID) string { return gone }
	})
	s, _ := d.AddRuntime("rt")
	d.MustCommit()
	gone = "signal: killed"
	if got := d.Pass(grace); len(got) != 0 {
		t.Errorf("while it is connected: got %v, want nothing", got)
	}
	gone = ""
	d.Leave(s.Member)
	if got := d.Pass(grace / 2); len(got) != 0 {
		t.Errorf("while it may come back: got %v, want nothing", got)
	}
	gone = "signal: killed"
	events := d.Pass(grace / 10)
	if len(events) != 1 {
		t.Fatalf("got %v, want its end, long before that of the lease", events)
	}
	if stop, ok := events[0].Payload.(*event.RuntimeStopped); !ok || stop.Cause != event.CauseDied || stop.Detail != "the runtime is gone: signal: killed" {
		t.Errorf("got %+v, want that it has died", events[0].Payload)
	}
}
