package script

import (
	"errors"
	"strings"

	"github.com/quirehq/quire/core/engineproto"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/internal/pipehost"
)

// output consumes raw text, which belongs to the current or the last run, and messages that are output.
type output interface {
	pipehost.Output
	message(m engineproto.FromEngine)
}

// sinks finds the sink that output belongs to, by the number of its run. It has one user at a time: the goroutine that
// loads or executes, or the reader between runs.
type sinks struct {
	recent lang.Recent[int, lang.Sink]
	last   lang.Sink // of the last run
	early  early     // before the first one
	texts  [2]textStream
}

// textStream joins the characters that text messages of one stream have split.
type textStream struct {
	decoder lang.TextDecoder
	to      lang.Sink // of what the decoder holds
}

// begin adds the sink of a run.
func (s *sinks) begin(run int, sink lang.Sink) {
	s.early.deliver(sink)
	s.last = sink
	s.recent.Add(run, sink)
}

// find returns the sink of a run, or else the other one, or else the last.
func (s *sinks) find(run int, other lang.Sink) lang.Sink {
	if run != 0 {
		if sink, ok := s.recent.Find(run); ok && sink != nil {
			return sink
		}
	}
	if other == nil {
		other = s.last
	}
	return other
}

// text delivers the text of a message. Characters are joined within one run.
func (s *sinks) text(m *engineproto.Text, sink lang.Sink) {
	i := 0
	if m.Stream == lang.Stderr {
		i = 1
	}
	stream := &s.texts[i]
	if stream.to != sink {
		s.flush(i)
		stream.to = sink
	}
	data := m.Base64
	if m.Text != "" {
		data = []byte(m.Text)
	}
	s.stream(sink, pipehost.Names[i], stream.decoder.Decode(data, false))
}

// end delivers incomplete characters, at the end of a run.
func (s *sinks) end() {
	for i := range s.texts {
		s.flush(i)
	}
}

func (s *sinks) flush(i int) {
	stream := &s.texts[i]
	s.stream(stream.to, pipehost.Names[i], stream.decoder.Decode(nil, true))
	stream.to = nil
}

func (s *sinks) stream(sink lang.Sink, name, text string) {
	switch {
	case text == "":
	case sink == nil:
		s.early.add(name, text)
	default:
		sink.Stream(name, text)
	}
}

// sinkOutput passes output to the sinks of the runs.
type sinkOutput struct {
	sinks *sinks
	now   lang.Sink // of the current run; nil for the last one
}

func (o sinkOutput) Stream(name, text string) {
	o.sinks.stream(o.sinks.find(0, o.now), name, text)
}

func (o sinkOutput) message(m engineproto.FromEngine) {
	run, isOutput := runOf(m)
	if !isOutput {
		return
	}
	sink := o.sinks.find(run, o.now)
	if text, ok := m.(*engineproto.Text); ok {
		o.sinks.text(text, sink)
	} else if sink != nil {
		deliver(m, sink)
	}
}

// maxEarly bounds the text that is kept before the first run.
const maxEarly = 64 << 10

// early is text from before the first run, such as from the start of an interpreter. The first run gets it.
type early struct {
	names, texts []string
	size         int
}

func (e *early) add(name, text string) {
	if e.size += len(text); e.size > maxEarly {
		return
	}
	e.names, e.texts = append(e.names, name), append(e.texts, text)
}

func (e *early) deliver(sink lang.Sink) {
	if sink == nil {
		return
	}
	for i, name := range e.names {
		sink.Stream(name, e.texts[i])
	}
	*e = early{}
}

// problem returns the text as an error, for a process that failed to start.
func (e *early) problem() error {
	if text := strings.TrimSpace(strings.Join(e.texts, "")); text != "" {
		return errors.New(text)
	}
	return nil
}
