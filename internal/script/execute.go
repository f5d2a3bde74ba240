package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/quirehq/quire/core/lang"
)

// errTimeout is the cause of a context that ended by the request's timeout.
var errTimeout = errors.New("the time for the run is over")

// errExited is the error of an engine after its program has ended it.
var errExited = errors.New("the program ended itself")

// task is an exclusive operation of the engine by the number of its run or of its call. One of them is 0.
type task struct{ run, call uint64 }

// Execute implements lang.Engine.
func (e *Engine) Execute(ctx context.Context, req lang.Request, sink lang.Sink) (lang.Result, error) {
	if req.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, req.Timeout, errTimeout)
		defer cancel()
	}
	source := strings.ToValidUTF8(req.Source, "\uFFFD")
	w := work{ask: req.Ask, sink: sink, prepare: func() (task, request) {
		e.runs++
		e.count++
		e.sinks.begin(e.runs, sink)
		return task{run: e.runs}, request{
			Type: "run", Run: e.runs, Source: &source, Name: strings.ToValidUTF8(req.Cell, "\uFFFD"), Mark: markOf(e.secret, e.runs),
		}
	}}
	m, err := e.perform(ctx, w)
	if err != nil {
		return lang.Result{}, err
	}
	result := lang.Result{Count: int(e.count), Err: m.Error.shape(), Exit: exits[m.Exit]}
	if m.Error != nil && m.Error.Cause == causeInterrupted {
		result.Err.Cause = lang.CauseInterrupted
		if errors.Is(context.Cause(ctx), errTimeout) {
			result.Err.Cause, result.Err.Message = lang.CauseTimedOut, fmt.Sprintf("the run was stopped after %v", req.Timeout)
		}
	}
	if result.Exit == lang.ExitedGone {
		_ = e.die(errExited)
	}
	return result, nil
}

// work is an exclusive operation of the engine: a run, or a call that is handled like one.
type work struct {
	prepare func() (task, request) // called with the engine's lock
	sink    lang.Sink              // nil: output goes to the last run
	ask     lang.Ask
}

// perform has the engine do a work, and returns its last message.
func (e *Engine) perform(ctx context.Context, w work) (*message, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := e.begin(); err != nil {
		return nil, err
	}
	e.process.catchUp()
	e.reader.stop()
	t := e.start(w)
	e.merge.mark = markOf(e.secret, t.run)
	done := e.watchContext(ctx)
	m, err := e.exchange(ctx, t, w)
	done()
	if err == nil {
		err = e.release()
	}
	if err != nil {
		return nil, e.die(err)
	}
	return m, nil
}

// start sends the request of a work, and an interrupt that came before.
func (e *Engine) start(w work) task {
	e.mu.Lock()
	defer e.mu.Unlock()
	t, r := w.prepare()
	e.current = t
	if e.closed {
		return t
	}
	e.requests.put(r)
	if e.wanted && !(e.hello.Begins && t.run != 0) {
		_ = e.interruptLocked(t) // fails if the process has ended
	}
	return t
}

// starting is the task of an engine that is about to send its request.
var starting = task{run: 1<<64 - 1}

// begin makes the engine busy, unless it cannot execute. A call without a reply is interrupted: runs have priority.
func (e *Engine) begin() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.unavailableLocked(); err != nil {
		return err
	}
	if e.call != nil {
		e.call.fail(lang.ErrBusy)
		e.interruptCallLocked(e.call)
	}
	e.current = starting
	return nil
}

// unavailableLocked returns why the engine can take no request now.
func (e *Engine) unavailableLocked() error {
	switch {
	case e.closed:
		return lang.ErrClosed
	case e.dead != nil:
		return e.dead
	case e.hello == nil:
		return fmt.Errorf("%s is not loaded", e.info.Language)
	case e.current != task{}:
		return lang.ErrBusy
	}
	return nil
}

// watchContext interrupts the run when its context ends, and kills the process if the code does not stop in time. It
// does not depend on the sink, which may block the run. The returned function ends the watch and waits for that.
func (e *Engine) watchContext(ctx context.Context) func() {
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-over:
			return
		case <-ctx.Done():
		}
		_ = e.Interrupt() // if it fails, the kill follows
		grace := time.NewTimer(e.config.Grace)
		defer grace.Stop()
		select {
		case <-over:
		case <-grace.C:
			e.kill(fmt.Sprintf("it did not stop within %v", e.config.Grace))
		}
	}()
	return func() {
		close(over)
		<-ended
	}
}

// exchange delivers output until a task is done.
func (e *Engine) exchange(ctx context.Context, t task, w work) (*message, error) {
	out := sinkOutput{&e.sinks, w.sink}
	asking := questions{ctx: ctx, ask: w.ask, write: e.answer}
	defer asking.end()
	for {
		m, err := e.merge.next(nil, out)
		if err != nil {
			e.sinks.end()
			return nil, err
		}
		switch {
		case m.Type == "done" && m.Run == t.run && t.run != 0, m.Type == "reply" && m.ID.number == t.call && t.call != 0:
			e.sinks.end()
			return m, nil
		case m.Type == "reply":
			e.handleReply(m)
		case m.Type == "begin":
			e.noteBegun(m.Run)
		case m.Type == "ask":
			e.open(m.ID.number)
			asking.begin(m)
		case m.isOutput():
			out.message(m)
		}
	}
}

// open notes the question that the program waits for.
func (e *Engine) open(id uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.question, e.asks = id, true
}

// answer sends the answer to a question.
func (e *Engine) answer(r request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.question == r.ID {
		e.asks = false
	}
	if !e.closed {
		e.requests.put(r)
	}
}

// Reset implements lang.Resetter.
func (e *Engine) Reset(ctx context.Context) error {
	if _, err := e.performCall(ctx, request{Method: "reset"}, nil); err != nil {
		return err
	}
	e.count = 0
	return nil
}

// performCall has the engine perform a call in place of a run.
func (e *Engine) performCall(ctx context.Context, r request, sink lang.Sink) (json.RawMessage, error) {
	if err := e.can(r.Method); err != nil {
		return nil, err
	}
	m, err := e.perform(ctx, work{sink: sink, prepare: func() (task, request) {
		e.calls++
		r.Type, r.ID = "call", e.calls
		return task{call: e.calls}, r
	}})
	switch {
	case err != nil:
		return nil, err
	case m.Error == nil:
		return m.Value, nil
	case m.Error.Cause == causeInterrupted && ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	failed := m.Error.shape()
	if m.Error.Cause == causeInterrupted {
		failed.Cause = lang.CauseInterrupted
	}
	return nil, failed
}
