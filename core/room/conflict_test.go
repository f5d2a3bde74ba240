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

func (d *desk) elsewhere(payloads ...event.Payload) {
	d.t.Helper()
	if err := elsewhere(d.t.Context(), d.log, payloads...); err != nil {
		d.t.Fatal(err)
	}
}

func TestSY154WhereAnotherProcessAppendsFirstNoMemberIsDropped(t *testing.T) {
	d := newDesk(t, nil)
	author, other := d.join("a", access.Editor), d.join("b", access.Viewer)
	author.push(newCell("c"), newCell("c"))
	first := d.beginCommit()
	author.push(newCell("d"), newCell("d"))
	d.elsewhere(newCell("x"))
	if err := d.FinishCommit(t.Context(), first.Store(t.Context())); !errors.Is(err, room.ErrConflict) {
		t.Fatalf("got %v, want ErrConflict", err)
	}
	if got := d.Batched(); got != 2 {
		t.Errorf("got %d events in the open batch, want the 2 of both batches", got)
	}
	wantSeqs(t, other.take(), span(1, 1)) // that of the other process, and no more
	d.commit()
	wantSeqs(t, other.take(), span(2, 3))
	messages := author.take()
	wantSeqs(t, messages, span(1, 3))
	wantCodes(t, messages, protocol.CodeConflict, protocol.CodeConflict)
	if author.closed() || other.closed() {
		t.Error("a member was dropped, want that both stay")
	}
	if got, want := d.Notebook().Cells(), []event.CellID{"x", "c", "d"}; len(got) != len(want) {
		t.Errorf("got cells %v, want %v", got, want)
	}
}

func TestSY154EditsOfVoidBatchesAreRebasedAgain(t *testing.T) {
	d := newDesk(t, nil)
	a, b := d.join("a", access.Editor), d.join("b", access.Editor)
	d.submit(&event.CellCreated{Cell: "c", Kind: event.KindCode, Order: "R", Source: "abc"})
	a.push(insert("c", 0, 3, "1"))
	b.push(insert("c", 0, 0, "B"))
	d.commit()
	a.push(insert("c", 0, 4, "2")) // made without B, behind a's own edit
	first := d.beginCommit()
	a.push(insert("c", 1, 5, "3")) // still without B
	d.elsewhere(insert("c", 2, 0, "Z"))
	if err := d.FinishCommit(t.Context(), first.Store(t.Context())); !errors.Is(err, room.ErrConflict) {
		t.Fatalf("got %v, want ErrConflict", err)
	}
	a.push(insert("c", 1, 6, "4"))
	d.commit()
	if got, want := d.source("c"), "ZBabc1234"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	d.restart()
	if got, want := d.source("c"), "ZBabc1234"; got != want {
		t.Errorf("from the log: got %q, want %q", got, want)
	}
}

func TestSY154AnEventThatTheOtherProcessMadeMootIsRefused(t *testing.T) {
	d := newDesk(t, nil)
	s := d.join("a", access.Editor)
	d.submit(newCell("c"))
	s.take()
	s.push(&event.CellDeleted{Cell: "c"}, newCell("d"))
	f := d.beginCommit()
	d.elsewhere(&event.CellDeleted{Cell: "c"})
	if err := d.FinishCommit(t.Context(), f.Store(t.Context())); !errors.Is(err, room.ErrConflict) {
		t.Fatalf("got %v, want ErrConflict", err)
	}
	d.commit()
	messages := s.take()
	wantSeqs(t, messages, span(2, 3))
	wantCodes(t, messages, protocol.CodeConflict)
}

func TestSY154TheEventsOfAMemberThatHasLeftAreKept(t *testing.T) {
	d := newDesk(t, nil)
	s := d.join("a", access.Editor)
	s.push(newCell("c"))
	f := d.beginCommit()
	d.Leave(s.Member)
	d.elsewhere(newCell("x"))
	if err := d.FinishCommit(t.Context(), f.Store(t.Context())); !errors.Is(err, room.ErrConflict) {
		t.Fatalf("got %v, want ErrConflict", err)
	}
	d.commit()
	if d.Notebook().Cell("c") == nil {
		t.Error("the cell of the member that left is lost, want it kept")
	}
}

func TestSY154TheHostIsToldOfEventsOfAnotherProcess(t *testing.T) {
	var told []notebook.Change
	d := newDesk(t, func(c *room.Config) {
		c.Committed = func(_ *notebook.Notebook, changes []notebook.Change) { told = append(told, changes...) }
	})
	s := d.join("a", access.Editor)
	s.push(newCell("c"))
	f := d.beginCommit()
	d.elsewhere(newCell("x"))
	if err := d.FinishCommit(t.Context(), f.Store(t.Context())); !errors.Is(err, room.ErrConflict) {
		t.Fatalf("got %v, want ErrConflict", err)
	}
	want := []notebook.Change{{Table: notebook.TableCells, ID: "x"}, {Table: notebook.TableNotebook}}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

func TestSY154WithALogThatIsShorterThanBeforeAllConnectAgain(t *testing.T) {
	d := newDesk(t, nil)
	d.submit(newCell("c"))
	s := d.join("a", access.Editor)
	s.push(newCell("d"))
	d.beginCommit()
	if err := d.FinishCommit(t.Context(), room.ErrConflict); err == nil || errors.Is(err, room.ErrConflict) {
		t.Errorf("got %v, want an error that is no lost race", err)
	}
	wantResume(t, s)
}

// racing loses every third append to another process.
type racing struct {
	*roomtest.Memory
	appends atomic.Int64
}

func (l *racing) Append(ctx context.Context, b room.Batch) error {
	if n := l.appends.Add(1); n%3 == 0 {
		if err := elsewhere(ctx, l.Memory, newCell(event.CellID(fmt.Sprintf("x%d", n)))); err != nil {
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
			if err := h.Submit(t.Context(), "person:ada", newCell(cell)); err != nil {
				t.Errorf("cell %s: %v", cell, err)
			}
			if err := h.Submit(t.Context(), "person:ada", newCell(cell)); room.CodeOf(err) != protocol.CodeConflict {
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
	resumes := only[*protocol.Resume](decodeAll(t, drained(m)))
	if len(resumes) != 1 { // that of the end
		t.Errorf("got %v, want one Resume, at the end", resumes)
	}
	if log.appends.Load() < 6 {
		t.Errorf("got %d appends, want some that lost", log.appends.Load())
	}
}

func drained(m *room.Member) [][]byte {
	messages, _ := m.Out.Drain()
	return messages
}
