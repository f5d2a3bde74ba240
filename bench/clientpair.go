package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
)

// pair is two clients of one notebook: one that requests runs, and an observer.
type pair struct {
	server      *server
	notebook    string
	asks, looks *replica.Session
	stop        context.CancelFunc
	running     sync.WaitGroup
	cells       int

	mu   sync.Mutex
	news map[event.CellID]*timing // of the current runs
}

// timing is the duration of a run for the observer, from the request on.
type timing struct {
	start       time.Time
	run         event.RunID
	shown, done time.Duration
	events      int
}

func openPair(ctx context.Context, s *server) (*pair, error) {
	id, err := s.notebook(ctx)
	if err != nil {
		return nil, err
	}
	life, stop := context.WithCancel(ctx)
	p := &pair{server: s, notebook: id, stop: stop, news: map[event.CellID]*timing{}}
	dial := func(ctx context.Context) (protocol.Conn, error) { return s.connect(ctx, id) }
	p.asks = replica.NewSession(replica.SessionConfig{Replica: replica.New("asks"), Dial: dial})
	p.looks = replica.NewSession(replica.SessionConfig{Replica: replica.New("looks"), Dial: dial, Updated: p.updated})
	for _, session := range []*replica.Session{p.asks, p.looks} {
		p.running.Go(func() { _ = session.Run(life) }) // waiters get its error
		if err := session.Wait(ctx, (*replica.Replica).Online); err != nil {
			p.close()
			return nil, err
		}
	}
	return p, nil
}

// close ends the clients and the runtime, which would try to reconnect for long.
func (p *pair) close() {
	p.stop()
	p.running.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_ = p.server.request(ctx, "DELETE", "/api/notebooks/"+p.notebook+"/runtime", nil, nil) // there may be none
}

// updated records the observer's updates.
func (p *pair) updated(_ *replica.Replica, up replica.Update) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range up.Committed {
		for _, t := range p.news {
			t.note(up.Committed[i].Payload)
		}
	}
}

func (t *timing) note(payload event.Payload) {
	switch e := payload.(type) {
	case *event.OutputAdded:
		if e.Run == t.run && t.shown == 0 {
			t.shown = time.Since(t.start)
		}
		t.events++
	case *event.OutputAppended:
		t.events++
	case *event.RunFinished:
		if e.Run == t.run {
			t.done = time.Since(t.start)
		}
	}
}

// run runs a source in a new cell, and returns when the observer has seen its end.
func (p *pair) run(ctx context.Context, source string) (timing, error) {
	cell, err := p.cell(ctx, source)
	if err != nil {
		return timing{}, err
	}
	return p.runCell(ctx, cell)
}

// runCell does so with a cell that has not run yet.
func (p *pair) runCell(ctx context.Context, cell event.CellID) (timing, error) {
	t := &timing{start: time.Now(), run: event.RunID("run-" + string(cell))}
	p.mu.Lock()
	p.news[cell] = t
	p.mu.Unlock()
	err := p.asks.With(func(r *replica.Replica) error {
		_, _, err := r.Do(&event.RunRequested{Runs: []event.RunOf{{Run: t.run, Cell: cell}}})
		return err
	})
	if err != nil {
		return timing{}, err
	}
	var run notebook.Run
	err = p.looks.Wait(ctx, func(r *replica.Replica) bool {
		if got := r.Confirmed().Run(t.run); got != nil {
			run = *got
		}
		return run.State == notebook.RunFinished
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.news, cell)
	if err == nil && run.Status != event.StatusOK {
		err = errors.New("a run ended with " + string(run.Status) + ": " + run.Reason)
	}
	return *t, err
}

// cell creates a cell and waits until the room has it, so one event requests a run.
func (p *pair) cell(ctx context.Context, source string) (event.CellID, error) {
	p.cells++
	cell := event.CellID(fmt.Sprintf("cell%d", p.cells))
	var id event.ID
	err := p.asks.With(func(r *replica.Replica) (err error) {
		id, _, err = r.Do(&event.CellCreated{Cell: cell, Kind: event.KindCode, Order: "U", Source: source})
		return err
	})
	if err == nil {
		err = p.asks.Wait(ctx, func(r *replica.Replica) bool { return !r.IsPending(id) })
	}
	return cell, err
}
