package room_test

import (
	"slices"
	"testing"

	"github.com/quirehq/quire/core/room/roomtest"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
)

// leaving returns a sequencer whose runtime has printed "a" in run r1 and is gone, and has
// spooled its output with the counters from 4 on.
func leaving(t *testing.T, left ...event.Payload) *roomtest.Sequencer {
	t.Helper()
	d, s := working(t)
	s.Push(printedBy("o1", "a"))
	d.MustCommit()
	drafts := []event.Draft{{ID: event.ID{Client: s.Client, N: s.N}, Payload: printedBy("o1", "a")}} // acknowledged
	for i, p := range left {
		drafts = append(drafts, event.Draft{ID: event.ID{Client: s.Client, N: s.N + uint64(i) + 1}, Payload: p})
	}
	d.Spool = func(id event.RuntimeID) []event.Draft {
		if id != "rt" {
			t.Errorf("asked for what %s has left", id)
		}
		return drafts
	}
	d.Leave(s.Member)
	return d
}

func printedBy(id event.OutputID, text string) *event.OutputAdded {
	return &event.OutputAdded{Output: id, Run: "r1", Epoch: 1, Value: event.Output{Kind: event.OutputStream, Stream: event.Stdout, Text: text}}
}

// types returns the types of the log's events after a number.
func typesAfter(d *roomtest.Sequencer, after event.Seq) []event.Type {
	d.T.Helper()
	var types []event.Type
	for _, e := range d.Logged(after) {
		types = append(types, e.Payload.Type())
	}
	return types
}

func TestSY84WhatARuntimeHasLeftIsStatedBeforeItsEnd(t *testing.T) {
	for name, end := range map[string]func(*roomtest.Sequencer){
		"its lease ends": func(d *roomtest.Sequencer) { d.Pass(grace) },
		"a person stops it": func(d *roomtest.Sequencer) {
			d.MustSubmit(&event.RuntimeStopped{Runtime: "rt", Epoch: 1, Reason: event.StopShutdown})
		},
		"another takes its place": func(d *roomtest.Sequencer) { d.AddRuntime("newer") },
		"the room was away meanwhile": func(d *roomtest.Sequencer) {
			d.Restart()
			d.Pass(grace)
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := leaving(t, &event.OutputAppended{Output: "o1", Run: "r1", Epoch: 1, Text: "b"})
			before := d.Notebook().Seq()
			end(d)
			if got := typesAfter(d, before); len(got) != 2 || got[0] != "OutputAppended" {
				t.Errorf("got %v, want what was left and then the end", got)
			}
			if got := d.Notebook().Output("o1").Value().Text; got != "ab" {
				t.Errorf("got output %q, want it whole and once", got)
			}
			if got := d.Logged(before)[0].Actor; got != "runtime:rt" {
				t.Errorf("got actor %s, want the runtime", got)
			}
		})
	}
}

func TestSY84OfWhatARuntimeHasLeftOnlyWhatItMayStateCounts(t *testing.T) {
	d := leaving(
		t,
		&event.OutputAppended{Output: "o1", Run: "r1", Epoch: 2, Text: "of another epoch"},
		&event.OutputAppended{Output: "none", Run: "r1", Epoch: 1, Text: "moot"},
		&event.OutputAppended{Run: "r1", Epoch: 1, Text: "malformed"},
		roomtest.NewCell("forged"),
		&event.RunFinished{Run: "r1", Epoch: 1, Status: event.StatusOK},
		&event.RuntimeStopped{Runtime: "rt", Epoch: 1, Reason: event.StopShutdown},
	)
	before := d.Notebook().Seq()
	d.Pass(grace)
	if got, want := typesAfter(d, before), []event.Type{"RunFinished", "RuntimeStopped"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestSY84ARuntimeThatIsHereHasLeftNothing(t *testing.T) {
	d := leaving(t, &event.OutputAppended{Output: "o1", Run: "r1", Epoch: 1, Text: "b"})
	d.Connect("runtime:rt", access.Runtime, protocol.Hello{Client: "of-rt", Runtime: "rt", Since: d.Notebook().Seq()})
	before := d.Notebook().Seq()
	d.MustSubmit(&event.RuntimeStopped{Runtime: "rt", Epoch: 1, Reason: event.StopShutdown})
	if got := typesAfter(d, before); len(got) != 1 {
		t.Errorf("got %v, want the end alone: it pushes what it has itself", got)
	}
}
