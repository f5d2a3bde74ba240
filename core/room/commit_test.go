package room_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room"
)

func TestSY20NobodyIsShownAnEventOrARefusalBeforeTheDiskHasTheBatch(t *testing.T) {
	log := &hookedLog{before: func() error { return nil }}
	d := newDesk(t, func(c *room.Config) {
		log.Log = newLog()
		c.Log = log
	})
	author, other := d.join("a", access.Editor), d.join("b", access.Viewer)
	asked := 0
	log.before = func() error {
		asked++
		for _, s := range []*seat{author, other} {
			if got := s.take(); len(got) != 0 {
				t.Errorf("before the disk had it, %s was sent %v", s.client, got)
			}
		}
		return nil
	}
	author.push(newCell("c"), newCell("c"))
	if got := author.take(); len(got) != 0 {
		t.Errorf("before the commit the author was sent %v", got)
	}
	d.commit()
	if asked != 1 {
		t.Errorf("got %d appends, want 1 for the batch", asked)
	}
	got := author.take()
	wantSeqs(t, got, span(1, 1))
	wantCodes(t, got, protocol.CodeConflict)
	wantSeqs(t, other.take(), span(1, 1))
}

func TestSY20TheHostIsToldOfWhatIsOnDisk(t *testing.T) {
	var told []notebook.Change
	var at []event.Seq
	d := newDesk(t, func(c *room.Config) {
		c.Committed = func(n *notebook.Notebook, changes []notebook.Change) {
			at, told = append(at, n.Seq()), append(told, changes...)
		}
	})
	title := &event.NotebookTitled{Title: "tides"}
	d.submit(title, newCell("c"))
	want := []notebook.Change{
		{Table: notebook.TableNotebook}, {Table: notebook.TableCells, ID: "c"}, {Table: notebook.TableNotebook},
	}
	if diff := cmp.Diff(want, told); diff != "" || len(at) != 1 || at[0] != 2 {
		t.Errorf("told at %v (-want +got):\n%s", at, diff)
	}
	if got := d.log.Title(); got != "tides" {
		t.Errorf("title of the log: got %q, want tides", got)
	}
}

var errFull = errors.New("the disk is full")

func TestSY21WhenTheLogFailsAllConnectAgainAndEachEventIsThereOnce(t *testing.T) {
	for name, stored := range map[string]bool{"the batch is stored all the same": true, "the batch is not stored": false} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, nil)
			author, other := d.join("a", access.Editor), d.join("b", access.Viewer)
			d.log.Fail(errFull, stored)
			author.push(newCell("c"), newCell("c"))
			if err := d.Commit(t.Context()); !errors.Is(err, errFull) {
				t.Fatalf("got %v, want the log's error", err)
			}
			wantResume(t, author)
			wantResume(t, other)

			again := d.join("a", access.Editor)
			again.n = 0
			again.push(newCell("c"))
			d.commit()
			want := []protocol.Code(nil)
			if stored {
				want = []protocol.Code{protocol.CodeDuplicate}
			}
			wantCodes(t, again.take(), want...)
			if got := d.logged(0); len(got) != 1 {
				t.Errorf("got %d events in the log, want 1", len(got))
			}
		})
	}
}

func TestSY22AnEventThatComesTwiceIsRefusedAsDuplicate(t *testing.T) {
	for name, between := range map[string]func(*desk){
		"in one batch":            func(*desk) {},
		"in the next batch":       func(d *desk) { d.commit() },
		"after a restart":         func(d *desk) { d.commit(); d.restart() },
		"after one from snapshot": func(d *desk) { d.commit(); saveSnapshot(d); d.restart() },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, nil)
			s := d.join("c", access.Editor)
			s.push(newCell("x"), newCell("y"))
			between(d)
			if d.Members() == 0 {
				s = d.join("c", access.Editor)
			}
			s.n = 0
			s.push(newCell("x"), newCell("z"))
			s.n = 2
			s.push(newCell("z"))
			d.commit()
			wantCodes(t, s.take(), protocol.CodeDuplicate, protocol.CodeDuplicate)
			if got, want := d.Notebook().Cells(), []event.CellID{"x", "y", "z"}; !cmp.Equal(got, want) {
				t.Errorf("got cells %v, want %v", got, want)
			}
			if got := len(d.logged(0)); got != 3 {
				t.Errorf("got %d events in the log, want 3", got)
			}
		})
	}
}

func saveSnapshot(d *desk) {
	d.t.Helper()
	if err := room.SaveSnapshot(d.t.Context(), d.log, d.TakeSnapshot()); err != nil {
		d.t.Fatal(err)
	}
}

func TestSY23ARoomOpensFromASnapshotOfItsFoldAndElseFromTheLog(t *testing.T) {
	d := filled(t, 3)
	whole, err := d.Notebook().Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	for name, snap := range map[string]room.Snapshot{
		"of this fold":  {Seq: 3, Fold: notebook.Version, Data: whole},
		"of another":    {Seq: 3, Fold: notebook.Version + 1, Data: []byte(`{"seq":3,"cells":"elsewhere"}`)},
		"damaged":       {Seq: 3, Fold: notebook.Version, Data: whole[:len(whole)/2]},
		"without bytes": {Seq: 3, Fold: notebook.Version},
	} {
		t.Run(name, func(t *testing.T) {
			if err := d.log.SaveSnapshot(t.Context(), snap); err != nil {
				t.Fatal(err)
			}
			book, err := room.Fold(t.Context(), d.log)
			if err != nil {
				t.Fatal(err)
			}
			if got := len(book.Cells()); got != 3 || book.Seq() != 3 {
				t.Errorf("got %d cells at %d, want 3 at 3", got, book.Seq())
			}
		})
	}
}

func TestSY23ASnapshotIsDueAfterSoManyEvents(t *testing.T) {
	d := newDesk(t, func(c *room.Config) { c.SnapshotEvery = 2 })
	for i, want := range []bool{false, true, true} {
		d.submit(newCell(event.CellID(rune('a' + i))))
		if got := d.SnapshotDue(); got != want {
			t.Errorf("after %d events: got due %t, want %t", i+1, got, want)
		}
	}
	saveSnapshot(d)
	if d.SnapshotDue() {
		t.Error("got a snapshot due right after one was taken")
	}
	d.submit(newCell("z"))
	snap, err := d.log.Snapshot(t.Context())
	if err != nil || snap.Seq != 3 || snap.Fold != notebook.Version {
		t.Errorf("got a snapshot at %d of fold %d (%v), want at 3", snap.Seq, snap.Fold, err)
	}
}
