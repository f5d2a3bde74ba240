package room_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/quirehq/quire/core/room/roomtest"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room"
)

const logLimit = 100_000

// newBounded opens a sequencer whose log has a bound.
func newBounded(t *testing.T) *roomtest.Sequencer {
	t.Helper()
	var d *roomtest.Sequencer
	size := func(context.Context) (n int64, err error) {
		if d == nil {
			return 0, nil
		}
		return logBytes(d), nil
	}
	d = roomtest.NewSequencer(t, func(c *room.Config) { c.MaxLog, c.LogSize = logLimit, size })
	return d
}

// logBytes returns how many bytes the records of the log have.
func logBytes(d *roomtest.Sequencer) (n int64) {
	err := d.Log.Read(d.T.Context(), 0, func(r event.Record) error {
		n += int64(len(r.Data))
		return nil
	})
	if err != nil {
		d.T.Error(err)
	}
	return n
}

func TestSY39ALogTakesNoMoreThanItMay(t *testing.T) {
	d := newBounded(t)
	s := d.AddPerson("c", access.Editor)
	s.Push(roomtest.CellWith("code", "1"))
	for range 100 { // each in place of the one before
		s.Push(&event.NotebookMetadataSet{Key: "k", Value: jsonOf(15_000)})
		d.Time += event.Time(time.Minute / time.Millisecond)
	}
	d.MustCommit()
	refused := roomtest.Only[*protocol.Refused](s.Take())
	if len(refused) != 94 || refused[0].Code != protocol.CodeInvalid || !strings.Contains(refused[0].Message, "duplicate") {
		t.Fatalf("got %d refusals %v, want 94 that say what to do", len(refused), refused)
	}
	if got := logBytes(d); got > logLimit {
		t.Errorf("the log has %d bytes, want %d at most", got, logLimit)
	}
	d.Restart()
	s = d.AddPerson("c", access.Editor)
	s.Push(&event.NotebookMetadataSet{Key: "k", Value: jsonOf(15_000)})
	d.MustCommit()
	if refused = roomtest.Only[*protocol.Refused](s.Take()); len(refused) != 1 {
		t.Errorf("after it was opened again: got %v, want it refused still", refused)
	}
	s.Push(&event.CellDeleted{Cell: "code"})
	d.MustCommit()
	roomtest.WantCodes(t, s.Take())
}

func TestSY39WhatWasPackedCanBeUsedAgain(t *testing.T) {
	packed := false
	size := func(context.Context) (int64, error) {
		if packed {
			return 0, nil
		}
		return logLimit, nil
	}
	d := roomtest.NewSequencer(t, func(c *room.Config) { c.MaxLog, c.LogSize = logLimit, size })
	s := d.AddPerson("c", access.Editor)
	s.Push(&event.NotebookMetadataSet{Key: "k", Value: jsonOf(15_000)})
	d.MustCommit()
	roomtest.WantCodes(t, s.Take(), protocol.CodeInvalid)
	packed = true
	d.Time += event.Time(time.Minute / time.Millisecond)
	s.Push(&event.NotebookMetadataSet{Key: "k", Value: jsonOf(15_000)})
	d.MustCommit()
	roomtest.WantCodes(t, s.Take())
}

func TestSY39ALogOfSmallEventsHasABoundToo(t *testing.T) {
	d := newBounded(t)
	s := d.AddPerson("c", access.Editor)
	for range 400 {
		s.Push(&event.NotebookMetadataSet{Key: "k", Value: jsonOf(900)})
	}
	d.MustCommit()
	if got := logBytes(d); got <= logLimit || got > logLimit*3/2 {
		t.Errorf("the log has %d bytes, want more than %d and %d at most", got, logLimit, logLimit*3/2)
	}
}

func TestSY39ARuntimeKeepsWhatALogTakesNoMore(t *testing.T) {
	d := newBounded(t)
	person := d.AddPerson("c", access.Editor)
	rt, epoch := d.AddRuntime("rt")
	person.Push(roomtest.CellWith("code", "1"), roomtest.Request("r1", "code"))
	rt.Push(&event.RunAssigned{Run: "r1", Epoch: epoch}, &event.RunStarted{Run: "r1", Epoch: epoch})
	d.MustCommit()
	print := func() *event.OutputAdded {
		p := printedBy(event.OutputID("o"+string(rune('a'+rt.N))), strings.Repeat("x", 15_000))
		return p
	}
	pushed := 0
	for ; pushed < 20 && !rt.Closed(); pushed++ {
		rt.Push(print())
		d.MustCommit()
	}
	if got := logBytes(d); got <= logLimit || got > logLimit*5/4 {
		t.Errorf("the log has %d bytes, want more than %d, for a run that has begun, and %d at most", got, logLimit, logLimit*5/4)
	}
	person.Take()
	person.Push(roomtest.Request("r2", "code"))
	d.MustCommit()
	roomtest.WantCodes(t, person.Take(), protocol.CodeInvalid)
	person.Push(&event.AllRunsCancelled{})
	d.MustCommit()
	roomtest.WantCodes(t, person.Take())

	again := d.Connect("runtime:rt", access.Runtime, protocol.Hello{Client: "of-rt", Runtime: "rt"})
	again.Push(print())
	messages := again.Take()
	if resume := roomtest.Only[*protocol.Resume](messages); len(resume) != 1 || !resume[0].Unwritten || len(roomtest.Only[*protocol.Refused](messages)) != 0 {
		t.Errorf("got %v, want it told to come again with what it has", messages)
	}
	kept := event.Draft{ID: event.ID{Client: "of-rt", N: again.N}, Payload: print()}
	d.Spool = func(event.RuntimeID) []event.Draft { return []event.Draft{kept} }
	before := d.Notebook().Seq()
	d.MustSubmit(&event.RuntimeStopped{Runtime: "rt", Epoch: epoch, Reason: event.StopShutdown})
	if got := typesAfter(d, before); len(got) != 2 || got[0] != "OutputAdded" {
		t.Errorf("got %v, want what it has left and then its end", got)
	}
}

func TestSY39WithoutABoundALogGrows(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	s := d.AddPerson("c", access.Editor)
	for range 40 {
		s.Push(&event.NotebookMetadataSet{Key: "k", Value: jsonOf(15_000)})
	}
	d.MustCommit()
	roomtest.WantCodes(t, s.Take())
}
