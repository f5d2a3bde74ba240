package replica_test

import (
	"fmt"
	"testing"

	"github.com/quirehq/quire/core/room/roomtest"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/text"
)

// keep stores what a disk lacks of a replica, and returns whether that was anything.
func (d *disk) keep(t testing.TB, r *replica.Replica) *replica.Flush {
	t.Helper()
	f, err := r.Persist()
	if err != nil {
		t.Fatal(err)
	}
	if f != nil {
		d.under = f
		d.store()
		r.Stored(true)
	}
	return f
}

func restore(t testing.TB, k replica.Persisted) *replica.Replica {
	t.Helper()
	r, err := replica.Restore(k)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// keptGuest returns a guest of a room with a cell, and its disk.
func keptGuest(t *testing.T) (*roomtest.Sequencer, *guest, *disk) {
	t.Helper()
	d := roomtest.NewSequencer(t, nil)
	d.MustSubmit(roomtest.CellWith("c", "one"))
	r, saved := replica.New("g"), &disk{}
	saved.keep(t, r)
	g := newGuest(d, r)
	saved.keep(t, r)
	return d, g, saved
}

// die ends a guest's process, and begins another from its disk that is not connected.
func (g *guest) die(saved *disk) {
	g.seat.Of.T.Helper()
	g.cut()
	g.Replica = restore(g.seat.Of.T, saved.kept)
}

// deliver sends what a connected guest has to send until all is acknowledged, with
// flushes in between.
func (g *guest) deliver(saved *disk) {
	g.seat.Of.T.Helper()
	g.receive()
	for range 3 {
		g.send()
		saved.keep(g.seat.Of.T, g.Replica)
	}
	g.seat.Of.MustCommit()
	g.receive()
	if g.Pending() != 0 {
		g.seat.Of.T.Errorf("%d events are still pending", g.Pending())
	}
}

func TestSY141ARestoredReplicaGoesOnBeforeItConnects(t *testing.T) {
	d, g, saved := keptGuest(t)
	g.cut()
	g.types("c", 3, " two")
	saved.keep(t, g.Replica)
	g.die(saved)
	g.wantView("c", "one two")
	if g.Client() != "g" || g.Pending() != 1 || g.Online() || g.Role() != access.Editor {
		t.Errorf("got client %s, %d pending, online %t, role %s; want g with 1, offline, an editor", g.Client(), g.Pending(), g.Online(), g.Role())
	}
	if h := g.Hello(); h.Since != 1 || !h.Pending {
		t.Errorf("hello: got since %d and pending %t, want 1 and true", h.Since, h.Pending)
	}
	g.types("c", 7, " three")
	g.wantView("c", "one two three")
	d.MustSubmit(roomtest.Insert("c", 0, 0, "zero "))
	g.connect(d)
	g.deliver(saved)
	g.wantView("c", "zero one two three")
	if got := d.Source("c"); got != "zero one two three" {
		t.Errorf("room: got %q, want all of it", got)
	}
}

func TestSY142WhatTheRoomTookAfterTheLastFlushIsNotThereTwice(t *testing.T) {
	d, g, saved := keptGuest(t)
	g.types("c", 3, "!")
	saved.keep(t, g.Replica)
	g.types("c", 4, "?") // which is sent, and never kept
	g.send()
	d.MustCommit()
	g.die(saved)
	g.wantView("c", "one!")
	g.connect(d)
	g.deliver(saved)
	g.wantView("c", "one!?")
}

func TestSY142AnIDThatWasStatedInAnEarlierLifeIsNotTakenForThisOnes(t *testing.T) {
	d, g, saved := keptGuest(t)
	lost := g.types("c", 3, "!")
	g.send()
	d.MustCommit()
	g.die(saved)
	if id := g.types("c", 0, "_"); id != lost {
		t.Fatalf("got id %s, want that of the lost one, %s, or the test tests nothing", id, lost)
	}
	saved.keep(t, g.Replica)
	g.die(saved)
	g.connect(d)
	g.deliver(saved)
	g.wantView("c", "_one!")
}

func TestSY143WhatWasMadeBeforeTheFirstConnectionIsStoredOnceMoreBeforeItIsSent(t *testing.T) {
	d, g, saved := keptGuest(t)
	g.die(saved)
	g.types("c", 3, "!")
	saved.keep(t, g.Replica)
	g.connect(d)
	g.receive()
	if got := drafts(g.Outgoing()); len(got) != 0 {
		t.Errorf("got %v sent, want it to wait for a flush", got)
	}
	if saved.keep(t, g.Replica) == nil {
		t.Error("got nothing to store, want the event as known")
	}
	g.send()
	d.MustCommit()
	g.die(saved) // before it hears of it
	g.connect(d)
	g.deliver(saved)
	g.wantView("c", "one!")
}

func TestSY143AnEventThatGetsANewIDIsStoredBeforeItIsSent(t *testing.T) {
	d, saved := roomtest.NewSequencer(t, nil), &disk{}
	g := &guest{Replica: replica.New("g")}
	saved.keep(t, g.Replica)
	g.connect(d) // who does not know yet that an editor may not set the title
	first := g.do(&event.NotebookTitled{Title: "T"})
	g.do(roomtest.NewCell("d"))
	g.receive()
	saved.keep(t, g.Replica)
	g.send()
	d.MustCommit()
	g.cut() // without having heard that the title was refused
	h := g.Hello()
	g.seat = d.Connect("person:g", access.Owner, *h)
	g.receive()
	if got := drafts(g.Outgoing()); len(got) != 0 {
		t.Errorf("got %v sent, want it to wait for a flush", got)
	}
	saved.keep(t, g.Replica)
	got := drafts(g.Outgoing())
	if len(got) != 1 || got[0].ID == first {
		t.Errorf("got %v sent, want the title under a new id", got)
	}
}

func TestSY143WhatIsKeptWhileConnectedWaitsForNothing(t *testing.T) {
	_, g, saved := keptGuest(t)
	g.send()
	g.types("c", 3, "!")
	saved.keep(t, g.Replica)
	g.types("c", 4, "?")
	if got := drafts(g.Outgoing()); len(got) != 2 {
		t.Errorf("got %d events sent, want the one that is kept and the one that is not", len(got))
	}
}

func TestSY143WhatIsTypedOfflineStaysOneEventAndIsSentAsItIsStored(t *testing.T) {
	d, g, saved := keptGuest(t)
	g.send()
	g.cut()
	g.types("c", 3, "!")
	saved.keep(t, g.Replica)
	g.types("c", 4, "?")
	g.connect(d)
	g.receive()
	if got := drafts(g.Outgoing()); g.Pending() != 1 || len(got) != 0 {
		t.Errorf("got %d pending and %d sent, want one that waits for a flush", g.Pending(), len(got))
	}
	g.deliver(saved)
	g.wantView("c", "one!?")
}

func TestSY143AnEventThatIsAsItWasStoredWaitsForNothing(t *testing.T) {
	d, g, saved := keptGuest(t)
	g.send()
	g.cut()
	g.types("c", 3, "!")
	saved.keep(t, g.Replica)
	if _, _, err := g.Edit("c", text.Edit{}); err != nil {
		t.Fatal(err)
	}
	g.connect(d)
	g.receive()
	if f := saved.keep(t, g.Replica); f != nil {
		t.Errorf("got a flush %s, want nothing to store", f.State)
	}
	if got := drafts(g.Outgoing()); len(got) != 1 {
		t.Errorf("got %d events sent, want 1", len(got))
	}
}

func TestSY143WhenTheStorageFailsEventsAreSentAllTheSame(t *testing.T) {
	d, g, saved := keptGuest(t)
	g.die(saved)
	g.types("c", 3, "!")
	saved.keep(t, g.Replica)
	g.connect(d)
	g.receive()
	g.send()
	if f, err := g.Persist(); f == nil || err != nil {
		t.Fatalf("got %v and %v, want a flush", f, err)
	}
	g.Stored(false)
	if got := drafts(g.Outgoing()); len(got) != 1 {
		t.Errorf("got %d events sent, want 1", len(got))
	}
	if f := saved.keep(t, g.Replica); f == nil || f.Snapshot == nil || len(f.Events) != 0 {
		t.Errorf("got %v, want a flush that has everything", f)
	}
}

func TestSY143WhatWasAlteredDuringAFlushThatFailsIsSentAllTheSame(t *testing.T) {
	d, g, saved := keptGuest(t)
	g.cut()
	g.types("c", 3, "!")
	if f, err := g.Persist(); f == nil || err != nil {
		t.Fatalf("got %v and %v, want a flush", f, err)
	}
	g.types("c", 4, "?")
	g.connect(d)
	g.receive()
	if got := drafts(g.Outgoing()); len(got) != 0 {
		t.Errorf("got %v sent, want it to wait", got)
	}
	g.Stored(false)
	if got := drafts(g.Outgoing()); len(got) != 1 {
		t.Errorf("got %d events sent, want 1", len(got))
	}
	saved.keep(t, g.Replica)
}

func TestSY143IDsOfAnEarlierLifeCostOneFlushAtMost(t *testing.T) {
	for name, tt := range map[string]struct {
		offline bool
		behind  int
	}{
		"typed before it is connected":  {true, 0},
		"typed behind a snapshot":       {false, 30},
		"typed once it is up to date":   {false, 0},
		"typed behind a long way, then": {true, 30},
	} {
		t.Run(name, func(t *testing.T) {
			d, saved := roomtest.NewFilled(t, 1), &disk{}
			r := replica.New("g")
			saved.keep(t, r)
			g := newGuest(d, r)
			saved.keep(t, r)
			g.types("c1", 0, "lost")
			g.send()
			d.MustCommit()
			g.die(saved)
			for range tt.behind {
				d.MustSubmit(roomtest.NewCell(event.CellID(fmt.Sprintf("d%d", d.Notebook().Seq()))))
			}
			if tt.offline {
				g.types("c1", 0, "!")
				saved.keep(t, g.Replica)
			}
			g.connect(d)
			g.receive()
			if !tt.offline {
				g.types("c1", 0, "!")
			}
			saved.keep(t, g.Replica)
			if got := drafts(g.Outgoing()); len(got) != 1 || got[0].ID.N != 2 {
				t.Errorf("got %v sent, want what was typed, under the next id", got)
			}
		})
	}
}
