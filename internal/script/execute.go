package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/quirehq/quire/core/engineproto"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/internal/pipehost"
)

// errTimeout is the cause of a context that ended by the request's timeout.
var errTimeout = errors.New("the time for the run is over")

// errExited is the error of an engine after its program has ended it.
var errExited = errors.New("the program ended itself")

// task is an exclusive operation of the engine by the number of its run or of its call. One of them is 0.
type task struct{ run, call int }

// Execute implements lang.Engine.
func (e *Engine) Execute(ctx context.Context, req lang.Request, sink lang.Sink) (lang.Result, error) {
	if req.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, req.Timeout, errTimeout)
		defer cancel()
	}
	r := &engineproto.Run{Source: strings.ToValidUTF8(req.Source, "\uFFFD"), Name: fmt.Sprintf("In[%d]", e.count+1)}
	if failed := e.translate(r); failed != nil {
		e.count++
		return lang.Result{Count: e.count, Err: shape(failed)}, nil
	}
	w := work{ask: req.Ask, sink: sink, prepare: func() (task, engineproto.FromHost) {
		e.runs++
		e.count++
		e.sinks.begin(e.runs, sink)
		r.Run, r.Mark = e.runs, e.markOf(e.runs)
		return task{run: e.runs}, r
	}}
	m, err := e.perform(ctx, w)
	if err != nil {
		return lang.Result{}, err
	}
	done, ok := m.(*engineproto.Done)
	if !ok {
		return lang.Result{}, errors.New("the engine replied to a run")
	}
	result := lang.Result{Count: e.count, Err: shape(done.Error), Exit: exits[done.Exit]}
	if isInterrupted(done.Error) {
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

// markOf returns the mark of a run: the beginning of all marks for an engine that orders its output by them.
func (e *Engine) markOf(run int) string {
	if e.hello.Marks {
		return e.token
	}
	return pipehost.EndMark(e.token, uint64(run))
}

// markOfCalls returns that beginning, which is empty for other engines.
func (e *Engine) markOfCalls() string {
	if e.hello.Marks {
		return e.token
	}
	return ""
}

// translate has a request execute its source in the language of the engine.
func (e *Engine) translate(r *engineproto.Run) *engineproto.Error {
	if e.config.Translate == nil {
		return nil
	}
	t, failed := e.config.Translate(r.Name, r.Source)
	if failed == nil {
		r.Source, r.Original, r.Map = t.Source, r.Source, t.Map
	}
	return failed
}

// work is an exclusive operation of the engine: a run, or a call that is handled like one.
type work struct {
	prepare func() (task, engineproto.FromHost) // called with the engine's lock
	sink    lang.Sink                           // nil: output goes to the last run
	ask     lang.Ask
}

// perform has the engine do a work, and returns its last message.
func (e *Engine) perform(ctx context.Context, w work) (engineproto.FromEngine, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := e.begin(); err != nil {
		return nil, err
	}
	e.process.CatchUp()
	e.reader.Stop()
	t := e.start(w)
	done := pipehost.Watch(ctx, e.config.Grace, e.Interrupt, e.kill)
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
var starting = task{run: -1}

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

// exchange delivers output until a task is done.
func (e *Engine) exchange(ctx context.Context, t task, w work) (engineproto.FromEngine, error) {
	out := sinkOutput{&e.sinks, w.sink}
	asking := questions{ctx: ctx, ask: w.ask, write: e.answer}
	defer asking.end()
	for {
		m, err := e.merge.Next(nil, out)
		if err != nil {
			e.sinks.end()
			return nil, err
		}
		switch m := m.(type) {
		case *engineproto.Done:
			if m.Run == t.run {
				e.sinks.end()
				return m, nil
			}
		case *engineproto.Reply:
			if m.ID == t.call {
				e.sinks.end()
				return m, nil
			}
			e.handleReply(m)
		case *engineproto.Begin:
			e.noteBegun(m.Run)
		case *engineproto.Ask:
			e.open(m.ID)
			asking.begin(m)
		default:
			out.message(m)
		}
	}
}

// open notes the question that the program waits for.
func (e *Engine) open(id int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.question, e.asks = id, true
}

// answer sends the answer to a question.
func (e *Engine) answer(r *engineproto.Answer) {
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
	if _, err := e.performCall(ctx, engineproto.Call{Method: engineproto.Reset}, nil); err != nil {
		return err
	}
	e.count = 0
	return nil
}

// performCall has the engine perform a call in place of a run.
func (e *Engine) performCall(ctx context.Context, r engineproto.Call, sink lang.Sink) (json.RawMessage, error) {
	if err := e.can(r.Method); err != nil {
		return nil, err
	}
	m, err := e.perform(ctx, work{sink: sink, prepare: func() (task, engineproto.FromHost) {
		e.calls++
		r.ID, r.Mark = e.calls, e.markOfCalls()
		return task{call: e.calls}, &r
	}})
	if err != nil {
		return nil, err
	}
	reply, ok := m.(*engineproto.Reply)
	switch {
	case !ok:
		return nil, errors.New("the engine ended a call as a run")
	case reply.Error == nil:
		return reply.Value, nil
	case isInterrupted(reply.Error) && ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	failed := shape(reply.Error)
	if isInterrupted(reply.Error) {
		failed.Cause = lang.CauseInterrupted
	}
	return nil, failed
}
