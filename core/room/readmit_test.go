package room_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/core/room/roomtest"
)

// elsewhere appends events as another process would that has the log open.
func elsewhere(ctx context.Context, log room.Log, payloads ...event.Payload) error {
	other, err := room.OpenSequencer(ctx, room.Config{Log: log})
	if err != nil {
		return err
	}
	return errors.Join(other.Submit(ctx, "person:elsewhere", payloads...), other.Commit(ctx))
}

func appendElsewhere(d *roomtest.Sequencer, payloads ...event.Payload) {
	d.T.Helper()
	if err := elsewhere(d.T.Context(), d.Log, payloads...); err != nil {
		d.T.Fatal(err)
	}
}

func TestSY154WhereAnotherProcessAppendsFirstNoMemberIsDropped(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	author, other := d.AddPerson("a", access.Editor), d.AddPerson("b", access.Viewer)
	author.Push(roomtest.NewCell("c"), roomtest.NewCell("c"))
	first := beginCommit(d)
	author.Push(roomtest.NewCell("d"), roomtest.NewCell("d"))
	appendElsewhere(d, roomtest.NewCell("x"))
	if err := d.FinishCommit(t.Context(), first.Store(t.Context())); !errors.Is(err, room.ErrConflict) {
		t.Fatalf("got %v, want ErrConflict", err)
	}
	if got := d.Batched(); got != 2 {
		t.Errorf("got %d events in the open batch, want the 2 of both batches", got)
	}
	wantSeqs(t, other.Take(), span(1, 1)) // that of the other process, and no more
	d.MustCommit()
	wantSeqs(t, other.Take(), span(2, 3))
	messages := author.Take()
	wantSeqs(t, messages, span(1, 3))
	roomtest.WantCodes(t, messages, protocol.CodeConflict, protocol.CodeConflict)
	if author.Closed() || other.Closed() {
		t.Error("a member was dropped, want that both stay")
	}
	if got, want := d.Notebook().Cells(), []event.CellID{"x", "c", "d"}; len(got) != len(want) {
		t.Errorf("got cells %v, want %v", got, want)
	}
}

func TestSY154EditsOfVoidBatchesAreRebasedAgain(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	a, b := d.AddPerson("a", access.Editor), d.AddPerson("b", access.Editor)
	d.MustSubmit(&event.CellCreated{Cell: "c", Kind: event.KindCode, Order: "R", Source: "abc"})
	a.Push(roomtest.Insert("c", 0, 3, "1"))
	b.Push(roomtest.Insert("c", 0, 0, "B"))
	d.MustCommit()
	a.Push(roomtest.Insert("c", 0, 4, "2")) // made without B, behind a's own edit
	first := beginCommit(d)
	a.Push(roomtest.Insert("c", 1, 5, "3")) // still without B
	appendElsewhere(d, roomtest.Insert("c", 2, 0, "Z"))
	if err := d.FinishCommit(t.Context(), first.Store(t.Context())); !errors.Is(err, room.ErrConflict) {
		t.Fatalf("got %v, want ErrConflict", err)
	}
	a.Push(roomtest.Insert("c", 1, 6, "4"))
	d.MustCommit()
	if got, want := d.Source("c"), "ZBabc1234"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	d.Restart()
	if got, want := d.Source("c"), "ZBabc1234"; got != want {
		t.Errorf("from the log: got %q, want %q", got, want)
	}
}

func TestSY154AnEventThatTheOtherProcessMadeMootIsRefused(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	s := d.AddPerson("a", access.Editor)
	d.MustSubmit(roomtest.NewCell("c"))
	s.Take()
	s.Push(&event.CellDeleted{Cell: "c"}, roomtest.NewCell("d"))
	f := beginCommit(d)
	appendElsewhere(d, &event.CellDeleted{Cell: "c"})
	if err := d.FinishCommit(t.Context(), f.Store(t.Context())); !errors.Is(err, room.ErrConflict) {
		t.Fatalf("got %v, want ErrConflict", err)
	}
	d.MustCommit()
	messages := s.Take()
	wantSeqs(t, messages, span(2, 3))
	roomtest.WantCodes(t, messages, protocol.CodeConflict)
}

