package room_test

import (
	"errors"
	"testing"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room"
)

// beginCommit begins to commit the batch of a desk's room.
func (d *desk) beginCommit() *room.Commit {
	d.t.Helper()
	f := d.BeginCommit()
	if f == nil {
		d.t.Fatal("there is nothing to store")
	}
	return f
}

// finishCommit stores a commit and publishes it.
func (d *desk) finishCommit(f *room.Commit) {
	d.t.Helper()
	if err := d.FinishCommit(d.t.Context(), f.Store(d.t.Context())); err != nil {
		d.t.Fatal(err)
	}
}

func TestSY95NothingIsShownBeforeItsOwnBatchIsStored(t *testing.T) {
	d := newDesk(t, nil)
	author, reader := d.join("a", access.Editor), d.join("b", access.Viewer)
	author.push(newCell("c"))
	first := d.beginCommit()
	author.push(newCell("d"), newCell("d"))
	d.Drained(t.Context(), reader.Member) // which reads what the log has
	if got := append(author.take(), reader.take()...); len(got) != 0 {
		t.Errorf("with nothing stored: got %v, want nothing", got)
	}
	d.finishCommit(first)
	wantSeqs(t, reader.take(), span(1, 1))
	messages := author.take()
	wantSeqs(t, messages, span(1, 1))
	wantCodes(t, messages)
	d.commit()
	wantSeqs(t, reader.take(), span(2, 2))
	messages = author.take()
	wantSeqs(t, messages, span(2, 2))
	wantCodes(t, messages, protocol.CodeConflict)
}

func TestSY95AnAnswerWaitsForTheBatchThatItDependsOn(t *testing.T) {
	d := newDesk(t, nil)
	a, b := d.join("a", access.Editor), d.join("b", access.Editor)
	a.push(newCell("c"))
	f := d.beginCommit()
	b.push(newCell("c"))
	wantCodes(t, b.take())
	d.finishCommit(f)
	wantCodes(t, b.take())
	d.commit()
	wantCodes(t, b.take(), protocol.CodeConflict)
}

func TestSY95WithABatchThatIsNotStoredTheOneBehindItIsGone(t *testing.T) {
	d := newDesk(t, nil)
	s := d.join("a", access.Editor)
	s.push(newCell("c"))
	d.beginCommit()
	s.push(newCell("d"))
	if err := d.FinishCommit(t.Context(), errFull); !errors.Is(err, errFull) {
		t.Fatalf("got %v, want the log's error", err)
	}
	wantResume(t, s)
	if got := d.Notebook().Seq(); got != 0 || d.Batched() != 0 {
		t.Errorf("the notebook is at %d with %d events behind it, want nothing", got, d.Batched())
	}
	again := d.join("a", access.Editor)
	again.push(newCell("c"), newCell("d"))
	d.commit()
	wantSeqs(t, again.take(), span(1, 2))
}

func TestSY95AnEditIsMovedOverThoseThatAreBeingStored(t *testing.T) {
	d := newDesk(t, nil)
	d.submit(newCell("c"), insert("c", 0, 0, "1"))
	d.restart()
	a, b := d.join("a", access.Editor), d.join("b", access.Editor)
	a.push(insert("c", 1, 1, "2"))
	f := d.beginCommit()
	a.push(insert("c", 1, 2, "3"))
	b.push(insert("c", 0, 0, "4"))
	d.finishCommit(f)
	d.commit()
	if got, want := d.source("c"), "1234"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := d.logged(0); len(got) != 5 || got[4].Payload.(*event.SourceEdited).Rev != 3 {
		t.Errorf("got %v, want five events", got)
	}
}
