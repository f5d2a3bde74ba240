package main

import (
	"context"
	"fmt"
	"time"

	"github.com/quirehq/quire/bench/trace"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/order"
)

// story makes a log of n small events like those of people: typing in a few cells at a time, and
// runs with output.
type story struct {
	n      uint64
	seq    event.Seq
	book   *notebook.Notebook
	cells  []event.CellID
	writer *trace.Writer
	events []event.Event
}

func newStory(cells int) (*story, error) {
	s := &story{book: notebook.New(), writer: trace.New(7)}
	var last order.Place
	for i := range cells {
		key, err := order.Between(last, order.Place{})
		if err != nil {
			return nil, err
		}
		id := event.CellID(fmt.Sprintf("c%d", i))
		s.cells = append(s.cells, id)
		s.add(&event.CellCreated{Cell: id, Kind: event.KindCode, Order: key})
		last = order.Place{Key: key, ID: string(id)}
	}
	s.add(&event.RuntimeStarted{Runtime: "rt", Takes: event.TakesCode})
	return s, nil
}

func (s *story) add(p event.Payload) {
	s.n++
	s.seq++
	e := event.Event{
		Seq: s.seq, ID: event.ID{Client: "client01", N: s.n}, Actor: "person:owner",
		Time: event.Time(1_790_000_000_000 + 120*int64(s.n)), Payload: p,
	}
	_, _ = s.book.Apply(&e, nil)
	s.events = append(s.events, e)
}

// work adds about n events in one cell: typing, and an occasional run with output.
func (s *story) work(cell event.CellID, n int) {
	for range n * 8 / 10 {
		c := s.book.Cell(cell)
		s.add(&event.SourceEdited{Cell: cell, Rev: c.Rev, Edit: s.writer.Next(c.Text().Len())})
	}
	run, out := event.RunID(fmt.Sprintf("r%d", s.n)), event.OutputID(fmt.Sprintf("o%d", s.n))
	s.add(&event.RunRequested{Runs: []event.RunOf{{Run: run, Cell: cell}}})
	s.add(&event.RunAssigned{Run: run, Epoch: 1})
	s.add(&event.RunStarted{Run: run, Epoch: 1})
	s.add(&event.OutputAdded{Output: out, Run: run, Epoch: 1, Value: event.Output{Kind: event.OutputStream, Stream: event.Stdout, Text: "epoch 1\n"}})
	for range n * 2 / 10 {
		s.add(&event.OutputAppended{Output: out, Run: run, Epoch: 1, Text: "loss 0.1234\n"})
	}
	s.add(&event.RunFinished{Run: run, Epoch: 1, Status: event.StatusOK, Count: 1})
}

func makeStory(cells, events int) (*story, error) {
	s, err := newStory(cells)
	for i := 0; err == nil && len(s.events) < events; i++ {
		s.work(s.cells[i%len(s.cells)], 50)
	}
	return s, err
}

// measureFold folds decoded events.
func measureFold(_ context.Context, e *env) ([]row, error) {
	s, err := makeStory(20, e.scale(500_000))
	if err != nil {
		return nil, err
	}
	best := time.Duration(1 << 62)
	for range 3 {
		book, changes := notebook.New(), []notebook.Change(nil)
		start := time.Now()
		for i := range s.events {
			changes, _ = book.Apply(&s.events[i], changes[:0])
		}
		best = min(best, time.Since(start))
	}
	return []row{{
		what: fmt.Sprintf("fold of %s small events", thousands(len(s.events))),
		got:  perSecond(len(s.events), best.Seconds()), limit: "> 2,000,000/s", beside: "budget",
	}}, nil
}
