package runtime

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/replica"
)

const (
	// storeGrown is by how much a long text has to grow before it is stored anew while more
	// of it may come, and storeSlow how long that may take: who prints waits for it.
	storeGrown = 1 << 20
	storeSlow  = 5 * time.Second
	// measureInterval is the least time between two looks at what a notebook holds.
	measureInterval = time.Second
)

// afterlife is what an engine's runs produce after their ends, until the engine is closed.
type afterlife struct {
	rt   *Runtime
	life context.Context // when it ends nothing waits any more
	end  context.CancelFunc

	mu    sync.Mutex
	sinks []*sink // that have produced something late
}

// after returns the afterlife of the runs of an engine.
func (rt *Runtime) after(engine lang.Engine) *afterlife {
	rt.latesMu.Lock()
	defer rt.latesMu.Unlock()
	if rt.lates[engine] == nil {
		life, end := context.WithCancel(context.Background())
		rt.lates[engine] = &afterlife{rt: rt, life: life, end: end}
	}
	return rt.lates[engine]
}

// discard closes an engine, and states what its runs have produced late.
func (rt *Runtime) discard(language string, engine lang.Engine) {
	after := rt.after(engine)
	after.end()
	_ = rt.cfg.Engines.Discard(language, engine) // it is dead, or the run's error says what happened
	after.settle()
	rt.latesMu.Lock()
	defer rt.latesMu.Unlock()
	delete(rt.lates, engine)
}

// settleLate states what the runs of all engines have produced late, when the engines are
// closed or nothing more will be stated.
func (rt *Runtime) settleLate() {
	rt.latesMu.Lock()
	defer rt.latesMu.Unlock()
	for _, after := range rt.lates {
		after.end()
		after.settle()
	}
}

// settle states and stores all that is left.
func (l *afterlife) settle() {
	l.mu.Lock()
	sinks := l.sinks
	l.sinks = nil
	l.mu.Unlock()
	for _, s := range sinks {
		s.settleLate()
	}
}

// note notes that a sink produces late.
func (l *afterlife) note(s *sink) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Contains(l.sinks, s) {
		l.sinks = append(l.sinks, s)
	}
}

// open has the sink take what the run produces late: its end is stated.
func (s *sink) open() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isLate, s.done, s.life = true, false, s.after.life
	s.mute = s.after.end
	s.pace, s.news = pace{last: s.pace.last}, nil // their timers are stopped
	s.shaper.late, s.shaper.result = s.cell, nil
	s.shaper.end = func(why *tooMuch) {
		s.excess = why
		s.after.rt.limited(s.shaper.run, why)
	}
	if k := s.shaper.keeper; k != nil {
		k.life, k.run = s.life, s.life
	}
	s.shaper.emit = s.emitLate
	s.shaper.hurried = func() bool { return s.shaper.keeper != nil && !s.after.rt.out.hasRoom() }
	close(s.opened)
}

// lock takes the sink's turn. Nothing is taken between the end of the program and the end
// of its run.
func (s *sink) lock() {
	s.mu.Lock()
	for s.done && !s.isLate && s.after.life.Err() == nil {
		s.mu.Unlock()
		select {
		case <-s.opened:
		case <-s.after.life.Done():
		}
		s.mu.Lock()
	}
	if s.isLate && !s.noted {
		s.noted = true
		s.after.note(s)
	}
	if s.isLate && time.Since(s.measured) > measureInterval {
		s.measured = time.Now()
		s.after.rt.measureElsewhere(&s.shaper.measure, s.cell)
	}
}

// unlock gives the turn back. It says once that the run has produced too much late.
func (s *sink) unlock() {
	if s.excess != nil {
		why := s.excess
		s.excess = nil
		s.shaper.boundary()
		_, _ = s.shaper.add(event.Output{Kind: event.OutputError, Error: why.shown()})
	}
	s.mu.Unlock()
}

// measureElsewhere measures what the notebook holds of other outputs than those of a cell.
func (rt *Runtime) measureElsewhere(m *measure, cell event.CellID) {
	_ = rt.session.With(func(r *replica.Replica) error {
		m.elsewhere = r.Confirmed().OutputSize(cell)
		return nil
	})
}

// emitLate states an event of a run that has ended. Text is stated without waiting for
// space: while there is none the shaper puts it into a file. Nothing waits any more while
// the engine is closed.
func (s *sink) emitLate(p event.Payload) error {
	out := s.after.rt.out
	if s.life.Err() == nil && (s.shaper.keeper == nil || !isText(p)) {
		if err := out.emit(s.life, p, false); s.life.Err() == nil {
			return err
		}
	}
	_, err := out.state(p)
	return err
}

// isText reports whether an event is of printed text.
func isText(p event.Payload) bool {
	switch p := p.(type) {
	case *event.OutputAdded:
		return p.Value.Kind == event.OutputStream
	case *event.OutputAppended, *event.OutputStored:
		return true
	}
	return false
}

// keepLongLocked stores long texts that have grown, while more of them may come.
func (s *sink) keepLongLocked() {
	if !s.isLate || s.shaper.keeper == nil || s.pressed() {
		return
	}
	for _, t := range s.shaper.tails {
		if t.file == nil || t.printed() < 2*t.stored+storeGrown {
			continue
		}
		soon, cancel := context.WithTimeout(s.life, storeSlow)
		s.shaper.keeper.life = soon
		s.shaper.storeSoFar(t)
		s.shaper.keeper.life = s.life
		cancel()
	}
}

// settleLate states and stores all that is left. What cannot be stored now stays in its
// file, for who finds it.
func (s *sink) settleLate() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done = true
	s.pace.stop()
	if s.news != nil {
		s.news.Stop()
	}
	if k := s.shaper.keeper; k != nil {
		over, cancel := context.WithCancel(context.Background())
		cancel()
		k.life, k.run = context.Background(), over // it may take for as long as it gets on
	}
	s.shaper.emit = func(p event.Payload) error {
		_, err := s.after.rt.out.state(p)
		return err
	}
	s.shaper.settle()
	s.shaper.emit = func(event.Payload) error { return lang.ErrClosed }
}
