package python

import (
	"errors"
	"strings"

	"github.com/quirehq/quire/core/lang"
)

// output is where what comes from the driver is put: text of the run that goes on or was
// the last, text of processes of earlier runs, and messages.
type output interface {
	stream(name, text string)
	stray(run uint64, name, text string)
	message(m *message)
}

// maxSinks is how many runs are known that may have something to say when they have ended.
// Beyond that, those that have been silent for longest are forgotten.
const maxSinks = 10_000

// sinks are those of the runs, by their numbers. One goroutine at a time has them: that
// which loads or executes, or between runs that which reads.
type sinks struct {
	known map[uint64]lang.Sink
	order []uint64        // of the known, the oldest first
	spoke map[uint64]bool // has had something to say since it was looked at
	last  lang.Sink       // of the last run
	early early           // before the first one
}

// begin notes the sink of a run.
func (s *sinks) begin(run uint64, sink lang.Sink) {
	if s.known == nil {
		s.known, s.spoke = map[uint64]lang.Sink{}, map[uint64]bool{}
	}
	s.early.deliver(sink)
	s.last, s.known[run] = sink, sink
	s.order = append(s.order, run)
	for len(s.known) > maxSinks {
		oldest := s.order[0]
		s.order = s.order[1:]
		if s.spoke[oldest] {
			delete(s.spoke, oldest)
			s.order = append(s.order, oldest)
			continue
		}
		delete(s.known, oldest)
	}
}

// of returns the sink of a run, and if there is none another's.
func (s *sinks) of(run uint64, other lang.Sink) lang.Sink {
	if sink := s.known[run]; sink != nil {
		s.spoke[run] = true
		return sink
	}
	if other == nil {
		other = s.last
	}
	return other
}

// sinkOutput puts what comes into the sinks of the runs.
type sinkOutput struct {
	sinks *sinks
	now   lang.Sink // of the run that goes on; nil for the last one's
}

func (o sinkOutput) stream(name, text string) { o.stray(0, name, text) }

func (o sinkOutput) stray(run uint64, name, text string) {
	if sink := o.sinks.of(run, o.now); sink != nil {
		sink.Stream(name, text)
		return
	}
	o.sinks.early.add(name, text)
}

func (o sinkOutput) message(m *message) {
	if sink := o.sinks.of(m.Of, o.now); sink != nil {
		m.deliver(sink)
	}
}

// early is text that came before the first run, which gets it: as Python starts.
type early struct{ names, texts []string }

func (e *early) add(name, text string) {
	e.names, e.texts = append(e.names, name), append(e.texts, text)
}

func (e *early) deliver(sink lang.Sink) {
	for i, name := range e.names {
		sink.Stream(name, e.texts[i])
	}
	*e = early{}
}

// problem is the text as an error, for a process that did not get far.
func (e *early) problem() error {
	if text := strings.TrimSpace(strings.Join(e.texts, "")); text != "" {
		return errors.New(text)
	}
	return nil
}

// idle reads the output between two runs.
type idle struct {
	stopped chan struct{}
	done    chan struct{}
}

// watchIdle starts to read on; the process waits for it at its end. Messages that
// are no output are for handle, which says whether one was.
func watchIdle(m *merge, out output, handle func(*message) bool) *idle {
	i := &idle{stopped: make(chan struct{}), done: make(chan struct{})}
	m.process.workers.Go(func() {
		defer close(i.done)
		for {
			message, err := m.next(i.stopped, out)
			if err != nil {
				return
			}
			if !handle(message) {
				out.message(message)
			}
		}
	})
	return i
}

// stop ends the reading.
func (i *idle) stop() {
	close(i.stopped)
	<-i.done
}
