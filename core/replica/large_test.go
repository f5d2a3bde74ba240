package replica_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/quirehq/quire/core/room/roomtest"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/text"
)

func TestSY50AnEventThatIsLargerThanARoomTakesIsNotMade(t *testing.T) {
	r := replica.New("a")
	if _, _, err := r.Do(roomtest.NewCell("c")); err != nil {
		t.Fatal(err)
	}
	large := strings.Repeat("x", protocol.MaxMessage)
	for _, p := range []event.Payload{
		roomtest.CellWith("large", large), roomtest.Insert("c", 0, 0, large), &event.NotebookMetadataSet{Key: "k", Value: []byte(`"` + large + `"`)},
		roomtest.CellWith("escaped", strings.Repeat("\x01", protocol.MaxMessage/6)),
	} {
		if _, _, err := r.Do(p); err == nil || !strings.Contains(err.Error(), "16 MiB") {
			t.Errorf("%s: got %v, want an error with what a room takes", p.Type(), err)
		}
	}
	if got := r.Pending(); got != 1 {
		t.Errorf("got %d events pending, want the small one only", got)
	}
	if _, _, err := r.Do(roomtest.Insert("c", 0, 0, large[:protocol.MaxMessage-1_000])); err != nil {
		t.Errorf("one that just fits: got %v, want it made", err)
	}
}

func TestSY104DoSaysAtOnceThatAnEventIsTooLargeAndTheSessionGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t)
		s, _ := o.open(replica.New("a"), nil)
		if err := s.Do(t.Context(), roomtest.CellWith("large", strings.Repeat("x", protocol.MaxMessage))); err == nil {
			t.Error("got no error")
		}
		if err := s.Do(t.Context(), roomtest.NewCell("small")); err != nil {
			t.Errorf("the next event: got %v", err)
		}
		if got := o.dialled(); got != 1 {
			t.Errorf("got %d connections, want 1", got)
		}
	})
}

func TestSY51EditsAreJoinedWhileTheyAreSmallTogether(t *testing.T) {
	const half = 600 << 10
	d := roomtest.NewSequencer(t, nil)
	d.MustSubmit(roomtest.NewCell("c"))
	g := newGuest(d, replica.New("a"))
	for range 40 {
		g.types("c", 0, strings.Repeat("x", half)) // far more than one message holds
	}
	if got := g.Pending(); got != 40 {
		t.Errorf("got %d events pending, want each large edit to be one", got)
	}
	g.types("c", 0, "y")
	g.types("c", 0, "z")
	if got := g.Pending(); got != 40 {
		t.Errorf("got %d events pending, want small edits joined to the last", got)
	}
}

func TestSY104AnEventThatGrewTooLargeIsTakenBackInsteadOfSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t)
		s, _ := o.open(replica.New("a"), nil)
		first := roomtest.CellWith("c", strings.Repeat("o", 100))
		if err := s.Do(t.Context(), first); err != nil {
			t.Fatal(err)
		}
		o.set(fmt.Errorf("the network is gone"))
		o.cut()
		synctest.Wait()
		// It deletes all of the text, in which another client types meanwhile: the deleted range
		// falls apart, and what just fitted does no more.
		edit := text.Replace(0, 100, strings.Repeat("x", protocol.MaxMessage-140))
		done := make(chan error, 1)
		go func() { done <- s.Do(t.Context(), &event.SourceEdited{Cell: "c", Edit: edit}) }()
		synctest.Wait()
		if err := s.With(func(r *replica.Replica) error {
			if got := r.Pending(); got != 1 {
				t.Errorf("got %d events pending, want the large edit made", got)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		for i := range 40 {
			if err := o.Submit(t.Context(), "person:bob", roomtest.Insert("c", event.Rev(i), 2*i+1, "|")); err != nil {
				t.Fatal(err)
			}
		}
		o.set(nil)
		if err := <-done; err == nil || !strings.Contains(err.Error(), "16 MiB") {
			t.Errorf("got %v, want that it is too large", err)
		}
		if err := s.Do(t.Context(), roomtest.NewCell("next")); err != nil {
			t.Errorf("the next event: got %v", err)
		}
	})
}

func TestSY54OfVeryManyRefusedEventsTheLatestAreKept(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	d.MustSubmit(roomtest.NewCell("c"))
	g := newGuest(d, replica.New("a"))
	var last event.ID
	for range 1_050 {
		last = g.do(&event.CellDeleted{Cell: "c"})
		if _, err := g.Receive(&protocol.Refused{ID: last, Code: protocol.CodeConflict, Message: "no"}); err != nil {
			t.Fatal(err)
		}
	}
	refused := g.Refused()
	if len(refused) != 1_000 || refused[999].ID != last {
		t.Errorf("got %d refusals, want the latest 1,000", len(refused))
	}
	if got := len(g.Refused()); got != 0 {
		t.Errorf("got %d refusals again, want none", got)
	}
}
