package engineproto

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/quirehq/quire/core/lang"
)

// Pipes connect an engine with its host.
type Pipes struct {
	Requests io.Reader   // messages of the host
	Messages io.Writer   // messages of the engine
	Raw      []io.Writer // the streams that get the mark of a run, of an engine whose Hello is Raw

	// Abandon ends the process. It is called when the host is gone and a run has not stopped within [AbandonAfter]; nil
	// waits for the run.
	Abandon func()
}

// AbandonAfter is the time to stop for a run whose host is gone.
const AbandonAfter = 3 * time.Second

// errInterrupted ends the run that a host interrupts.
var errInterrupted = errors.New("interrupted")

// Serve serves an interpreter to a host until the host closes its end, a program ends the engine, or ctx ends. All of
// these return nil. An error says that the interpreter could not be loaded, or that the host broke the protocol: its
// process should write it to stderr and end with a status that is not 0.
//
// A goroutine reads from the Requests until they end: when Serve returns earlier, it goes on until then.
func Serve(ctx context.Context, p Pipes, in Interpreter) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s := &server{ctx: ctx, pipes: p, in: in, out: &sender{w: p.Messages}, questions: map[int]chan *Answer{}, requests: make(chan FromHost, maxRequests)}
	go func() { cancel(s.read()) }()
	err := s.load()
	if err == nil {
		err = s.serve()
	}
	s.stay()
	return s.verdict(cmp.Or(err, s.out.close()))
}

// maxRequests bounds the requests that wait for the interpreter. A host that sends more breaks the protocol.
const maxRequests = 64

// verdict returns the error of Serve: a host that has gone is none, and explains those of writing to it.
func (s *server) verdict(err error) error {
	cause := context.Cause(s.ctx)
	if broken := (*brokenProtocol)(nil); errors.As(cause, &broken) {
		return broken
	}
	if cause != nil || errors.Is(err, errHostGone) {
		return nil
	}
	return err
}

// server is one engine. Its main goroutine calls the interpreter, another reads requests.
type server struct {
	ctx      context.Context // ends with the host
	pipes    Pipes
	in       Interpreter
	out      *sender
	requests chan FromHost // of *pendingRun and *pendingCall; never closed

	mu        sync.Mutex
	run       *pendingRun // received and not done
	calls     []*pendingCall
	current   int // its number once it executes, else 0
	asked     int
	questions map[int]chan *Answer
	interrupt context.CancelCauseFunc // of background work; nil while there is none
	abandon   *time.Timer             // nil while the host is there
}

// pendingRun is a run that was received, which can be interrupted before it begins.
type pendingRun struct {
	Run
	ctx    context.Context
	cancel context.CancelCauseFunc
}

// pendingCall is a call that was received, likewise.
type pendingCall struct {
	Call
	ctx    context.Context
	cancel context.CancelCauseFunc
}

func (s *server) load() error {
	hello, err := s.in.Load(s.ctx, func(p lang.Progress) {
		_ = s.out.send(&Progress{Text: p.Text, Done: p.Done, Total: p.Total}) // a host that is gone is noticed soon
	})
	if err != nil {
		return err
	}
	hello.Protocol = Version
	if hello.Interrupt == "" {
		hello.Interrupt = ByMessage
	}
	hello.Can = methodsOf(s.in)
	if !hello.Raw {
		s.pipes.Raw = nil
	}
	return s.out.send(&hello)
}

// read reads requests until the host closes its end, which gives errHostGone, or breaks the protocol.
func (s *server) read() error {
	lines := NewLines(s.pipes.Requests)
	for {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			s.hangUp()
			return errHostGone
		}
		if err == nil {
			var m FromHost
			if m, err = DecodeFromHost(line); err == nil {
				err = s.receive(m)
			}
		}
		if err != nil {
			s.hangUp()
			return &brokenProtocol{lines.Number(), err}
		}
		if s.ctx.Err() != nil {
			return nil
		}
	}
}

// brokenProtocol is a mistake of a host.
type brokenProtocol struct {
	line int
	err  error
}

// Error names the line.
func (e *brokenProtocol) Error() string { return fmt.Sprintf("request in line %d: %v", e.line, e.err) }

// Unwrap returns the cause.
func (e *brokenProtocol) Unwrap() error { return e.err }

// hangUp has the process end if a run does not stop for a host that is gone.
func (s *server) hangUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pipes.Abandon != nil {
		s.abandon = time.AfterFunc(AbandonAfter, s.pipes.Abandon)
	}
}

// stay takes hangUp back: the interpreter has stopped.
func (s *server) stay() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pipes.Abandon = nil
	if s.abandon != nil {
		s.abandon.Stop()
	}
}

// receive takes a message on the goroutine that reads.
func (s *server) receive(m FromHost) error {
	switch m := m.(type) {
	case *Run:
		return s.receiveRun(m)
	case *Interrupt:
		s.receiveInterrupt(m)
	case *Answer:
		s.receiveAnswer(m)
	case *Call:
		return s.receiveCall(m)
	}
	return nil
}

