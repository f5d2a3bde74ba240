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

// lateOutput is what an engine's runs produce after their ends, until the engine is closed.
type lateOutput struct {
	rt   *Runtime
	life context.Context // when it ends nothing waits any more
	end  context.CancelFunc

	mu    sync.Mutex
	sinks []*sink // that have produced something late
}

// lateOutputOf returns the afterlife of the runs of an engine.
func (rt *Runtime) lateOutputOf(engine lang.Engine) *lateOutput {
	rt.lateMu.Lock()
	defer rt.lateMu.Unlock()
	if rt.late[engine] == nil {
		life, end := context.WithCancel(context.Background())
		rt.late[engine] = &lateOutput{rt: rt, life: life, end: end}
	}
	return rt.late[engine]
}

// discard closes an engine, and states what its runs have produced late.
func (rt *Runtime) discard(language string, engine lang.Engine) {
	after := rt.lateOutputOf(engine)
	after.end()
	_ = rt.cfg.Engines.Discard(language, engine) // it is dead, or the run's error says what happened
	after.flush()
	rt.lateMu.Lock()
	defer rt.lateMu.Unlock()
	delete(rt.late, engine)
}

// flushLate states what the runs of all engines have produced late, when the engines are
// closed or nothing more will be stated.
func (rt *Runtime) flushLate() {
	rt.lateMu.Lock()
	defer rt.lateMu.Unlock()
	for _, after := range rt.late {
		after.end()
		after.flush()
	}
}

// flush states and stores all that is left.
func (l *lateOutput) flush() {
	l.mu.Lock()
	sinks := l.sinks
	l.sinks = nil
	l.mu.Unlock()
	for _, s := range sinks {
		s.flushLate()
	}
}

// add notes that a sink produces late.
func (l *lateOutput) add(s *sink) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Contains(l.sinks, s) {
		l.sinks = append(l.sinks, s)
	}
}

// takeLate has the sink take what the run produces late: its end is stated.
func (s *sink) takeLate() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isLate, s.done, s.life = true, false, s.late.life
	s.mute = s.late.end
	s.pace, s.tailsTimer = pace{last: s.pace.last}, nil // their timers are stopped
	s.shaper.late, s.shaper.result = s.cell, nil
	s.shaper.end = func(why *limitError) {
		s.excess = why
		s.late.rt.limited(s.shaper.run, why)
	}
	if k := s.shaper.uploader; k != nil {
		k.life, k.run = s.life, s.life
	}
	s.shaper.emit = s.emitLate
	s.shaper.hurried = func() bool { return s.shaper.uploader != nil && !s.late.rt.out.hasRoom() }
	close(s.takesLate)
}

// lock takes the sink's turn. Nothing is taken between the end of the program and the end
// of its run.
func (s *sink) lock() {
	s.mu.Lock()
	for s.done && !s.isLate && s.late.life.Err() == nil {
		s.mu.Unlock()
		select {
		case <-s.takesLate:
		case <-s.late.life.Done():
		}
		s.mu.Lock()
	}
	if s.isLate && !s.noted {
		s.noted = true
		s.late.add(s)
	}
	if s.isLate && time.Since(s.measured) > measureInterval {
		s.measured = time.Now()
		s.late.rt.measureElsewhere(&s.shaper.measure, s.cell)
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
	out := s.late.rt.out
	if s.life.Err() == nil && (s.shaper.uploader == nil || !isText(p)) {
		if err := out.emit(s.life, p, false); s.life.Err() == nil {
			return err
		}
	}
	_, err := out.append(p)
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
	if !s.isLate || s.shaper.uploader == nil || s.pressed() {
		return
	}
	for _, t := range s.shaper.tails {
		if t.file == nil || t.printed() < 2*t.stored+storeGrown {
			continue
		}
		soon, cancel := context.WithTimeout(s.life, storeSlow)
		s.shaper.uploader.life = soon
		s.shaper.storeSoFar(t)
		s.shaper.uploader.life = s.life
		cancel()
	}
}

// flushLate states and stores all that is left. What cannot be stored now stays in its
// file, for who finds it.
func (s *sink) flushLate() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done = true
	s.pace.stop()
	if s.tailsTimer != nil {
		s.tailsTimer.Stop()
	}
	if k := s.shaper.uploader; k != nil {
		over, cancel := context.WithCancel(context.Background())
		cancel()
		k.life, k.run = context.Background(), over // it may take for as long as it gets on
	}
	s.shaper.emit = func(p event.Payload) error {
		_, err := s.late.rt.out.append(p)
		return err
	}
	s.shaper.flushAll()
	s.shaper.emit = func(event.Payload) error { return lang.ErrClosed }
}
