package room_test

import (
	"testing"

	"github.com/quirehq/quire/core/room/roomtest"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/room"
)

// meet connects a replica as a user who may see the past or not, and delivers its welcome.
func meet(d *roomtest.Sequencer, r *replica.Replica, role access.Role, present bool) *room.Member {
	d.T.Helper()
	h := r.Hello()
	m := &room.Member{Actor: "person:eve", Role: role, Out: room.NewOutbox(1 << 20), Present: present}
	d.Join(d.T.Context(), m, h)
	messages, _ := m.Out.Drain()
	for _, msg := range roomtest.DecodeAll(d.T, messages) {
		if _, err := r.Receive(msg); err != nil {
			d.T.Fatal(err)
		}
	}
	return m
}

// deletedSource returns the text of a deleted cell as a replica has it.
func deletedSource(t *testing.T, r *replica.Replica, id event.CellID) string {
	t.Helper()
	c := r.View().Cell(id)
	if c == nil || !c.Deleted {
		t.Fatalf("got %+v, want a cell that is deleted", c)
	}
	return c.Source()
}

func TestSY16WhoMaySeeWhatWasLaterGetsIt(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	d.MustSubmit(roomtest.CellWith("c", "what was"), roomtest.NewCell("d"), &event.CellDeleted{Cell: "c"})
	for name, kept := range map[string]bool{"connected again": false, "resumed from what was kept": true} {
		t.Run(name, func(t *testing.T) {
			r := replica.New(event.ClientID("eve-" + name[:3]))
			m := meet(d, r, access.Viewer, true)
			if got := deletedSource(t, r, "c"); got != "" {
				t.Errorf("got %q of what was", got)
			}
			d.Leave(m)
			r.Disconnected()
			if kept {
				if f, err := r.Persist(); err != nil || f == nil {
					t.Fatal(f, err)
				}
				r.Stored(false) // the next one has all of it
				f, err := r.Persist()
				if err != nil {
					t.Fatal(err)
				}
				again, err := replica.Restore(replica.Persisted{State: f.State, Snapshot: f.Snapshot, Events: f.Events})
				if err != nil {
					t.Fatal(err)
				}
				r = again
			}
			if !r.Hello().Present {
				t.Error("it does not say what it lacks")
			}
			m = meet(d, r, access.Editor, false)
			if got := deletedSource(t, r, "c"); got != "what was" {
				t.Errorf("got %q, want what was", got)
			}
			d.Leave(m)
			r.Disconnected()
			if r.Hello().Present {
				t.Error("it says that it lacks what it has")
			}
		})
	}
}
