package room_test

import (
	"errors"
	"testing"

	"github.com/quirehq/quire/core/room/roomtest"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room"
)

// beginCommit begins to commit the batch of a sequencer.
func beginCommit(d *roomtest.Sequencer) *room.Commit {
	d.T.Helper()
	f := d.BeginCommit()
	if f == nil {
		d.T.Fatal("there is nothing to store")
	}
	return f
}

// finishCommit stores a commit and publishes it.
func finishCommit(d *roomtest.Sequencer, f *room.Commit) {
	d.T.Helper()
	if err := d.FinishCommit(d.T.Context(), f.Store(d.T.Context())); err != nil {
		d.T.Fatal(err)
	}
}

func TestSY95NothingIsShownBeforeItsOwnBatchIsStored(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	author, reader := d.AddPerson("a", access.Editor), d.AddPerson("b", access.Viewer)
	author.Push(roomtest.NewCell("c"))
	first := beginCommit(d)
	author.Push(roomtest.NewCell("d"), roomtest.NewCell("d"))
	d.Drained(t.Context(), reader.Member) // which reads what the log has
	if got := append(author.Take(), reader.Take()...); len(got) != 0 {
		t.Errorf("with nothing stored: got %v, want nothing", got)
	}
	finishCommit(d, first)
	wantSeqs(t, reader.Take(), span(1, 1))
	messages := author.Take()
	wantSeqs(t, messages, span(1, 1))
	roomtest.WantCodes(t, messages)
	d.MustCommit()
	wantSeqs(t, reader.Take(), span(2, 2))
	messages = author.Take()
	wantSeqs(t, messages, span(2, 2))
	roomtest.WantCodes(t, messages, protocol.CodeConflict)
}

func TestSY95AnAnswerWaitsForTheBatchThatItDependsOn(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	a, b := d.AddPerson("a", access.Editor), d.AddPerson("b", access.Editor)
	a.Push(roomtest.NewCell("c"))
	f := beginCommit(d)
	b.Push(roomtest.NewCell("c"))
	roomtest.WantCodes(t, b.Take())
	finishCommit(d, f)
	roomtest.WantCodes(t, b.Take())
	d.MustCommit()
	roomtest.WantCodes(t, b.Take(), protocol.CodeConflict)
}

func TestSY95WithABatchThatIsNotStoredTheOneBehindItIsGone(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	s := d.AddPerson("a", access.Editor)
	s.Push(roomtest.NewCell("c"))
	beginCommit(d)
	s.Push(roomtest.NewCell("d"))
	if err := d.FinishCommit(t.Context(), errFull); !errors.Is(err, errFull) {
		t.Fatalf("got %v, want the log's error", err)
	}
	wantResume(t, s)
	if got := d.Notebook().Seq(); got != 0 || d.Batched() != 0 {
		t.Errorf("the notebook is at %d with %d events behind it, want nothing", got, d.Batched())
	}
	again := d.AddPerson("a", access.Editor)
	again.Push(roomtest.NewCell("c"), roomtest.NewCell("d"))
	d.MustCommit()
	wantSeqs(t, again.Take(), span(1, 2))
}

func TestSY95AnEditIsMovedOverThoseThatAreBeingStored(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	d.MustSubmit(roomtest.NewCell("c"), roomtest.Insert("c", 0, 0, "1"))
	d.Restart()
	a, b := d.AddPerson("a", access.Editor), d.AddPerson("b", access.Editor)
	a.Push(roomtest.Insert("c", 1, 1, "2"))
	f := beginCommit(d)
	a.Push(roomtest.Insert("c", 1, 2, "3"))
	b.Push(roomtest.Insert("c", 0, 0, "4"))
	finishCommit(d, f)
	d.MustCommit()
	if got, want := d.Source("c"), "1234"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := d.Logged(0); len(got) != 5 || got[4].Payload.(*event.SourceEdited).Rev != 3 {
		t.Errorf("got %v, want five events", got)
	}
}
