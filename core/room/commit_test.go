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
	"github.com/quirehq/quire/core/room/roomtest"
)

func TestSY20NobodyIsShownAnEventOrARefusalBeforeTheDiskHasTheBatch(t *testing.T) {
	log := &hookedLog{before: func() error { return nil }}
	d := roomtest.NewSequencer(t, func(c *room.Config) {
		log.Log = newLog()
		c.Log = log
	})
	author, other := d.AddPerson("a", access.Editor), d.AddPerson("b", access.Viewer)
	asked := 0
	log.before = func() error {
		asked++
		for _, s := range []*roomtest.Member{author, other} {
			if got := s.Take(); len(got) != 0 {
				t.Errorf("before the disk had it, %s was sent %v", s.Client, got)
			}
		}
		return nil
	}
	author.Push(roomtest.NewCell("c"), roomtest.NewCell("c"))
	if got := author.Take(); len(got) != 0 {
		t.Errorf("before the commit the author was sent %v", got)
	}
	d.MustCommit()
	if asked != 1 {
		t.Errorf("got %d appends, want 1 for the batch", asked)
	}
	got := author.Take()
	wantSeqs(t, got, span(1, 1))
	roomtest.WantCodes(t, got, protocol.CodeConflict)
	wantSeqs(t, other.Take(), span(1, 1))
}

func TestSY20TheHostIsToldOfWhatIsOnDisk(t *testing.T) {
	var told []notebook.Change
	var at []event.Seq
	d := roomtest.NewSequencer(t, func(c *room.Config) {
		c.Committed = func(n *notebook.Notebook, changes []notebook.Change) {
			at, told = append(at, n.Seq()), append(told, changes...)
		}
	})
	title := &event.NotebookTitled{Title: "tides"}
	d.MustSubmit(title, roomtest.NewCell("c"))
	want := []notebook.Change{
		{Table: notebook.TableNotebook}, {Table: notebook.TableCells, ID: "c"}, {Table: notebook.TableNotebook},
	}
	if diff := cmp.Diff(want, told); diff != "" || len(at) != 1 || at[0] != 2 {
		t.Errorf("told at %v (-want +got):\n%s", at, diff)
	}
	if got := d.Log.Title(); got != "tides" {
		t.Errorf("title of the log: got %q, want tides", got)
	}
}

var errFull = errors.New("the disk is full")

func TestSY21WhenTheLogFailsAllConnectAgainAndEachEventIsThereOnce(t *testing.T) {
	for name, stored := range map[string]bool{"the batch is stored all the same": true, "the batch is not stored": false} {
		t.Run(name, func(t *testing.T) {
			d := roomtest.NewSequencer(t, nil)
			author, other := d.AddPerson("a", access.Editor), d.AddPerson("b", access.Viewer)
			d.Log.Fail(errFull, stored)
			author.Push(roomtest.NewCell("c"), roomtest.NewCell("c"))
			if err := d.Commit(t.Context()); !errors.Is(err, errFull) {
				t.Fatalf("got %v, want the log's error", err)
			}
			wantResume(t, author)
			wantResume(t, other)

			again := d.AddPerson("a", access.Editor)
			again.N = 0
			again.Push(roomtest.NewCell("c"))
			d.MustCommit()
			want := []protocol.Code(nil)
			if stored {
				want = []protocol.Code{protocol.CodeDuplicate}
			}
			roomtest.WantCodes(t, again.Take(), want...)
			if got := d.Logged(0); len(got) != 1 {
				t.Errorf("got %d events in the log, want 1", len(got))
			}
		})
	}
}

func TestSY22AnEventThatComesTwiceIsRefusedAsDuplicate(t *testing.T) {
	for name, between := range map[string]func(*roomtest.Sequencer){
		"in one batch":            func(*roomtest.Sequencer) {},
		"in the next batch":       func(d *roomtest.Sequencer) { d.MustCommit() },
		"after a restart":         func(d *roomtest.Sequencer) { d.MustCommit(); d.Restart() },
		"after one from snapshot": func(d *roomtest.Sequencer) { d.MustCommit(); saveSnapshot(d); d.Restart() },
	} {
		t.Run(name, func(t *testing.T) {
			d := roomtest.NewSequencer(t, nil)
			s := d.AddPerson("c", access.Editor)
			s.Push(roomtest.NewCell("x"), roomtest.NewCell("y"))
			between(d)
			if d.Members() == 0 {
				s = d.AddPerson("c", access.Editor)
			}
			s.N = 0
			s.Push(roomtest.NewCell("x"), roomtest.NewCell("z"))
			s.N = 2
			s.Push(roomtest.NewCell("z"))
			d.MustCommit()
			roomtest.WantCodes(t, s.Take(), protocol.CodeDuplicate, protocol.CodeDuplicate)
			if got, want := d.Notebook().Cells(), []event.CellID{"x", "y", "z"}; !cmp.Equal(got, want) {
				t.Errorf("got cells %v, want %v", got, want)
			}
			if got := len(d.Logged(0)); got != 3 {
				t.Errorf("got %d events in the log, want 3", got)
			}
		})
	}
}

func saveSnapshot(d *roomtest.Sequencer) {
	d.T.Helper()
	if err := room.SaveSnapshot(d.T.Context(), d.Log, d.TakeSnapshot()); err != nil {
		d.T.Fatal(err)
	}
}

func TestSY23ARoomOpensFromASnapshotOfItsFoldAndElseFromTheLog(t *testing.T) {
	d := roomtest.NewFilled(t, 3)
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
			if err := d.Log.SaveSnapshot(t.Context(), snap); err != nil {
				t.Fatal(err)
			}
			book, err := room.Fold(t.Context(), d.Log)
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
	d := roomtest.NewSequencer(t, func(c *room.Config) { c.SnapshotEvery = 2 })
	for i, want := range []bool{false, true, true} {
		d.MustSubmit(roomtest.NewCell(event.CellID(rune('a' + i))))
		if got := d.SnapshotDue(); got != want {
			t.Errorf("after %d events: got due %t, want %t", i+1, got, want)
		}
	}
	saveSnapshot(d)
	if d.SnapshotDue() {
		t.Error("got a snapshot due right after one was taken")
	}
	d.MustSubmit(roomtest.NewCell("z"))
	snap, err := d.Log.Snapshot(t.Context())
	if err != nil || snap.Seq != 3 || snap.Fold != notebook.Version {
		t.Errorf("got a snapshot at %d of fold %d (%v), want at 3", snap.Seq, snap.Fold, err)
	}
}
