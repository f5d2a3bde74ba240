package python

import (
	"errors"

	"github.com/quirehq/quire/core/lang"
)

// errStopped says that next was stopped. No output is lost by it.
var errStopped = errors.New("stopped")

// readSize is the size of one read of text.
const readSize = 64 << 10

// merge puts two streams of text and one of messages in the order in which the driver wrote them.
//
// Text is passed on at once. A stream that reaches a mark is held until the other has reached it
// too, and a message waits for both: text before the message is then delivered, and text after it
// is not. Only one message is buffered here, so a sink that blocks makes the program wait.
type merge struct {
	process  *process
	token    []byte
	text     [2]<-chan piece // nil once ended
	messages <-chan *message // nil once ended
	late     chan lateText   // text of processes of earlier runs
	open     int             // open pipes of such processes
	helpers  int             // of these, pipes that only helpers hold, which end with the driver
	draining bool            // next returns once only helpers hold pipes
	held     [2]mark         // the mark that a stream waits at, if its number is not 0
	waiting  *message        // a message whose mark the streams have not reached
}

var streamNames = [2]string{lang.Stdout, lang.Stderr}

func newMerge(p *process, token []byte) *merge {
	return &merge{
		process:  p,
		text:     [2]<-chan piece{p.readText(p.out, token, readSize), p.readText(p.err, token, readSize)},
		messages: p.readMessages(),
		late:     make(chan lateText),
		token:    token,
	}
}

// next delivers text until the next message, and returns it. It can be called again after
// errStopped; any other error is how the process ended, after all its output was delivered.
func (m *merge) next(stop <-chan struct{}, out output) (*message, error) {
	for {
		if message := m.meet(); message != nil {
			if message.Kind == "pipes" {
				m.addPipes(message)
				continue
			}
			return message, nil
		}
		if m.over() {
			return nil, m.process.reason()
		}
		if m.draining && m.open <= m.helpers {
			return nil, errDrained
		}
		var from int
		var p piece
		var ok bool
		select {
		case <-stop:
			return nil, errStopped
		case <-m.abandoned():
			m.open, m.helpers = 0, 0
			continue
		case s := <-m.late:
			if s.ended {
				m.open--
				if s.helper {
					m.helpers--
				}
			} else {
				out.late(s.run, s.name, s.text)
			}
			continue
		case message, ok := <-m.openMessages():
			if m.waiting = message; !ok {
				m.messages = nil
			}
			continue
		case p, ok = <-m.isOpen(0):
			from = 0
		case p, ok = <-m.isOpen(1):
			from = 1
		}
		switch {
		case !ok:
			m.text[from] = nil
		case p.mark.number != 0:
			m.held[from] = p.mark
		default:
			out.stream(streamNames[from], p.text)
		}
	}
}

// abandoned is closed when the pipes of earlier runs are not read any more.
func (m *merge) abandoned() <-chan struct{} {
	if m.open == 0 {
		return nil
	}
	return m.process.quit
}

// isOpen returns a stream unless it is held.
func (m *merge) isOpen(i int) <-chan piece {
	if m.held[i].number != 0 {
		return nil
	}
	return m.text[i]
}

func (m *merge) openMessages() <-chan *message {
	if m.waiting != nil {
		return nil
	}
	return m.messages
}

// over reports whether all streams have ended.
func (m *merge) over() bool {
	return m.text[0] == nil && m.text[1] == nil && m.messages == nil &&
		m.open == 0 && m.held == [2]mark{} && m.waiting == nil
}

// meet releases the marks that all streams have reached, and returns the message that belongs
// there, if there is one. A stream that has ended has reached every mark. Only a program that
// forges marks can produce ones that do not match; to avoid a hang, the lower one is released.
func (m *merge) meet() *message {
	for m.isOpen(0) == nil && m.isOpen(1) == nil {
		at := m.lowest()
		switch {
		case m.waiting != nil && (at.number == 0 || m.waiting.mark <= at.number):
			if m.waiting.mark == at.number {
				m.release(at)
			}
			message := m.waiting
			m.waiting = nil
			return message
		case at.number == 0:
			return nil
		case at.message && m.waiting == nil && m.messages != nil:
			return nil // the message has not arrived yet
		}
		m.release(at)
	}
	if m.waiting != nil && m.waiting.mark == 0 {
		message := m.waiting
		m.waiting = nil
		return message
	}
	return nil
}

// lowest returns the lower mark of the held streams.
func (m *merge) lowest() mark {
	a, b := m.held[0], m.held[1]
	if a.number == 0 || b.number != 0 && b.number < a.number {
		return b
	}
	return a
}

func (m *merge) release(at mark) {
	for i := range m.held {
		if m.held[i].number == at.number {
			m.held[i] = mark{}
		}
	}
}

const (
	// lateReadSize is the size of one read from a process of an earlier run.
	lateReadSize = 8 << 10
	// maxLatePipes bounds the pipes of such processes. Beyond it a run reuses the pipes of the run
	// before.
	maxLatePipes = 256
)

// lateText is text of a process of an earlier run, or the end of its pipe.
type lateText struct {
	run   uint64
	name  string
	text  string
	ended bool

	helper bool // Drain does not wait for the process
}

// addPipes starts to read two pipes that the driver has made. With Main they are the main pipes of
// the next run, and the present ones stay with the processes that hold them.
func (m *merge) addPipes(message *message) {
	files := m.process.receive()
	if len(files) != len(m.text) {
		return // the process is ending
	}
	for i, file := range files {
		var text <-chan piece
		if message.Main {
			text, m.text[i] = m.text[i], m.process.readText(file, m.token, readSize)
		} else {
			text = m.process.readText(file, m.token, lateReadSize)
		}
		m.open++
		if message.Helper {
			m.helpers++
		}
		m.process.workers.Go(func() { m.follow(text, lateText{run: message.Of, name: streamNames[i], helper: message.Helper}) })
	}
}

// follow passes on the text of a pipe until it ends.
func (m *merge) follow(text <-chan piece, from lateText) {
	send := func(s lateText) bool {
		select {
		case m.late <- s:
			return true
		case <-m.process.quit:
			return false
		}
	}
	for p := range text {
		from.text = p.text
		if p.text != "" && !send(from) {
			return
		}
	}
	from.ended = true
	send(from)
}
