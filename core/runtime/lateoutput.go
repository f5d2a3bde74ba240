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

// measureInterval is the least time between two measurements of the notebook's outputs.
const measureInterval = time.Second

// lateOutput tracks the output of an engine's runs after their ends, until the engine is
// closed.
type lateOutput struct {
	rt   *Runtime
	life context.Context // when it ends no call waits any more
	end  context.CancelFunc

	mu    sync.Mutex
	sinks []*sink // with late output
}

// lateOutputOf returns the late output of an engine's runs.
func (rt *Runtime) lateOutputOf(engine lang.Engine) *lateOutput {
	rt.lateMu.Lock()
	defer rt.lateMu.Unlock()
	if rt.late[engine] == nil {
		life, end := context.WithCancel(context.Background())
		rt.late[engine] = &lateOutput{rt: rt, life: life, end: end}
	}
	return rt.late[engine]
}

// discard closes an engine, and appends the late output of its runs.
func (rt *Runtime) discard(language string, engine lang.Engine) {
	rt.use.forget(engine, language, "")
	after := rt.lateOutputOf(engine)
	after.end()
	_ = rt.cfg.Engines.Discard(language, engine) // the engine is dead, or the run's error has the cause
	after.flush()
	rt.lateMu.Lock()
	defer rt.lateMu.Unlock()
	delete(rt.late, engine)
}

// flushLate appends the late output of all engines' runs, when the engines are closed or the
// runtime has ended.
func (rt *Runtime) flushLate() {
	rt.lateMu.Lock()
	defer rt.lateMu.Unlock()
	for _, after := range rt.late {
		after.end()
		after.flush()
	}
}

// flush appends and stores all late output.
func (l *lateOutput) flush() {
	l.mu.Lock()
	sinks := l.sinks
	l.sinks = nil
	l.mu.Unlock()
	for _, s := range sinks {
		s.flushLate()
	}
}

// add notes that a sink has late output.
func (l *lateOutput) add(s *sink) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Contains(l.sinks, s) {
		l.sinks = append(l.sinks, s)
	}
}

// takeLate makes the sink accept late output, once the run's end is appended.
func (s *sink) takeLate() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isLate, s.done, s.life = true, false, s.late.life
	s.mute = s.late.end
	s.pace, s.tailsTimer = pace{last: s.pace.last}, nil // the old timers are stopped
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

// lock locks the sink for output. Between the end of the program and the end of its run it
// waits.
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

// unlock unlocks the sink. It shows once that the late output exceeds a limit.
func (s *sink) unlock() {
	if s.excess != nil {
		why := s.excess
		s.excess = nil
		s.shaper.boundary()
		_, _ = s.shaper.add(event.Output{Kind: event.OutputError, Error: why.shown()})
	}
	s.mu.Unlock()
}

// measureElsewhere measures the notebook's outputs except those of a cell.
func (rt *Runtime) measureElsewhere(m *measure, cell event.CellID) {
	_ = rt.session.With(func(r *replica.Replica) error {
		m.elsewhere = r.Confirmed().OutputSize(cell)
		return nil
	})
}

// emitLate appends an event of a run that has ended. Text does not wait for space: while
// there is none the shaper writes it to a file. While the engine is being closed no event
// waits.
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

// isText reports whether an event has printed text.
func isText(p event.Payload) bool {
	switch p := p.(type) {
	case *event.OutputAdded:
		return p.Value.Kind == event.OutputStream
	case *event.OutputAppended, *event.OutputStored:
		return true
	}
	return false
}

// flushLate appends and stores all late output. A text that cannot be stored now stays in its
// file, from which it can be recovered.
func (s *sink) flushLate() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endLocked()
	if k := s.shaper.uploader; k != nil {
		over, cancel := context.WithCancel(context.Background())
		cancel()
		k.life, k.run = context.Background(), over // uploads go on while they progress
	}
	s.shaper.emit = func(p event.Payload) error {
		_, err := s.late.rt.out.append(p)
		return err
	}
	s.shaper.flushAll()
	s.shaper.emit = func(event.Payload) error { return lang.ErrClosed }
}