func (s *server) receiveRun(m *Run) error {
	run := &pendingRun{Run: *m}
	run.ctx, run.cancel = context.WithCancelCause(s.ctx)
	s.mu.Lock()
	if s.run != nil {
		s.mu.Unlock()
		return fmt.Errorf("run %d came before run %d was done", m.Run, s.run.Run.Run)
	}
	s.run = run
	s.mu.Unlock()
	return s.hand(run)
}

func (s *server) receiveCall(m *Call) error {
	call := &pendingCall{Call: *m}
	call.ctx, call.cancel = context.WithCancelCause(s.ctx)
	s.mu.Lock()
	busy := s.run != nil
	if !busy {
		s.calls = append(s.calls, call)
	}
	s.mu.Unlock()
	if busy {
		call.cancel(nil)
		return s.out.send(&Reply{ID: m.ID, Error: &Error{Name: "Busy", Message: lang.ErrBusy.Error()}})
	}
	return s.hand(call)
}

func (s *server) receiveInterrupt(m *Interrupt) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, call := range s.calls {
		if m.ID != 0 && call.ID == m.ID {
			call.cancel(errInterrupted)
		}
	}
	if m.Run == 0 || s.run == nil || s.run.Run.Run != m.Run {
		return
	}
	s.run.cancel(errInterrupted)
	if s.interrupt != nil { // background work that the run waits for
		s.interrupt(errInterrupted)
	}
}

func (s *server) receiveAnswer(m *Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if question, ok := s.questions[m.ID]; ok {
		delete(s.questions, m.ID)
		question <- m
	}
}

func (*pendingRun) fromHost() string  { return "run" }
func (*pendingCall) fromHost() string { return "call" }

// hand gives a request to the main goroutine. The reading goroutine must not wait for it: interrupts come behind it.
func (s *server) hand(m FromHost) error {
	select {
	case s.requests <- m:
		return nil
	default:
		return fmt.Errorf("more than %d requests wait", maxRequests)
	}
}

// serve executes requests until the host is gone or the engine ends.
func (s *server) serve() error {
	for {
		m := s.next()
		if m == nil {
			return nil
		}
		switch m := m.(type) {
		case *pendingRun:
			if exit, err := s.execute(m); err != nil || exit == Gone {
				return err
			}
		case *pendingCall:
			if err := s.out.send(s.reply(m)); err != nil {
				return err
			}
		}
	}
}

// next returns the next request, nil when there will be none. An interpreter that is an Idler works until it comes.
func (s *server) next() FromHost {
	idler, ok := s.in.(Idler)
	if !ok {
		return s.wait()
	}
	came := make(chan FromHost, 1)
	wake := make(chan struct{})
	go func() {
		came <- s.wait()
		close(wake)
	}()
	ctx, cancel := context.WithCancelCause(s.ctx)
	s.interruptBackgroundBy(cancel)
	idler.Idle(ctx, wake)
	s.interruptBackgroundBy(nil)
	cancel(nil)
	return <-came
}

func (s *server) wait() FromHost {
	select {
	case m := <-s.requests:
		return m
	case <-s.ctx.Done():
		return nil
	}
}

func (s *server) interruptBackgroundBy(cancel context.CancelCauseFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.interrupt = cancel
	if cancel != nil && s.run != nil && s.run.ctx.Err() != nil { // it came and was interrupted meanwhile
		cancel(errInterrupted)
	}
}

func (s *server) execute(run *pendingRun) (Exit, error) {
	defer run.cancel(nil)
	s.begin(run.Run.Run)
	outcome := Outcome{Error: Stopped()}
	if run.ctx.Err() == nil {
		outcome = s.in.Run(run.ctx, &run.Run, &Output{s: s, run: run.Run.Run})
	}
	for _, raw := range s.pipes.Raw {
		if _, err := io.WriteString(raw, run.Mark); err != nil {
			return outcome.Exit, fmt.Errorf("write the mark of a run: %w", err)
		}
	}
	s.end()
	return outcome.Exit, s.out.send(&Done{Run: run.Run.Run, Error: outcome.Error.bounded(), Exit: outcome.Exit})
}

func (s *server) begin(run int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current = run
}

// end makes all later output of the run late, before the host knows that the run is done.
func (s *server) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current, s.run = 0, nil
}

// reply answers a call.
func (s *server) reply(c *pendingCall) *Reply {
	value, err := s.answer(c)
	interrupted := c.ctx.Err() != nil
	c.cancel(nil)
	s.mu.Lock()
	s.calls = slices.DeleteFunc(s.calls, func(other *pendingCall) bool { return other == c })
	s.mu.Unlock()
	reply := &Reply{ID: c.ID}
	var known *Error
	switch {
	case err != nil && interrupted:
		reply.Error = Stopped()
	case err == nil:
		if reply.Value, err = json.Marshal(value); err == nil && len(reply.Value) < MaxLine/2 {
			return reply
		}
		reply.Value, reply.Error = nil, &Error{Name: "Error", Message: "the value does not fit a message"}
	case errors.As(err, &known):
		reply.Error = known.bounded()
	default:
		reply.Error = (&Error{Name: "Error", Message: err.Error()}).bounded()
	}
	return reply
}
