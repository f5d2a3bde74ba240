package jupyter

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/quirehq/quire/core/lang"
)

// errTimeout is the cause of a context that ended by the request's time-out.
var errTimeout = errors.New("the time for the run is over")

// replyTime is how long a kernel may take to say that it is idle after its reply, or
// the other way round. Both come at once unless one was lost.
const replyTime = 5 * time.Second

// outcome is what one execution came to.
type outcome struct {
	result lang.Result
	err    error
}

// run is an execution. What is below is owned by the goroutine that handles what
// comes, but for what the engine's mutex guards.
type run struct {
	ctx  context.Context
	req  lang.Request
	sink lang.Sink
	done chan outcome // of one

	id      string // of the request; set under the mutex
	reply   *message
	idle    bool
	count   int
	over    bool     // what comes is late
	held    held     // what is not shown yet
	told    *failure // the last error that is
	asking  questions
	overdue *time.Timer // ends a run of which an end was lost

	// Guarded by the mutex.
	stage       stage
	heard       int       // what came of it
	begun       time.Time // when the kernel said that it has begun
	wanted      bool      // it is to be interrupted as soon as it can be
	interrupted bool
	interruptAt time.Time       // the last
	unanswered  string          // why a question has no answer
	settled     bool            // the kernel was asked whether it has noticed all interrupts
	settling    map[string]bool // requests that must be answered before it is over
}

// stage is how far a run is known to be.
type stage int

const (
	stageSent  stage = iota // the kernel may not have it yet
	stageBegun              // the kernel has it
	stageRuns               // the program has done something
)

// Execute implements lang.Engine.
func (e *Engine) Execute(ctx context.Context, req lang.Request, sink lang.Sink) (lang.Result, error) {
	if req.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, req.Timeout, errTimeout)
		defer cancel()
	}
	if ctx.Err() != nil {
		return lang.Result{}, context.Cause(ctx)
	}
	r := &run{ctx: ctx, req: req, sink: sink, done: make(chan outcome, 1), settling: map[string]bool{}}
	l, err := e.begin(r)
	if err != nil {
		return lang.Result{}, err
	}
	r.asking = e.newQuestions(l, r)
	l.inbox.put(item{begin: r})
	over := e.enforce(ctx, l, r)
	end := <-r.done
	over()
	return end.result, end.err
}

// begin makes a run the engine's, unless it cannot execute. Queries have to go: people
// wait for runs.
func (e *Engine) begin(r *run) (*link, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.unfitLocked(); err != nil {
		return nil, err
	}
	e.run = r
	for _, w := range e.waiting {
		if w.query {
			w.fail(lang.ErrBusy)
		}
	}
	return e.link, nil
}

func (e *Engine) newQuestions(l *link, r *run) questions {
	return questions{
		ctx: r.ctx, ask: r.req.Ask,
		catchUp: func(ctx context.Context) { e.catchUp(ctx, l) },
		answer: func(to *header, value string) {
			_, _ = l.send(stdin, "input_reply", to, map[string]string{"status": "ok", "value": value}) // in vain if the kernel has ended
		},
		giveUp: func(to *header, why string) { e.giveUp(l, r, to, why) },
	}
}

// giveUp ends a question that nobody answers. The protocol has no word for that:
// Python's kernel takes a character for the end of the input, and the programs of
// others are interrupted, because an empty answer would be a wrong one.
func (e *Engine) giveUp(l *link, r *run, to *header, why string) {
	e.mu.Lock()
	r.unanswered = why
	e.mu.Unlock()
	if e.config.Kernel.Language == "python" {
		r.asking.answer(to, endOfInput)
		return
	}
	e.insist(l, r)
}

// startRun has the kernel execute a run.
func (e *Engine) startRun(l *link, r *run) {
	e.words = words{}
	e.past.giveEarly(r)
	parts, id, err := l.signer.seal("execute_request", nil, map[string]any{
		"code": r.req.Source, "silent": false, "store_history": true, "user_expressions": struct{}{},
		"allow_stdin": r.req.Ask != nil, "stop_on_error": false, // what comes after an error is not the kernel's to decide
	})
	e.mu.Lock()
	r.id = id
	e.mu.Unlock()
	if err != nil { // a source is a string, which can always be encoded
		e.end(r, outcome{err: err})
		return
	}
	_ = l.sendSealed(shell, parts) // if it cannot be sent the kernel has ended, which ends the run
}

// progress ends a run when there is nothing more to wait for.
func (e *Engine) progress(l *link, r *run) {
	if r.reply == nil || !r.idle {
		e.expect(l, r)
		return
	}
	if !e.isSettled(l, r) {
		e.expect(l, r)
		return
	}
	e.finish(l, r)
}

// isSettled says whether the kernel has noticed all interrupts of a run, so that the
// next run does not get one. It is asked something, which it answers after that.
func (e *Engine) isSettled(l *link, r *run) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if r.interrupted && !r.settled {
		r.settled = true
		parts, id, err := l.signer.seal("kernel_info_request", nil, struct{}{})
		if err == nil && l.sendSealed(shell, parts) == nil {
			r.settling[id] = true
		}
	}
	return len(r.settling) == 0
}

// expect ends a run after some time of which only one of the ends is known.
func (e *Engine) expect(l *link, r *run) {
	if r.overdue == nil {
		r.overdue = time.AfterFunc(e.patience, func() { l.inbox.put(item{expired: r}) })
	}
}

// finish delivers what the process wrote up to now and ends a run.
func (e *Engine) finish(l *link, r *run) {
	for _, p := range l.pipes {
		p.drain()
	}
	for _, i := range l.inbox.takeText() {
		e.handleText(&i)
	}
	r.showPayloads()
	result := e.result(r)
	if result.Exit == lang.ExitedGone {
		e.mu.Lock()
		e.dead = errExited
		e.mu.Unlock()
	}
	e.end(r, outcome{result: result})
}

func (e *Engine) end(r *run, o outcome) {
	if r.overdue != nil {
		r.overdue.Stop()
	}
	r.asking.end()
	e.past.add(r)
	e.mu.Lock()
	e.run, e.rested = nil, time.Now()
	e.comms.wakeLocked()
	e.mu.Unlock()
	r.done <- o
}

// number returns the number of the execution.
func (r *run) number() int {
	if r.reply != nil {
		if n := r.reply.count(); n > 0 {
			return n
		}
	}
	return r.count
}

// enforce makes the end of a context felt: an interrupt, and death if the code does
// not stop in time. It does not depend on the sink, which may be what the run waits
// for. The function it returns ends it and waits for that.
func (e *Engine) enforce(ctx context.Context, l *link, r *run) func() {
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-over:
			return
		case <-ctx.Done():
		}
		e.insist(l, r) // what is lost otherwise is more than an interrupt
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