func TestSY154TheEventsOfAMemberThatHasLeftAreKept(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	s := d.AddPerson("a", access.Editor)
	s.Push(roomtest.NewCell("c"))
	f := beginCommit(d)
	d.Leave(s.Member)
	appendElsewhere(d, roomtest.NewCell("x"))
	if err := d.FinishCommit(t.Context(), f.Store(t.Context())); !errors.Is(err, room.ErrConflict) {
		t.Fatalf("got %v, want ErrConflict", err)
	}
	d.MustCommit()
	if d.Notebook().Cell("c") == nil {
		t.Error("the cell of the member that left is lost, want it kept")
	}
}

func TestSY154TheHostIsToldOfEventsOfAnotherProcess(t *testing.T) {
	var told []notebook.Change
	d := roomtest.NewSequencer(t, func(c *room.Config) {
		c.Committed = func(_ *notebook.Notebook, changes []notebook.Change) { told = append(told, changes...) }
	})
	s := d.AddPerson("a", access.Editor)
	s.Push(roomtest.NewCell("c"))
	f := beginCommit(d)
	appendElsewhere(d, roomtest.NewCell("x"))
	if err := d.FinishCommit(t.Context(), f.Store(t.Context())); !errors.Is(err, room.ErrConflict) {
		t.Fatalf("got %v, want ErrConflict", err)
	}
	want := []notebook.Change{{Table: notebook.TableCells, ID: "x"}, {Table: notebook.TableNotebook}}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

func TestSY154WithALogThatIsShorterThanBeforeAllConnectAgain(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	d.MustSubmit(roomtest.NewCell("c"))
	s := d.AddPerson("a", access.Editor)
	s.Push(roomtest.NewCell("d"))
	beginCommit(d)
	if err := d.FinishCommit(t.Context(), room.ErrConflict); err == nil || errors.Is(err, room.ErrConflict) {
		t.Errorf("got %v, want an error that is no lost race", err)
	}
	wantResume(t, s)
}

// racing loses every third append to another process, from the first on.
type racing struct {
	*roomtest.Memory
	appends atomic.Int64
}

func (l *racing) Append(ctx context.Context, b room.Batch) error {
	if n := l.appends.Add(1); n%3 == 1 {
		if err := elsewhere(ctx, l.Memory, roomtest.NewCell(event.CellID(fmt.Sprintf("x%d", n)))); err != nil {
			return err
		}
	}
	return l.Memory.Append(ctx, b)
}

func TestSY154ARoomAnswersItsCallersOnceItsEventsAreStored(t *testing.T) {
	log := &racing{Memory: roomtest.NewMemory()}
	h := runRoom(t, room.Config{Log: log})
	m := h.visit("a")
	var wg sync.WaitGroup
	for i := range 60 {
		wg.Go(func() {
			cell := event.CellID(fmt.Sprintf("c%d", i))
			if err := h.Submit(t.Context(), "person:ada", roomtest.NewCell(cell)); err != nil {
				t.Errorf("cell %s: %v", cell, err)
			}
			if err := h.Submit(t.Context(), "person:ada", roomtest.NewCell(cell)); room.CodeOf(err) != protocol.CodeConflict {
				t.Errorf("cell %s again: got %v, want a conflict", cell, err)
			}
			if err := h.View(t.Context(), func(n *notebook.Notebook) {
				if n.Cell(cell) == nil {
					t.Errorf("cell %s is missing behind its submission", cell)
				}
			}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if err := h.end(); err != nil {
		t.Error(err)
	}
	if failed := h.failures(); len(failed) != 0 {
		t.Errorf("got failures %v, want none", failed)
	}
	resumes := roomtest.Only[*protocol.Resume](roomtest.DecodeAll(t, drained(m)))
	if len(resumes) != 1 { // that of the end
		t.Errorf("got %v, want one Resume, at the end", resumes)
	}
}

func drained(m *room.Member) [][]byte {
	messages, _ := m.Out.Drain()
	return messages
}
