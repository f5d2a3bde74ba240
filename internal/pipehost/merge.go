package pipehost

import (
	"errors"
	"time"

	"github.com/quirehq/quire/core/lang"
)

// ErrStopped says that Next was stopped. No output is lost by it.
var ErrStopped = errors.New("stopped")

// Output consumes the text of a program.
type Output interface {
	// Stream takes text of lang.Stdout or lang.Stderr.
	Stream(name, text string)
}

// Marked is a message with the number of its mark, 0 if it has none.
type Marked[M any] struct {
	Message M
	At      uint64
}

// markPatience bounds the wait for a mark or a message when nothing else comes: a program can have given its descriptors away.
const markPatience = 5 * time.Second

// Names are the names of the pipes of text.
var Names = [2]string{lang.Stdout, lang.Stderr}

// Merge puts two pipes of text and one of messages in the order in which they were written.
//
// Text is passed on at once. A pipe that reaches a mark is held until the other has reached it too, and a message waits for
// both: text before the message is then delivered, and text after it is not. A message without a mark does not wait. Only
// one message is buffered here, so that an output that blocks makes the program wait.
type Merge[M any, O Output] struct {
	// Open counts the further pipes, whose text comes by [Merge.Beside]. Next does not end before them.
	Open int

	process  *Process
	text     [2]<-chan Piece    // nil once ended
	messages <-chan Marked[M]   // nil once ended
	beside   chan func(O) error // work of others for the caller of Next
	held     [2]mark            // the mark that a pipe waits at, if its number is not 0
	waiting  *Marked[M]         // a message whose mark the pipes have not reached
}

// NewMerge returns the merge of a process whose marks begin with a token. read returns a function that reads the next message;
// its error ends the process.
func NewMerge[M any, O Output](p *Process, token string, read MessageReader[M]) *Merge[M, O] {
	m := &Merge[M, O]{process: p, messages: readMessages(p, read), beside: make(chan func(O) error)}
	for i, file := range []*file{p.out, p.err} {
		if file != nil {
			m.text[i] = p.readText(file, token)
		}
	}
	return m
}

// Beside has the caller of Next do something in its turn, such as delivering text of another pipe. The error of it is that of
// Next, if it is not nil. Beside returns false if the output is not wanted any more.
func (m *Merge[M, O]) Beside(do func(O) error) bool {
	select {
	case m.beside <- do:
		return true
	case <-m.process.quit:
		return false
	}
}

// Replace sets the pipe of a stream, and returns the one before it.
func (m *Merge[M, O]) Replace(i int, text <-chan Piece) (before <-chan Piece) {
	before, m.text[i] = m.text[i], text
	return before
}

// Next delivers text until the next message, and returns it. It can be called again after [ErrStopped]; any other error is
// how the process ended, after all its output was delivered.
func (m *Merge[M, O]) Next(stop <-chan struct{}, out O) (M, error) {
	var none M
	for {
		if message := m.meet(); message != nil {
			return message.Message, nil
		}
		if m.hasEnded() {
			return none, m.process.Reason()
		}
		var from int
		var p Piece
		var ok bool
		lost, stopTimer := m.lost()
		select {
		case <-stop:
			stopTimer()
			return none, ErrStopped
		case <-m.abandoned():
			m.Open = 0
		case <-lost:
			m.giveUp()
		case do := <-m.beside:
			if err := do(out); err != nil {
				stopTimer()
				return none, err
			}
		case message, ok := <-m.openMessages():
			if m.waiting = &message; !ok {
				m.waiting, m.messages = nil, nil
			}
		case p, ok = <-m.openText(0):
			m.take(from, p, ok, out)
		case p, ok = <-m.openText(1):
			from = 1
			m.take(from, p, ok, out)
		}
		stopTimer()
	}
}

// take consumes a piece of a pipe.
func (m *Merge[M, O]) take(from int, p Piece, ok bool, out O) {
	switch {
	case !ok:
		m.text[from] = nil
	case p.mark.number != 0:
		m.held[from] = p.mark
	default:
		out.Stream(Names[from], p.text)
	}
}

// lost receives when what is waited for has not come for a while in which nothing else came.
func (m *Merge[M, O]) lost() (<-chan time.Time, func() bool) {
	if m.waiting == nil && m.held == [2]mark{} {
		return nil, func() bool { return true }
	}
	timer := time.NewTimer(markPatience)
	return timer.C, timer.Stop
}

// giveUp does not wait for a mark or a message any more.
func (m *Merge[M, O]) giveUp() {
	at := m.lowest()
	if m.waiting == nil || at.number != 0 && at.number < m.waiting.At {
		m.release(at)
		return
	}
	if at.number == m.waiting.At {
		m.release(at)
	}
	m.waiting.At = 0
}

// abandoned is closed when further pipes are not read any more.
func (m *Merge[M, O]) abandoned() <-chan struct{} {
	if m.Open == 0 {
		return nil
	}
	return m.process.quit
}

// openText returns a pipe unless it is held.
func (m *Merge[M, O]) openText(i int) <-chan Piece {
	if m.held[i].number != 0 {
		return nil
	}
	return m.text[i]
}

func (m *Merge[M, O]) openMessages() <-chan Marked[M] {
	if m.waiting != nil {
		return nil
	}
	return m.messages
}

// hasEnded reports whether all pipes have ended.
func (m *Merge[M, O]) hasEnded() bool {
	return m.text[0] == nil && m.text[1] == nil && m.messages == nil && m.Open == 0 && m.held == [2]mark{} && m.waiting == nil
}

// meet releases the marks that all pipes have reached, and returns the message that belongs there, if there is one. A pipe that
// has ended has reached every mark. Only a program that forges marks can produce ones that do not match; the lower one is
// then released, so that nothing hangs.
func (m *Merge[M, O]) meet() *Marked[M] {
	for m.openText(0) == nil && m.openText(1) == nil {
		at := m.lowest()
		switch {
		case m.waiting != nil && (at.number == 0 || m.waiting.At <= at.number):
			if m.waiting.At == at.number {
				m.release(at)
			}
			return m.takeWaiting()
		case at.number == 0:
			return nil
		case at.message && m.waiting == nil && m.messages != nil:
			return nil // the message has not arrived yet
		}
		m.release(at)
	}
	if m.waiting != nil && m.waiting.At == 0 {
		return m.takeWaiting()
	}
	return nil
}

func (m *Merge[M, O]) takeWaiting() *Marked[M] {
	message := m.waiting
	m.waiting = nil
	return message
}

// lowest returns the lower mark of the pipes that are held.
func (m *Merge[M, O]) lowest() mark {
	a, b := m.held[0], m.held[1]
	if a.number == 0 || b.number != 0 && b.number < a.number {
		return b
	}
	return a
}

func (m *Merge[M, O]) release(at mark) {
	for i := range m.held {
		if m.held[i].number == at.number {
			m.held[i] = mark{}
		}
	}
}
