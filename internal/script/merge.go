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
	raw      [2]piece                      // text that messages which were sent before it overtake; empty if there is none
	overtook int                           // messages since there is such text
	later    engineproto.FromEngine        // a message that raw text overtakes; nil if there is none
	passed   int                           // pieces of text since there is one
	waiting  *engineproto.Done             // the end of a run that waits for its marks
	over     <-chan time.Time
}

var streamNames = [2]string{lang.Stdout, lang.Stderr}

func newMerge(p *process, secret string) *merge {
	m := &merge{process: p, secret: secret, messages: p.readMessages()}
	for i, file := range [2]fileReader{p.out, p.err} {
		if file != nil {
			m.text[i] = p.readText(file, secret, &p.reading[1+i])
		}
	}
	return m
}

// next delivers text until the next message, and returns it. It can be called again after errStopped; any other error
// is how the process ended, after all its output was delivered.
//
// Which of raw text and a message was first cannot be told when both are there. Text in a message is taken to be the first,
// since a program that prints and starts another prints before; and a value or a question the last.
func (m *merge) next(stop <-chan struct{}, out output) (engineproto.FromEngine, error) {
	for {
		if message := m.overtaking(out); message != nil {
			return message, nil
		}
		if message := m.later; message != nil && (m.passed >= maxOvertaking || !m.process.hasText()) {
			m.later = nil
			return message, nil
		}
		if m.isComplete() {
			message := m.waiting
			m.waiting, m.held, m.over = nil, [2]bool{}, nil
			return message, nil
		}
		if m.hasEnded() {
			return nil, m.process.reason()
		}
		var nothing <-chan time.Time // of the text that a message waits for comes to nothing, such as half a mark
		if m.later != nil {
			nothing = time.After(halfPatience)
		}
		select {
		case <-stop:
			return nil, errStopped
		case <-nothing:
			m.passed = maxOvertaking
		case <-m.over:
			m.over, m.held = nil, [2]bool{true, true}
		case message, ok := <-m.openMessages():
			switch {
			case !ok:
				m.messages = nil
			case m.await(message):
			case !isLast(message) || !m.process.hasText():
				return message, nil
			default:
				m.later, m.passed = message, 0
			}
		case p, ok := <-m.openText(0):
			m.take(0, p, ok, out)
		case p, ok := <-m.openText(1):
			m.take(1, p, ok, out)
		}
	}
}

// isLast reports whether a message comes after raw text that is there.
func isLast(message engineproto.FromEngine) bool {
	switch message.(type) {
	case *engineproto.Display, *engineproto.Update, *engineproto.Result, *engineproto.Failure, *engineproto.Clear, *engineproto.Ask:
		return true
	}
	return false
}

// take consumes a piece of a pipe.
func (m *merge) take(i int, p piece, ok bool, out output) {
	switch {
	case !ok:
		m.text[i] = nil
	case p.mark == m.mark && p.mark != "":
		m.held[i] = true
	case p.mark != "": // of an earlier run, which an engine has ended twice
	case m.later != nil:
		m.passed++
		out.stream(streamNames[i], p.text)
	default:
		m.raw[i], m.overtook = p, 0
	}
}

// await notes the end of a run, which waits for its marks, and reports whether a message is one.
func (m *merge) await(message engineproto.FromEngine) bool {
	done, ok := message.(*engineproto.Done)
	if ok {
		m.waiting, m.over = done, time.After(markPatience)
	}
	return ok
}

// halfPatience bounds the wait for the rest of output of which a part was read.
const halfPatience = 100 * time.Millisecond

// maxOvertaking bounds the messages that overtake a piece of raw text, which a flood of them must not hold up.
const maxOvertaking = 100

// overtaking returns the next of the messages that were sent before the raw text at hand was written, as far as can be told, and
// delivers that text when there is none. A program that prints, and then starts another that prints, has its order kept.
func (m *merge) overtaking(out output) engineproto.FromEngine {
	for m.raw != [2]piece{} && m.overtook < maxOvertaking && m.openMessages() != nil && m.process.hasMessages() {
		select {
		case message, ok := <-m.openMessages():
			m.overtook++
			switch {
			case !ok:
				m.messages = nil
			case m.await(message):
			case !isLast(message):
				return message
			default:
				m.later, m.passed, m.overtook = message, 0, maxOvertaking
			}
		case <-time.After(halfPatience): // it is a part of a message
			m.overtook = maxOvertaking
		}
	}
	for i, p := range m.raw {
		if p.text != "" {
			out.stream(streamNames[i], p.text)
		}
	}
	m.raw = [2]piece{}
	return nil
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
	return m.text[0] == nil && m.text[1] == nil && m.messages == nil && m.waiting == nil && m.later == nil
}

func (m *merge) openText(i int) <-chan piece {
	if m.held[i] || m.raw[i] != (piece{}) {
		return nil
	}
	return m.text[i]
}

func (m *merge) openMessages() <-chan engineproto.FromEngine {
	if m.waiting != nil || m.later != nil {
		return nil
	}
	return m.messages
}
