package room_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room"
)

const logLimit = 100_000

// newBoundDesk opens a desk whose log has a bound.
func newBoundDesk(t *testing.T) *desk {
	t.Helper()
	var d *desk
	size := func(context.Context) (n int64, err error) {
		if d == nil {
			return 0, nil
		}
		return d.logBytes(), nil
	}
	d = newDesk(t, func(c *room.Config) { c.MaxLog, c.LogSize = logLimit, size })
	return d
}

// logBytes returns how many bytes the records of the log have.
func (d *desk) logBytes() (n int64) {
	err := d.log.Read(d.t.Context(), 0, func(r event.Record) error {
		n += int64(len(r.Data))
		return nil
	})
	if err != nil {
		d.t.Error(err)
	}
	return n
}

func TestSY39ALogTakesNoMoreThanItMay(t *testing.T) {
	d := newBoundDesk(t)
	s := d.join("c", access.Editor)
	s.push(cellWith("code", "1"))
	for range 100 { // each in place of the one before
		s.push(&event.NotebookMetadataSet{Key: "k", Value: jsonOf(15_000)})
		d.now += event.Time(time.Minute / time.Millisecond)
	}
	d.commit()
	refused := only[*protocol.Refused](s.take())
	if len(refused) != 94 || refused[0].Code != protocol.CodeInvalid || !strings.Contains(refused[0].Message, "duplicate") {
		t.Fatalf("got %d refusals %v, want 94 that say what to do", len(refused), refused)
	}
	if got := d.logBytes(); got > logLimit {
		t.Errorf("the log has %d bytes, want %d at most", got, logLimit)
	}
	d.restart()
	s = d.join("c", access.Editor)
	s.push(&event.NotebookMetadataSet{Key: "k", Value: jsonOf(15_000)})
	d.commit()
	if refused = only[*protocol.Refused](s.take()); len(refused) != 1 {
		t.Errorf("after it was opened again: got %v, want it refused still", refused)
	}
	s.push(&event.CellDeleted{Cell: "code"})
	d.commit()
	wantCodes(t, s.take())
}

func TestSY39WhatWasPackedCanBeUsedAgain(t *testing.T) {
	packed := false
	size := func(context.Context) (int64, error) {
		if packed {
			return 0, nil
		}
		return logLimit, nil
	}
	d := newDesk(t, func(c *room.Config) { c.MaxLog, c.LogSize = logLimit, size })
	s := d.join("c", access.Editor)
	s.push(&event.NotebookMetadataSet{Key: "k", Value: jsonOf(15_000)})
	d.commit()
	wantCodes(t, s.take(), protocol.CodeInvalid)
	packed = true
	d.now += event.Time(time.Minute / time.Millisecond)
	s.push(&event.NotebookMetadataSet{Key: "k", Value: jsonOf(15_000)})
	d.commit()
	wantCodes(t, s.take())
}

func TestSY39ALogOfSmallEventsHasABoundToo(t *testing.T) {
	d := newBoundDesk(t)
	s := d.join("c", access.Editor)
	for range 400 {
		s.push(&event.NotebookMetadataSet{Key: "k", Value: jsonOf(900)})
	}
	d.commit()
	if got := d.logBytes(); got <= logLimit || got > logLimit*3/2 {
		t.Errorf("the log has %d bytes, want more than %d and %d at most", got, logLimit, logLimit*3/2)
	}
}

func TestSY39ARuntimeKeepsWhatALogTakesNoMore(t *testing.T) {
	d := newBoundDesk(t)
	person := d.join("c", access.Editor)
	rt, epoch := d.joinRuntime("rt")
	person.push(cellWith("code", "1"), request("r1", "code"))
	rt.push(&event.RunAssigned{Run: "r1", Epoch: epoch}, &event.RunStarted{Run: "r1", Epoch: epoch})
	d.commit()
	print := func() *event.OutputAdded {
		p := printedBy(event.OutputID("o"+string(rune('a'+rt.n))), strings.Repeat("x", 15_000))
		return p
	}
	pushed := 0
	for ; pushed < 20 && !rt.closed(); pushed++ {
		rt.push(print())
		d.commit()
	}
	if got := d.logBytes(); got <= logLimit || got > logLimit*5/4 {
		t.Errorf("the log has %d bytes, want more than %d, for a run that has begun, and %d at most", got, logLimit, logLimit*5/4)
	}
	person.take()
	person.push(request("r2", "code"))
	d.commit()
	wantCodes(t, person.take(), protocol.CodeInvalid)
	person.push(&event.AllRunsCancelled{})
	d.commit()
	wantCodes(t, person.take())

	again := d.seat("runtime:rt", access.Runtime, protocol.Hello{Client: "of-rt", Runtime: "rt"})
	again.push(print())
	messages := again.take()
	if resume := only[*protocol.Resume](messages); len(resume) != 1 || !resume[0].Unwritten || len(only[*protocol.Refused](messages)) != 0 {
		t.Errorf("got %v, want it told to come again with what it has", messages)
	}
	kept := event.Draft{ID: event.ID{Client: "of-rt", N: again.n}, Payload: print()}
	d.left = func(event.RuntimeID) []event.Draft { return []event.Draft{kept} }
	before := d.Notebook().Seq()
	d.submit(&event.RuntimeStopped{Runtime: "rt", Epoch: epoch, Reason: event.StopShutdown})
	if got := d.types(before); len(got) != 2 || got[0] != "OutputAdded" {
		t.Errorf("got %v, want what it has left and then its end", got)
	}
}

func TestSY39WithoutABoundALogGrows(t *testing.T) {
	d := newDesk(t, nil)
	s := d.join("c", access.Editor)
	for range 40 {
		s.push(&event.NotebookMetadataSet{Key: "k", Value: jsonOf(15_000)})
	}
	d.commit()
	wantCodes(t, s.take())
}
