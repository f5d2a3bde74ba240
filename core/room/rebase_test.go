package room_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room/roomtest"
	"github.com/quirehq/quire/core/text"
)

// typed is an edit as it reaches the room.
type typed struct {
	by   int // 0 or 1
	rev  event.Rev
	edit text.Edit
}

func TestSY40EditsAreMovedOverWhatTheirAuthorsHadNotSeen(t *testing.T) {
	in, del := text.Insert, text.Delete
	for _, test := range []struct {
		name, base, want string
		edits            []typed
	}{
		{"both insert at one place, the first stays left", "abc", "xyabc", []typed{{0, 0, in(0, "x")}, {1, 0, in(0, "y")}}},
		{"an insertion before moves one behind", "abc", "XXabcY", []typed{{0, 0, in(0, "XX")}, {1, 0, in(3, "Y")}}},
		{"what both delete goes once", "hello", "o", []typed{{0, 0, del(0, 3)}, {1, 0, del(1, 3)}}},
		{"an insertion into what is deleted survives", "hello", "hXo", []typed{{0, 0, del(1, 3)}, {1, 0, in(3, "X")}}},
		{"an edit of the newest revision is not moved", "abc", "xyabc", []typed{{0, 0, in(0, "x")}, {1, 1, in(1, "y")}}},
		{"an edit over several", "", "abz", []typed{{0, 0, in(0, "a")}, {0, 0, in(1, "b")}, {1, 0, in(0, "z")}}},
		{"an edit over some of several", "", "abz", []typed{{0, 0, in(0, "a")}, {0, 0, in(1, "b")}, {1, 1, in(1, "z")}}},
		{"units are UTF-16", "\U0001F600", "x\U0001F600y", []typed{{0, 0, in(0, "x")}, {1, 0, in(2, "y")}}},
	} {
		t.Run(test.name, func(t *testing.T) { wantTyped(t, test.base, test.edits, test.want) })
	}
}

func TestSY41PipelinedEditsAreMadeOnTheirAuthorsOwnBefore(t *testing.T) {
	in, del := text.Insert, text.Delete
	for _, test := range []struct {
		name, base, want string
		edits            []typed
	}{
		{
			"two of one author alone", "abc", "12abc",
			[]typed{{0, 0, in(0, "1")}, {0, 0, in(1, "2")}},
		},
		{
			"two behind another's", "abc", "Xabc12",
			[]typed{{1, 0, in(0, "X")}, {0, 0, in(3, "1")}, {0, 0, in(4, "2")}},
		},
		{
			"two with another's between", "abc", "1B2abc",
			[]typed{{0, 0, in(0, "1")}, {1, 0, in(0, "B")}, {0, 0, in(1, "2")}},
		},
		{
			"three, the last after the other's was seen", "abc", "1B2!abc",
			[]typed{{0, 0, in(0, "1")}, {1, 0, in(0, "B")}, {0, 0, in(1, "2")}, {0, 3, in(3, "!")}},
		},
		{
			"the author's first is acknowledged, the other's is not seen", "ab", "1B2ab",
			[]typed{{0, 0, in(0, "1")}, {1, 0, in(0, "B")}, {0, 1, in(1, "2")}},
		},
		{
			"both pipeline", "", "aBAb",
			[]typed{{0, 0, in(0, "a")}, {1, 0, in(0, "A")}, {0, 0, in(1, "b")}, {1, 0, in(0, "B")}},
		},
		{
			"typing in what another deletes", "hello", "Xo",
			[]typed{{1, 0, del(1, 3)}, {0, 0, del(0, 2)}, {0, 0, in(1, "X")}},
		},
		{
			"deleting one's own that is not acknowledged", "ab", "abZ",
			[]typed{{0, 0, in(1, "q")}, {1, 0, in(2, "Z")}, {0, 0, del(1, 1)}},
		},
	} {
		t.Run(test.name, func(t *testing.T) { wantTyped(t, test.base, test.edits, test.want) })
	}
}

// wantTyped wants a text to come of edits, whether they are committed one by one
// or together, and as the room has it and as the log tells it.
func wantTyped(t *testing.T, base string, edits []typed, want string) {
	t.Helper()
	for _, together := range []bool{true, false} {
		d := roomtest.NewSequencer(t, nil)
		d.MustSubmit(roomtest.CellWith("c", base))
		by := []*roomtest.Member{d.AddPerson("a", access.Editor), d.AddPerson("b", access.Editor)}
		for _, e := range edits {
			by[e.by].Push(&event.SourceEdited{Cell: "c", Rev: e.rev, Edit: e.edit})
			if !together {
				d.MustCommit()
			}
		}
		d.MustCommit()
		for _, s := range by {
			roomtest.WantCodes(t, s.Take())
		}
		if got := d.Source("c"); got != want {
			t.Errorf("together %t: got %q, want %q", together, got, want)
		}
		d.Restart()
		if got := d.Source("c"); got != want {
			t.Errorf("from the log: got %q, want %q", got, want)
		}
	}
}

