package script

import (
	"errors"
	"time"

	"github.com/quirehq/quire/core/engineproto"
	"github.com/quirehq/quire/core/lang"
)

// errStopped says that next was stopped. No output is lost by it.
var errStopped = errors.New("stopped")

// markPatience bounds the wait for the marks of a run that has ended: a program can have given its descriptors away.
const markPatience = 5 * time.Second

// merge puts the raw text of two pipes and the messages into one order. Both are passed on as they arrive; the end of
// a run waits until the raw text up to its mark was delivered. Only one message is buffered, so a sink that blocks makes
// the program wait.
type merge struct {
	process  *process
	secret   string
	marked   [2]bool                       // whether the engine writes marks there
	text     [2]<-chan piece               // nil once ended
	messages <-chan engineproto.FromEngine // nil once ended
	mark     string                        // of the current run
	held     [2]bool                       // whether a pipe waits at that mark
	waiting  *engineproto.Done             // the end of a run that waits for its marks
	over     <-chan time.Time
}

var streamNames = [2]string{lang.Stdout, lang.Stderr}

func newMerge(p *process, secret string) *merge {
	m := &merge{process: p, secret: secret, messages: p.readMessages()}
	for i, file := range [2]fileReader{p.out, p.err} {
		if file != nil {
			m.text[i] = p.readText(file, secret)
		}
	}
	return m
}

// next delivers text until the next message, and returns it. It can be called again after errStopped; any other error
// is how the process ended, after all its output was delivered.
func (m *merge) next(stop <-chan struct{}, out output) (engineproto.FromEngine, error) {
	for {
		if m.isComplete() {
			message := m.waiting
			m.waiting, m.held, m.over = nil, [2]bool{}, nil
			return message, nil
		}
		if m.hasEnded() {
			return nil, m.process.reason()
		}
		select {
		case <-stop:
			return nil, errStopped
		case <-m.over:
			m.over, m.held = nil, [2]bool{true, true}
		case message, ok := <-m.openMessages():
			if !ok {
				m.messages = nil
				continue
			}
			done, isDone := message.(*engineproto.Done)
			if !isDone {
				return message, nil
			}
			m.waiting, m.over = done, time.After(markPatience)
		case p, ok := <-m.openText(0):
			m.take(0, p, ok, out)
		case p, ok := <-m.openText(1):
			m.take(1, p, ok, out)
		}
	}
}

// take consumes a piece of a pipe.
func (m *merge) take(i int, p piece, ok bool, out output) {
	switch {
	case !ok:
		m.text[i] = nil
	case p.mark == m.mark && p.mark != "":
		m.held[i] = true
	case p.mark != "": // of an earlier run, which an engine has ended twice
	default:
		out.stream(streamNames[i], p.text)
	}
}

// isComplete reports whether the end of a run can be returned.
func (m *merge) isComplete() bool {
	if m.waiting == nil {
		return false
	}
	for i, text := range m.text {
		if text != nil && m.marked[i] && !m.held[i] {
			return false
		}
	}
	return true
}

// hasEnded reports whether all pipes have ended.
func (m *merge) hasEnded() bool {
	return m.text[0] == nil && m.text[1] == nil && m.messages == nil && m.waiting == nil
}

func (m *merge) openText(i int) <-chan piece {
	if m.held[i] {
		return nil
	}
	return m.text[i]
}

func (m *merge) openMessages() <-chan engineproto.FromEngine {
	if m.waiting != nil {
		return nil
	}
	return m.messages
}
