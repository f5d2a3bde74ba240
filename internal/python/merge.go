package python

import (
	"errors"

	"github.com/quirehq/quire/core/lang"
)

// errStopped says that next was told to stop. Nothing is lost by it.
var errStopped = errors.New("stopped")

// readSize is how much text is read at once.
const readSize = 64 << 10

// merge puts two streams of text and one of messages in the order in which the
// driver wrote them.
//
// Text flows as it comes. A stream that reaches a mark is held until the other
// has reached it too, and a message waits for both: what was written before it
// is then delivered, and what was written after it is not. Nothing is buffered
// here but the one message, so a sink that blocks holds the program back.
type merge struct {
	process  *process
	token    []byte
	text     [2]<-chan piece // nil once ended
	messages <-chan *message // nil once ended
	strays   chan stray      // text of processes that an earlier run has started
	open     int             // pipes of such
	helpers  int             // those of them that only helpers have, which end with the driver
	draining bool            // next returns when no others are open
	held     [2]mark         // where a stream waits, if its number is not 0
	waiting  *message        // for the streams to reach its mark
}

var streamNames = [2]string{lang.Stdout, lang.Stderr}

func newMerge(p *process, token []byte) *merge {
	return &merge{
		process:  p,
		text:     [2]<-chan piece{p.readText(p.out, token, readSize), p.readText(p.err, token, readSize)},
		messages: p.readMessages(),
		strays:   make(chan stray),
		token:    token,
	}
}

// next delivers text until the next message, and returns it. It can be called
// again after errStopped; any other error says how the process ended, after all
// it wrote was delivered.
func (m *merge) next(stop <-chan struct{}, out output) (*message, error) {
	for {
		if message := m.meet(); message != nil {
			if message.Kind == "pipes" {
				m.take(message)
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
		case s := <-m.strays:
			if s.ended {
				m.open--
				if s.helper {
					m.helpers--
				}
			} else {
				out.stray(s.run, s.name, s.text)
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

// abandoned is closed when nobody reads the pipes of earlier runs any more.
func (m *merge) abandoned() <-chan struct{} {
	if m.open == 0 {
		return nil
	}
	return m.process.quit
}

// isOpen is a stream as long as it may be read.
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

// over says that nothing more can come.
func (m *merge) over() bool {
	return m.text[0] == nil && m.text[1] == nil && m.messages == nil &&
		m.open == 0 && m.held == [2]mark{} && m.waiting == nil
}

// meet lets go of the marks that all have reached, and returns the message that
// belongs there, if one does. A stream that has ended has reached every mark.
// Marks that do not fit together can only come from a program that forges them;
// they must not hang us, so the lower one is let go.
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
			return nil // it is on its way
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

// lowest is the lower mark of those that hold a stream.
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
