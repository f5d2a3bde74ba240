package replica_test

import (
	"math"
	"testing"

	"github.com/quirehq/quire/core/room/roomtest"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
)

func TestSY106AReplicaWhoseIDIsAnothersGoesOnUnderANewOne(t *testing.T) {
	for name, kept := range map[string]bool{"before it stated anything": false, "with what the log has of it": true} {
		t.Run(name, func(t *testing.T) {
			d := roomtest.NewSequencer(t, nil)
			r := replica.New("ada")
			g := newGuest(d, r)
			if kept {
				g.do(roomtest.NewCell("a"))
				g.send()
				d.MustCommit() // and the answer is lost
			}
			g.cut()
			g.do(roomtest.NewCell("b"))
			if !kept {
				d.Store(roomtest.BatchOf(t, event.Event{Seq: 1, ID: event.ID{Client: "ada", N: 1}, Actor: "person:first", Payload: roomtest.NewCell("other")}))
				d.Restart()
			}

			g.seat = d.Connect("person:again", access.Editor, *g.Hello()) // another user has signed in
			closed := roomtest.Only[*protocol.Closed](g.seat.Take())
			if len(closed) != 1 || closed[0].Code != protocol.CodeConflict {
				t.Fatalf("got %v, want closed for a conflict", closed)
			}
			_, _ = r.Receive(closed[0])
			g.Disconnected()
			if r.Closed() != nil {
				t.Fatal("the replica took the connection for ended for good")
			}
			g.seat = d.Connect("person:again", access.Editor, *g.Hello())
			g.receive()
			g.send()
			d.MustCommit()
			g.receive()

			if r.Pending() != 0 || len(r.Refused()) != 0 {
				t.Errorf("got %d pending events, want all taken", r.Pending())
			}
			if got := len(d.Notebook().Cells()); got != 2 {
				t.Errorf("got %d cells, want 2: each event once", got)
			}
			if r.Client() == "ada" {
				t.Error("the replica has the id of another still")
			}
		})
	}
}

func TestSY106AnIDWithoutCountersIsLeft(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	d.Store(roomtest.BatchOf(t, event.Event{Seq: 1, ID: event.ID{Client: "ada", N: math.MaxUint64}, Actor: "person:ada", Payload: roomtest.NewCell("a")}))
	d.Restart()
	r := replica.New("ada")
	g := newGuest(d, r)
	g.cut()
	g.do(roomtest.NewCell("b"))
	g.seat = d.Connect("person:ada", access.Editor, *g.Hello())
	g.receive()
	g.send()
	d.MustCommit()
	g.receive()
	if got := len(d.Notebook().Cells()); got != 2 || r.Pending() != 0 {
		t.Errorf("got %d cells and %d pending events, want 2 and none", got, r.Pending())
	}
}