func TestSY42AnEditOlderThanWhatIsInMemoryIsMovedAllTheSame(t *testing.T) {
	for name, between := range map[string]func(*roomtest.Sequencer, *roomtest.Member) *roomtest.Member{
		"more edits than are kept": func(_ *roomtest.Sequencer, late *roomtest.Member) *roomtest.Member { return late },
		"the room was restarted": func(d *roomtest.Sequencer, _ *roomtest.Member) *roomtest.Member {
			d.MustCommit()
			d.Restart()
			return nil
		},
		"a batch that is not on disk yet": func(d *roomtest.Sequencer, late *roomtest.Member) *roomtest.Member {
			d.AddPerson("other", access.Editor).Push(roomtest.Insert("c", 1500, 0, "<"))
			return late
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := roomtest.NewSequencer(t, nil)
			d.MustSubmit(roomtest.CellWith("c", "|"))
			late, busy := d.AddPerson("late", access.Editor), d.AddPerson("busy", access.Editor)
			for rev := range event.Rev(1500) {
				busy.Push(roomtest.Insert("c", rev, 0, "."))
			}
			d.MustCommit()
			late.Take()
			if late = between(d, late); late == nil {
				late = d.Connect("person:late", access.Editor, protocol.Hello{Client: "late", Since: 1, Pending: true})
				late.Take()
			}
			late.Push(roomtest.Insert("c", 0, 1, "late"), roomtest.Insert("c", 0, 5, "!"))
			d.MustCommit()
			roomtest.WantCodes(t, late.Take())
			if got, want := strings.Trim(d.Source("c"), "<."), "|late!"; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestSY42AnEditFromBeforeTheConnectionIsAConflict(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	d.MustSubmit(roomtest.NewCell("c"), roomtest.Insert("c", 0, 0, "x"), roomtest.Insert("c", 1, 0, "y"))
	s := d.Connect("person:ada", access.Editor, protocol.Hello{Client: "a", Since: 3})
	s.Take()
	d.Restart()
	s = d.Connect("person:ada", access.Editor, protocol.Hello{Client: "a", Since: 3})
	s.Take()
	s.Push(roomtest.Insert("c", 0, 0, "z"))
	d.MustCommit()
	roomtest.WantCodes(t, s.Take(), protocol.CodeConflict)
	if got, want := d.Source("c"), "yx"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSY43AnEditOfADeletedCellIsKept(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	d.MustSubmit(roomtest.CellWith("c", "a"))
	typist, other := d.AddPerson("a", access.Editor), d.AddPerson("b", access.Editor)
	other.Push(&event.CellDeleted{Cell: "c"})
	typist.Push(roomtest.Insert("c", 0, 1, "b"))
	d.MustCommit()
	roomtest.WantCodes(t, typist.Take())
	other.Push(&event.CellRestored{Cell: "c"})
	d.MustCommit()
	if got, want := d.Source("c"), "ab"; got != want {
		t.Errorf("after it was restored: got %q, want %q", got, want)
	}
}

func TestSY44AnEditBeyondTheRevisionIsInvalid(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	d.MustSubmit(roomtest.NewCell("c"))
	s := d.AddPerson("a", access.Editor)
	s.Push(roomtest.Insert("c", 1, 0, "x"))
	d.MustCommit()
	roomtest.WantCodes(t, s.Take(), protocol.CodeInvalid)
}

func TestSY45AfterARefusedEditThoseOfItsCellAreRefusedUntilTheClientConnectsAgain(t *testing.T) {
	for name, bad := range map[string]event.Payload{
		"it does not fit":          roomtest.Insert("c", 0, 99, "x"),
		"it is beyond":             roomtest.Insert("c", 7, 0, "x"),
		"it is malformed or wrong": &event.SourceEdited{Cell: "c", Rev: 0, Edit: text.Delete(0, 50)},
	} {
		t.Run(name, func(t *testing.T) {
			d := roomtest.NewSequencer(t, nil)
			d.MustSubmit(roomtest.NewCell("c"), roomtest.NewCell("e"))
			s, other := d.AddPerson("a", access.Editor), d.AddPerson("b", access.Editor)
			s.Push(bad, roomtest.Insert("c", 0, 0, "n"), roomtest.Insert("e", 0, 0, "y"), &event.CellMoved{Cell: "c", Order: "Z"})
			other.Push(roomtest.Insert("c", 0, 0, "o"))
			d.MustCommit()
			s.Push(roomtest.Insert("c", 0, 0, "n"))
			d.MustCommit()
			got := roomtest.Codes(s.Take())
			want := []protocol.Code{protocol.CodeInvalid, protocol.CodeConflict, protocol.CodeConflict}
			if !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
			if c, e := d.Source("c"), d.Source("e"); c != "o" || e != "y" {
				t.Errorf("got %q and %q, want the other's edit and the one of the other cell", c, e)
			}
			s = d.AddPerson("a", access.Editor)
			s.Push(roomtest.Insert("c", 1, 1, "k"))
			d.MustCommit()
			roomtest.WantCodes(t, s.Take())
			if got, want := d.Source("c"), "ok"; got != want {
				t.Errorf("after it came again: got %q, want %q", got, want)
			}
		})
	}
}

func TestSY45ADuplicateEditBreaksNothing(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	d.MustSubmit(roomtest.NewCell("c"))
	s := d.AddPerson("a", access.Editor)
	s.Push(roomtest.Insert("c", 0, 0, "a"))
	s.N = 0
	s.Push(roomtest.Insert("c", 0, 0, "a"), roomtest.Insert("c", 0, 1, "b"))
	d.MustCommit()
	roomtest.WantCodes(t, s.Take(), protocol.CodeDuplicate)
	if got, want := d.Source("c"), "ab"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSY40TheLogHasAnEditAsItWasMoved(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	d.MustSubmit(roomtest.CellWith("c", "abc"))
	a, b := d.AddPerson("a", access.Editor), d.AddPerson("b", access.Editor)
	a.Push(roomtest.Insert("c", 0, 0, "XX"))
	b.Push(roomtest.Insert("c", 0, 3, "Y"))
	d.MustCommit()
	got := d.Logged(2)[0].Payload.(*event.SourceEdited)
	if diff := cmp.Diff(roomtest.Insert("c", 1, 5, "Y").Edit.String(), got.Edit.String()); diff != "" || got.Rev != 1 {
		t.Errorf("of revision %d (-want +got):\n%s", got.Rev, diff)
	}
}
