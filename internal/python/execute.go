package python

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/internal/pipehost"
)

// errTimeout is the cause of a context that ended by the request's timeout.
var errTimeout = errors.New("the time for the run is over")

// errExited is the error of an engine after exit or quit.
var errExited = errors.New("the program ended itself")

// Execute implements lang.Engine. sys.exit with 0 or nothing ends the program, with another status
// the run fails with SystemExit. The process stays in both cases; exit and quit end it.
func (e *Engine) Execute(ctx context.Context, req lang.Request, sink lang.Sink) (lang.Result, error) {
	if req.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, req.Timeout, errTimeout)
		defer cancel()
	}
	var count uint64
	source := strings.ToValidUTF8(req.Source, "\uFFFD")
	message, err := e.performWork(ctx, work{ask: req.Ask, sink: sink, frame: func(number uint64) []byte {
		e.count++
		count = e.count
		e.sinks.begin(number, sink)
		kind := byte(frameRun)
		if e.merge.Open >= maxLatePipes {
			kind = frameJoined
		}
		return runFrame(kind, number, count, source)
	}})
	if err != nil {
		return lang.Result{}, err
	}
	failed := e.failureOf(message)
	if failed != nil && failed.Name == interruptName && errors.Is(context.Cause(ctx), errTimeout) {
		failed.Name, failed.Cause = timeoutName, lang.CauseTimedOut
		failed.Message = fmt.Sprintf("the run was stopped after %v", req.Timeout)
	}
	result := lang.Result{Count: int(count), Err: failed, Shown: message.Shown, Exit: exits[message.Exit]}
	if result.Err == nil {
		result.Offer = message.Offer.shape()
	}
	if result.Exit == lang.ExitedGone {
		_ = e.die(errExited)
	}
	return result, nil
}

// The names that the errors of the engine have in Python.
const (
	interruptName = "KeyboardInterrupt"
	timeoutName   = "TimeoutError"
	spentName     = "CPULimitExceeded" // of the driver
)

// failureOf returns the error of a work, nil if it did not fail. A program that raises KeyboardInterrupt by itself was
// not interrupted.
func (e *Engine) failureOf(m *message) *lang.Error {
	failed := m.Error.shape()
	if failed == nil || failed.Name != interruptName {
		return failed
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.asked == m.Run {
		failed.Cause = lang.CauseInterrupted
	}
	return failed
}

// runFrame encodes the frame of a run.
func runFrame(kind byte, number, count uint64, source string) []byte {
	return frame(kind, number, binary.BigEndian.AppendUint64(nil, count), []byte(source))
}

// work is an exclusive operation of the engine: a run, or an operation handled like one.
type work struct {
	frame func(number uint64) []byte // the request to the driver
	sink  lang.Sink                  // nil: output goes to the last run
	ask   lang.Ask
}

// performWork has the driver do a work, and returns its last message.
func (e *Engine) performWork(ctx context.Context, w work) (*message, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	number, err := e.begin()
	if err != nil {
		return nil, err
	}
	e.process.CatchUp()
	e.reader.Stop()
	done := pipehost.Watch(ctx, e.config.Grace, e.Interrupt, e.kill)
	message, err := e.exchange(ctx, number, w, sinkOutput{&e.sinks, w.sink})
	done()
	if err == nil {
		err = e.release()
	}
	if err != nil {
		return nil, e.die(err)
	}
	return message, nil
}

// begin assigns the next number, unless the engine cannot execute. A query without an answer is
// interrupted: runs have priority.
func (e *Engine) begin() (uint64, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.unavailableLocked(); err != nil {
		return 0, err
	}
	if e.query != nil {
		e.query.fail(lang.ErrBusy)
		_ = e.process.interrupt(e.query.number) // if it fails, the process has ended
	}
	e.number++
	e.run = e.number
	return e.run, nil
}

// unavailableLocked returns why the driver can take no request now.
func (e *Engine) unavailableLocked() error {
	switch {
	case e.closed:
		return lang.ErrClosed
	case e.dead != nil:
		return e.dead
	case e.info.Version == "":
		return errors.New("python is not loaded")
	case e.run != 0:
		return lang.ErrBusy
	}
	return nil
}

// exchange sends a request, and delivers output until it is done.
func (e *Engine) exchange(ctx context.Context, number uint64, w work, out output) (*message, error) {
	// When the process has ended the write fails, and so does the read below, which returns the
	// reason.
	wrote := e.writeBehind(w.frame(number))
	defer wrote()
	asking := questions{ctx: ctx, ask: w.ask, write: e.write}
	defer asking.end()
	for {
		message, err := e.merge.next(nil, out)
		if err != nil {
			return nil, err
		}
		switch {
		case message.Run == number && (message.Kind == "done" || message.Kind == "reply"):
			return message, nil
		case message.Kind == "reply":
			e.handleReply(message)
		case message.Kind == "comm":
			e.deliverComm(message, w.sink)
		case message.Kind == "heard":
			e.noteHandled()
		case message.Kind == "ask":
			asking.begin(message)
		case message.Kind == "withdraw":
			asking.withdraw(message.Run)
		default:
			out.message(message)
		}
	}
}

// writeBehind sends a frame after the queued messages. While the driver handles a message, the
// write runs in the background, and the returned function waits for it: the driver may first have
// to write output of the message.
func (e *Engine) writeBehind(frame []byte) (wait func()) {
	e.mu.Lock()
	before := e.commQueue.take()
	isOut := e.commQueue.out > 0
	e.mu.Unlock()
	if !isOut {
		_ = e.write(frame)
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = e.write(slices.Concat(append(before, frame)...))
	}()
	return func() { <-done }
}

// write sends a frame. Concurrent writes are not mixed.
func (e *Engine) write(frame []byte) error {
	_, err := e.process.Write(frame)
	return err
}

// Reset implements lang.Resetter. Modules stay loaded; only their names are unbound.
func (e *Engine) Reset(ctx context.Context) error {
	if _, err := e.performRequest(ctx, request{Do: "reset"}, nil); err != nil {
		return err
	}
	e.count = 0
	return nil
}

// performRequest has the driver perform a request in place of a run.
func (e *Engine) performRequest(ctx context.Context, what request, sink lang.Sink) (json.RawMessage, error) {
	body, err := json.Marshal(what)
	if err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	message, err := e.performWork(ctx, work{sink: sink, frame: func(number uint64) []byte {
		return frame(frameRequest, number, body)
	}})
	switch {
	case err != nil:
		return nil, err
	case message.Error == nil:
		return message.Value, nil
	case message.Error.Name == interruptName && ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case message.Error.Name == "RuntimeError": // an error of the driver itself
		return nil, errors.New(message.Error.Message)
	}
	return nil, e.failureOf(message)
}
