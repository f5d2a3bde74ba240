package replica_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/room/roomtest"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/text"
)

func TestSY145AFlushHasWhatChangedSinceTheLast(t *testing.T) {
	d, g, _ := keptGuest(t)
	if f, err := g.Persist(); f != nil || err != nil {
		t.Errorf("got %v and %v, want nothing when nothing has changed", f, err)
	}
	d.MustSubmit(roomtest.Insert("c", 0, 0, ">"))
	g.receive()
	f, err := g.Persist()
	if err != nil || f == nil {
		t.Fatalf("got %v and %v, want a flush", f, err)
	}
	if f.Snapshot != nil || len(f.Events) != 1 || f.Seq != 2 || f.Pending != 0 {
		t.Errorf("got %+v, want the one event", f)
	}
	record := []byte{}
	if record, err = event.Append(record, &d.Logged(1)[0]); err != nil || !bytes.Equal(f.Events[0], record) {
		t.Errorf("got %s, want it as it is in the log: %s (%v)", f.Events[0], record, err)
	}
	d.MustSubmit(roomtest.Insert("c", 1, 0, ">"))
	g.receive()
	if f, err := g.Persist(); f != nil || err != nil {
		t.Errorf("got %v and %v, want none while another is under way", f, err)
	}
	g.Stored(true)
	if f, err := g.Persist(); err != nil || f == nil || f.Seq != 3 {
		t.Errorf("got %v and %v, want the next", f, err)
	}
}

func TestSY145AnEventIsStoredAsItCame(t *testing.T) {
	_, g, _ := keptGuest(t)
	first := `{"seq":2,"id":"z.1","actor":"person:z","time":0,"type":"SourceEdited","payload":{"cell":"c","rev":0,"edit":["x"],"newer":1}}`
	second := strings.NewReplacer(`"seq":2`, `"seq":3`, `z.1`, `z.2`, `"rev":0`, `"rev":1`).Replace(first)
	for _, c := range []struct{ message, want string }{
		{`{"kind":"events","events":[` + first + `]}`, first},
		{`{"kind": "events", "events": [` + second + `]}`, strings.Replace(second, `,"newer":1`, "", 1)}, // no room of ours writes this form
	} {
		msg, err := protocol.DecodeToClient([]byte(c.message))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.Receive(msg); err != nil {
			t.Fatal(err)
		}
		f, err := g.Persist()
		if err != nil || f == nil || len(f.Events) != 1 || string(f.Events[0]) != c.want {
			t.Errorf("got %+v and %v, want the event %s", f, err, c.want)
		}
		g.Stored(true)
	}
}

func TestSY145ANewReplicaHasNothingToStore(t *testing.T) {
	r := replica.New("g")
	r.Stored(true) // no flush is in flight
	if f, err := r.Persist(); f != nil || err != nil {
		t.Errorf("got %v and %v, want nothing", f, err)
	}
}

func TestSY145ASnapshotFromTheRoomIsStoredAsItCame(t *testing.T) {
	d := roomtest.NewFilled(t, 30)
	r, saved := replica.New("g"), &disk{}
	saved.keep(t, r)
	g := newGuest(d, r)
	d.MustSubmit(roomtest.NewCell("late"))
	g.receive()
	f := saved.keep(t, g.Replica)
	if f == nil || len(f.Events) != 1 || f.Seq != 31 {
		t.Fatalf("got %+v, want the snapshot at 30 and the event behind it", f)
	}
	if got := restore(t, saved.kept); !notebook.Equal(got.View(), g.View()) {
		t.Error("the restored notebook differs")
	}
}

func TestSY145ASnapshotTakesThePlaceOfManyEvents(t *testing.T) {
	d, g, saved := keptGuest(t)
	snapshots := 0
	for range 40 {
		d.MustSubmit(roomtest.CellWith(event.CellID(fmt.Sprintf("c%d", g.Confirmed().Seq())), strings.Repeat("x", 32<<10)))
		g.receive()
		if f := saved.keep(t, g.Replica); f.Snapshot != nil {
			snapshots++
		}
	}
	if snapshots < 2 || snapshots > 8 {
		t.Errorf("got %d snapshots in 40 flushes, want some", snapshots)
	}
	if got := restore(t, saved.kept); !notebook.Equal(got.View(), g.View()) {
		t.Error("the restored notebook differs")
	}
}

func TestSY145WhatWaitsForASlowStorageIsBounded(t *testing.T) {
	d, g, saved := keptGuest(t)
	d.MustSubmit(roomtest.NewCell("d"))
	g.receive()
	first, err := g.Persist()
	if err != nil {
		t.Fatal(err)
	}
	saved.under = first
	for i := range 10 {
		d.MustSubmit(roomtest.CellWith(event.CellID(fmt.Sprintf("e%d", i)), strings.Repeat("x", 1<<20)))
		g.receive()
	}
	saved.store()
	g.Stored(true)
	if f := saved.keep(t, g.Replica); f == nil || f.Snapshot == nil || len(f.Events) != 0 {
		t.Error("got a flush with events, want a snapshot in their place")
	}
	if got := restore(t, saved.kept); !notebook.Equal(got.View(), g.View()) {
		t.Error("the restored notebook differs")
	}
}

// pendingBench returns a replica with so many pending events of a keystroke.
func pendingBench(b *testing.B, n int) *replica.Replica {
	r := replica.New("g")
	if _, _, err := r.Do(roomtest.CellWith("c", "")); err != nil {
		b.Fatal(err)
	}
	for i := range n {
		if _, _, err := r.Edit("c", text.Insert(i, "x")); err != nil {
			b.Fatal(err)
		}
		r.Seal()
	}
	return r
}

// BenchmarkKeep is a flush of one more keystroke behind 5,000 that are pending.
func BenchmarkKeep(b *testing.B) {
	r, size := pendingBench(b, 5_000), 0
	for b.Loop() {
		if _, _, err := r.Edit("c", text.Insert(0, "x")); err != nil {
			b.Fatal(err)
		}
		f, err := r.Persist()
		if err != nil {
			b.Fatal(err)
		}
		r.Stored(true)
		size = len(f.State)
	}
	b.ReportMetric(float64(size), "B/flush")
}

// BenchmarkRestore is a restart with 5,000 pending events.
func BenchmarkRestore(b *testing.B) {
	saved := &disk{}
	saved.keep(b, pendingBench(b, 5_000))
	for b.Loop() {
		if _, err := replica.Restore(saved.kept); err != nil {
			b.Fatal(err)
		}
	}
}
