package python

import (
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/internal/pipehost"
)

// output consumes the driver's output: text of the current or last run, text of processes of
// earlier runs, and messages.
type output interface {
	pipehost.Output
	late(run uint64, name, text string)
	message(m *message)
}

// sinks finds the sink that output belongs to, by the number of its run. It has one user at a time:
// the goroutine that loads or executes, or the reader between runs.
type sinks struct {
	recent lang.Recent[uint64, lang.Sink]
	last   lang.Sink // of the last run
	early  early     // before the first one
}

// begin adds the sink of a run.
func (s *sinks) begin(run uint64, sink lang.Sink) {
	s.early.deliver(sink)
	s.last = sink
	s.recent.Add(run, sink)
}

// find returns the sink of a run, or else the other one, or else the last.
func (s *sinks) find(run uint64, other lang.Sink) lang.Sink {
	if sink, ok := s.recent.Find(run); ok && sink != nil {
		return sink
	}
	if other == nil {
		other = s.last
	}
	return other
}

// sinkOutput passes output to the sinks of the runs.
type sinkOutput struct {
	sinks *sinks
	now   lang.Sink // of the current run; nil for the last one
}

func (o sinkOutput) Stream(name, text string) { o.late(0, name, text) }

func (o sinkOutput) late(run uint64, name, text string) {
	if sink := o.sinks.find(run, o.now); sink != nil {
		sink.Stream(name, text)
		return
	}
	o.sinks.early.add(name, text)
}

func (o sinkOutput) message(m *message) {
	if sink := o.sinks.find(m.Of, o.now); sink != nil {
		m.deliver(sink)
	}
}

// early is text from before the first run, such as from the start of Python. The first run gets it.
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
