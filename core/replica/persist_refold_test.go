package replica_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/room/roomtest"

	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/replica"
)

// ofOtherFold returns a persisted replica as another version of the fold would have left it.
func ofOtherFold(t *testing.T, k replica.Persisted) replica.Persisted {
	t.Helper()
	mine, other := fmt.Sprintf(`"fold":%d`, notebook.Version), fmt.Sprintf(`"fold":%d`, notebook.Version+1)
	if !strings.Contains(string(k.State), mine) {
		t.Fatalf("the state %s has no %s", k.State, mine)
	}
	k.State = []byte(strings.Replace(string(k.State), mine, other, 1))
	return k
}

func TestSY144WhatAnotherFoldKeptIsReadAnewAndLosesNothingPending(t *testing.T) {
	for name, change := range map[string]func(replica.Persisted) replica.Persisted{
		"of another fold":    func(k replica.Persisted) replica.Persisted { return ofOtherFold(t, k) },
		"without a snapshot": func(k replica.Persisted) replica.Persisted { return replica.Persisted{State: k.State} },
		"unreadable": func(k replica.Persisted) replica.Persisted {
			k = ofOtherFold(t, k)
			k.Snapshot = []byte(`"of a later year"`)
			return k
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, g, saved := keptGuest(t)
			g.cut()
			g.types("c", 3, "!")
			saved.keep(t, g.Replica)
			d.MustSubmit(roomtest.Insert("c", 0, 0, ">"), roomtest.NewCell("d"))
			g.Replica = restore(t, change(saved.kept))
			if h := g.Hello(); g.Pending() != 1 || h.Since != 0 || !h.Pending {
				t.Errorf("got %d pending and a hello %+v, want 1 and the whole log", g.Pending(), h)
			}
			if _, _, err := g.Do(roomtest.NewCell("e")); err == nil {
				t.Error("got an event made, want none before the log is read")
			}
			if f, err := g.Persist(); f != nil || err != nil {
				t.Errorf("got a flush %v and %v, want none that would replace what is kept", f, err)
			}
			g.connect(d)
			up := g.receive()
			g.wantView("c", ">one!")
			if !changes(up, "c") || !changes(up, "d") {
				t.Errorf("got changes %v, want both cells", up.Changes)
			}
			g.deliver(saved)
			if got := d.Source("c"); got != ">one!" {
				t.Errorf("room: got %q, want >one!", got)
			}
		})
	}
}

func changes(up replica.Update, cell string) bool {
	for _, c := range up.Changes {
		if c.Table == notebook.TableCells && c.ID == cell {
			return true
		}
	}
	return false
}

func TestSY144WithoutPendingEventsNothingIsHeldBack(t *testing.T) {
	d, g, saved := keptGuest(t)
	g.cut()
	g.Replica = restore(t, ofOtherFold(t, saved.kept))
	if h := g.Hello(); h.Pending || h.Since != 0 {
		t.Errorf("got hello %+v, want one that a snapshot serves", h)
	}
	g.connect(d)
	g.receive()
	g.types("c", 3, "!")
	g.deliver(saved)
	g.wantView("c", "one!")
}

func TestSY144ALogThatLostItsEndGetsWhatWasPendingOnIt(t *testing.T) {
	d, g, saved := keptGuest(t)
	d.MustSubmit(roomtest.Insert("c", 0, 0, "twenty"))
	g.receive()
	g.cut()
	g.types("c", 9, "!")
	saved.keep(t, g.Replica)
	for name, tt := range map[string]struct {
		kept replica.Persisted
		want string
		lost int
	}{
		"its old text is known":   {ofOtherFold(t, saved.kept), "one!", 0},
		"its old text is unknown": {replica.Persisted{State: saved.kept.State}, "one", 1},
	} {
		t.Run(name, func(t *testing.T) {
			other := roomtest.NewSequencer(t, nil)
			other.MustSubmit(roomtest.CellWith("c", "one"))
			g := &guest{Replica: restore(t, tt.kept)}
			g.connect(other)
			g.receive()
			g.wantView("c", tt.want)
			if got := g.Refused(); len(got) != tt.lost {
				t.Errorf("got %v refused, want %d", got, tt.lost)
			}
		})
	}
}

func TestSY144AnEmptyLogGetsWhatWasPendingToo(t *testing.T) {
	_, g, saved := keptGuest(t)
	g.cut()
	g.do(roomtest.NewCell("new"))
	saved.keep(t, g.Replica)
	empty := roomtest.NewSequencer(t, nil)
	g = newGuest(empty, restore(t, replica.Persisted{State: saved.kept.State}))
	if got := g.View().Cells(); len(got) != 1 || g.Pending() != 1 {
		t.Errorf("got cells %v and %d pending, want the new one", got, g.Pending())
	}
}
