package python

import (
	"errors"
	"fmt"
	"strings"

	"github.com/quirehq/quire/core/lang"
)

// lateLimit bounds what is kept of the output between two runs.
const lateLimit = 1 << 20

// output is where a work puts what comes from the driver.
type output interface {
	stream(name, text string)
	message(m *message)
}

// sinkOutput is a sink as an output.
type sinkOutput struct{ sink lang.Sink }

func (o sinkOutput) stream(name, text string) { o.sink.Stream(name, text) }
func (o sinkOutput) message(m *message)       { m.deliver(o.sink) }

// late is output that came when no run went on: from a thread, or from a
// background process such as a web server that logs. It is kept for the next run
// up to a bound, and counted beyond it: holding it back instead would stop that
// server at the first full pipe.
type late struct {
	events  []lateEvent
	size    int
	dropped int
}

// lateEvent is a message or, if that is nil, text.
type lateEvent struct {
	message *message
	name    string
	text    string
}

func (l *late) stream(name, text string) {
	l.add(lateEvent{name: name, text: text}, len(text))
}

func (l *late) message(m *message) {
	l.add(lateEvent{message: m}, m.size)
}

func (l *late) add(event lateEvent, size int) {
	const overhead = 64 // of an event, so that many small ones count too
	if l.size+size+overhead > lateLimit {
		l.dropped += size
		return
	}
	l.size += size + overhead
	l.events = append(l.events, event)
}

func (l *late) deliver(sink lang.Sink) {
	for _, event := range l.events {
		if event.message != nil {
			event.message.deliver(sink)
		} else {
			sink.Stream(event.name, event.text)
		}
	}
	if l.dropped > 0 {
		sink.Stream(lang.Stderr, fmt.Sprintf("[%d bytes of output between runs were dropped]\n", l.dropped))
	}
}

// problem is the text as an error, for a process that did not get far.
func (l *late) problem() error {
	var all strings.Builder
	for _, event := range l.events {
		all.WriteString(event.text)
	}
	if text := strings.TrimSpace(all.String()); text != "" {
		return errors.New(text)
	}
	return nil
}

// idle reads the output between two runs.
type idle struct {
	late    *late
	stopped chan struct{}
	done    chan struct{}
}

// watchIdle starts to read on; the process waits for it at its end. Messages that
// are no output are for handle, which says whether one was.
func watchIdle(m *merge, held *late, handle func(*message) bool) *idle {
	i := &idle{late: held, stopped: make(chan struct{}), done: make(chan struct{})}
	m.process.workers.Go(func() {
		defer close(i.done)
		for {
			message, err := m.next(i.stopped, i.late.stream)
			if err != nil {
				return
			}
			if !handle(message) {
				i.late.message(message)
			}
		}
	})
	return i
}

// stop ends the reading and returns what was read.
func (i *idle) stop() *late {
	close(i.stopped)
	<-i.done
	return i.late
}
