package replica_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/room/roomtest"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
)

func TestSY146WhatIsDamagedIsSaid(t *testing.T) {
	d, g, saved := keptGuest(t)
	d.MustSubmit(roomtest.Insert("c", 0, 0, ">"))
	g.receive()
	g.cut()
	g.types("c", 4, "!")
	g.do(roomtest.NewCell("d"))
	saved.keep(t, g.Replica)
	in := func(old, fresh string) func(*replica.Persisted) {
		return func(k *replica.Persisted) {
			if !bytes.Contains(k.State, []byte(old)) {
				t.Errorf("the state %s has no %s", k.State, old)
			}
			k.State = bytes.Replace(k.State, []byte(old), []byte(fresh), 1)
		}
	}
	for _, tt := range []struct {
		name   string
		damage func(*replica.Persisted)
		want   string
	}{
		{"no state", func(k *replica.Persisted) { k.State = nil }, "state: unexpected end"},
		{"no client", in(`"client":"g"`, `"client":""`), "client"},
		{"the room's client", in(`"client":"g"`, `"client":"room"`), "room itself"},
		{"an endless counter", in(`"counter":2`, `"counter":18446744073709551615`), "the counter is"},
		{"another's event", in(`"id":"g.1"`, `"id":"h.1"`), "h.1 cannot follow"},
		{"an event twice", in(`"id":"g.2"`, `"id":"g.1"`), "g.1 cannot follow 1"},
		{"an event beyond the counter", in(`"id":"g.2"`, `"id":"g.3"`), "whose counter is 2"},
		{"no event", in(`"pending":[`, `"pending":[{},`), "pending event 0 is missing"},
		{"a malformed event", in(`"cell":"d"`, `"cell":"d d"`), "pending event g.2"},
		{"an edit that reaches too far", in(`[4,"!"]`, `[400,"!"]`), "g.1 does not fit"},
		{"a snapshot that is none", func(k *replica.Persisted) { k.Snapshot = []byte(`[]`) }, "restore snapshot"},
		{"an event that is none", func(k *replica.Persisted) { k.Events = [][]byte{[]byte(`{}`)} }, "event 0 of those after the snapshot"},
		{"an event too few", func(k *replica.Persisted) { k.Events = nil }, "end at 1, and the pending ones were made on 2"},
		{"an event twice over", func(k *replica.Persisted) { k.Events = [][]byte{k.Events[0], k.Events[0]} }, "event 2 follows event 2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := saved.kept
			tt.damage(&k)
			if _, err := replica.Restore(k); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
		})
	}
}

// FuzzSY146 restores whatever there is. What it takes can be worked with and kept.
func FuzzSY146(f *testing.F) {
	r := replica.New("g")
	for i, p := range []event.Payload{roomtest.CellWith("c", "one"), roomtest.Insert("c", 0, 1, "<é😀>"), &event.CellDeleted{Cell: "c"}} {
		if _, _, err := r.Do(p); err != nil {
			f.Fatal(i, err)
		}
	}
	saved := &disk{}
	saved.keep(f, r)
	next := `{"seq":1,"id":"h.1","actor":"person:h","time":1,"type":"CellCreated","payload":{"cell":"b","kind":"code","order":"U"}}`
	f.Add(string(saved.kept.State), string(saved.kept.Snapshot), "")
	f.Add(string(saved.kept.State), string(saved.kept.Snapshot), next)
	f.Add(strings.Replace(string(saved.kept.State), `"fold":`, `"fold":9`, 1), string(saved.kept.Snapshot), "")
	f.Add(string(saved.kept.State), "", "")
	f.Fuzz(func(t *testing.T, state, snapshot, one string) {
		k := replica.Persisted{State: []byte(state), Snapshot: []byte(snapshot)}
		if one != "" {
			k.Events = [][]byte{[]byte(one)}
		}
		r, err := replica.Restore(k)
		if err != nil {
			return
		}
		_, _, _ = r.Do(roomtest.NewCell("another")) // the cell may exist, or the view may be refolded
		if _, err := r.Receive(&protocol.Welcome{Actor: "person:g", Role: access.Editor, Seq: r.Hello().Since, Last: r.Hello().Since}); err != nil {
			t.Fatal(err)
		}
		r.Outgoing()
		saved := &disk{kept: k}
		if saved.keep(t, r) == nil {
			return
		}
		again := restore(t, saved.kept)
		if again.Pending() != r.Pending() || !notebook.Equal(again.Confirmed(), r.Confirmed()) {
			t.Fatal("what was kept is not what was there")
		}
	})
}
