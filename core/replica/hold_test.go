package replica_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/quirehq/quire/core/room/roomtest"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/replica"
)

// held opens a session that holds a new cell for a second, and returns the session
// with what says how many pushes the room was sent.
func held(t *testing.T, o *office) (s *replica.Session, pushes func() int) {
	t.Helper()
	s, _ = o.open(replica.New("a"), nil)
	if err := s.Wait(t.Context(), online); err != nil {
		t.Fatal(err)
	}
	synctest.Wait() // a connection begins by sending what there is
	hold(t, s, "c1")
	return s, func() int {
		synctest.Wait()
		o.mu.Lock()
		defer o.mu.Unlock()
		return o.pushes
	}
}

func hold(t *testing.T, s *replica.Session, cell event.CellID) {
	t.Helper()
	err := s.Hold(time.Second, func(r *replica.Replica) error {
		_, _, err := r.Do(roomtest.NewCell(cell))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestSY105WhatIsHeldGoesWithWhatComesNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t)
		s, pushes := held(t, o)
		if got := pushes(); got != 0 {
			t.Fatalf("got %d pushes, want none yet", got)
		}
		if err := s.Do(t.Context(), roomtest.NewCell("c2")); err != nil {
			t.Fatal(err)
		}
		if got := pushes(); got != 1 {
			t.Errorf("got %d pushes, want one with both", got)
		}
		time.Sleep(500 * time.Millisecond)
		hold(t, s, "c3")
		time.Sleep(900 * time.Millisecond) // the first one's second is over
		if got := pushes(); got != 1 {
			t.Errorf("got %d pushes, want the third cell to be held", got)
		}
	})
}

func TestSY105WhatIsHeldIsSentInTimeAndAfterAConnectionThatWasLost(t *testing.T) {
	for name, pass := range map[string]func(*office){
		"alone": func(*office) { time.Sleep(time.Second) },
		"cut":   func(o *office) { o.cut(); time.Sleep(500 * time.Millisecond) },
	} {
		synctest.Test(t, func(t *testing.T) {
			o := newOffice(t)
			s, pushes := held(t, o)
			pass(o)
			if got := pushes(); got != 1 {
				t.Errorf("%s: got %d pushes, want one", name, got)
			}
			_ = s.With(func(r *replica.Replica) error {
				if r.Pending() != 0 {
					t.Errorf("%s: got %d events pending, want none", name, r.Pending())
				}
				return nil
			})
		})
	}
}
