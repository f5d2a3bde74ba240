package engineproto

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/quirehq/quire/core/lang"
)

// Output sends what a run produces to the host. Its methods may be called by any goroutine, also after the run. They
// block while the host takes nothing more, and fail when it is gone.
type Output struct {
	s   *server
	run int // 0 for output of no run
}

// Text prints text, in UTF-8 or any bytes, on lang.Stdout or lang.Stderr. Text is gathered for some milliseconds; its
// order with all other output is kept.
func (o *Output) Text(stream, text string) error { return o.s.out.print(stream, text, o.late()) }

// Stream returns a writer of [Output.Text] to a stream.
func (o *Output) Stream(name string) io.Writer { return streamWriter{o, name} }

type streamWriter struct {
	out  *Output
	name string
}

// Write implements io.Writer.
func (w streamWriter) Write(p []byte) (int, error) {
	if err := w.out.Text(w.name, string(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Display shows a value, which can be updated if id is not empty. Its error is [ErrTooLong] for a value that does not
// fit a message.
func (o *Output) Display(b lang.Bundle, id string) error {
	return o.s.out.send(&Display{Data: b.Data, Metadata: b.Metadata, ID: id, Run: o.late()})
}

// Update replaces the values that were displayed with id.
func (o *Output) Update(b lang.Bundle, id string) error {
	return o.s.out.send(&Update{Data: b.Data, Metadata: b.Metadata, ID: id, Run: o.late()})
}

// Result shows the value of the run, while it executes.
func (o *Output) Result(b lang.Bundle) error {
	return o.s.out.send(&Result{Data: b.Data, Metadata: b.Metadata})
}

// Fail shows an error that does not end the run.
func (o *Output) Fail(e *Error) error {
	return o.s.out.send(&Failure{Error: e.bounded(), Run: o.late()})
}

// Clear removes the outputs so far, at once or when the next output comes.
func (o *Output) Clear(wait bool) error { return o.s.out.send(&Clear{Wait: wait, Run: o.late()}) }

// Ask asks a user for one line, while the run executes, and waits. It returns the cause of ctx when that ends first, and
// an error that is [lang.ErrNoAnswer] and has the reason when no answer will come.
func (o *Output) Ask(ctx context.Context, prompt string, secret bool) (string, error) {
	if o.late() != 0 {
		return "", noAnswer{"its run is over"}
	}
	return o.s.ask(ctx, prompt, secret)
}

// late returns the number of the run if it is not the executing one.
func (o *Output) late() int {
	if o.s.executing() == o.run {
		return 0
	}
	return o.run
}

// executing returns the number of the executing run, 0 if there is none.
func (s *server) executing() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

func (s *server) ask(ctx context.Context, prompt string, secret bool) (string, error) {
	answer := make(chan *Answer, 1)
	s.mu.Lock()
	s.asked++
	id := s.asked
	s.questions[id] = answer
	s.mu.Unlock()
	defer s.forget(id)
	if err := s.out.send(&Ask{ID: id, Prompt: prompt, Secret: secret}); err != nil {
		return "", err
	}
	select {
	case m := <-answer:
		if !m.End {
			return m.Text, nil
		}
		if m.Why == "" {
			m.Why = lang.ErrEnd.Error()
		}
		return "", noAnswer{m.Why}
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case <-s.ctx.Done():
		return "", context.Cause(s.ctx)
	}
}

func (s *server) forget(question int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.questions, question)
}

// noAnswer is the error of a question without an answer.
type noAnswer struct{ reason string }

// Error implements error.
func (e noAnswer) Error() string { return e.reason }

// Is reports that it is a [lang.ErrNoAnswer].
func (noAnswer) Is(target error) bool { return target == lang.ErrNoAnswer }

// How much text is gathered, for how long, and the most that one message has.
const (
	gatheredBytes = 32 << 10
	gatheredTime  = 5 * time.Millisecond
	maxText       = 1 << 20
)

// errHostGone ends the run of a host that has closed its pipe.
var errHostGone = errors.New("the host is gone")

// sender writes messages in order and gathers text.
type sender struct {
	mu      sync.Mutex
	w       io.Writer
	failed  error
	pending []byte
	stream  string // of the pending text
	run     int
	timer   *time.Timer // nil until the first text
}

func (s *sender) print(stream, text string, run int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if stream != s.stream || run != s.run {
		s.flushLocked()
		s.stream, s.run = stream, run
	}
	began := len(s.pending) == 0
	s.pending = append(s.pending, text...)
	if len(s.pending) >= gatheredBytes {
		s.flushLocked()
	} else if began && len(s.pending) > 0 {
		s.flushSoonLocked()
	}
	return s.failed
}

func (s *sender) flushSoonLocked() {
	if s.timer == nil {
		s.timer = time.AfterFunc(gatheredTime, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.flushLocked()
		})
		return
	}
	s.timer.Reset(gatheredTime)
}

// send writes a message behind all text.
func (s *sender) send(m FromEngine) error {
	line, err := EncodeFromEngine(m)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flushLocked()
	s.writeLocked(line)
	return s.failed
}

func (s *sender) flushLocked() {
	for len(s.pending) > 0 {
		part := s.pending[:textLength(s.pending)]
		m := &Text{Stream: s.stream, Run: s.run}
		if utf8.Valid(part) {
			m.Text = string(part)
		} else {
			m.Base64 = part
		}
		line, err := EncodeFromEngine(m)
		if err != nil {
			panic(err) // strings and bytes always encode
		}
		s.writeLocked(line)
		s.pending = s.pending[len(part):]
	}
	s.pending = nil
}

// textLength returns how many of the bytes the next message has: at most maxText, and no part of a character if
// something else is there.
func textLength(text []byte) int {
	if len(text) <= maxText {
		return len(text)
	}
	for n := maxText; n > maxText-utf8.UTFMax; n-- {
		if utf8.RuneStart(text[n]) {
			return n
		}
	}
	return maxText
}

// writeLocked writes a line, until one fails: what would come behind half a line is not written.
func (s *sender) writeLocked(line []byte) {
	if s.failed != nil {
		return
	}
	if _, err := s.w.Write(line); err != nil {
		s.failed = errors.Join(errHostGone, err)
	}
}

// close stops the timer and writes the pending text.
func (s *sender) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flushLocked()
	if s.timer != nil {
		s.timer.Stop()
	}
	return s.failed
}
