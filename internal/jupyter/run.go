package jupyter

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/quirehq/quire/core/lang"
)

// errTimeout is the cause of a context that ended by the request's timeout.
var errTimeout = errors.New("the time for the run is over")

// replyTime bounds the time between the reply and the idle status, in either order. Both come at
// once unless one was lost.
const replyTime = 5 * time.Second

// outcome is the return value of one execution.
type outcome struct {
	result lang.Result
	err    error
}

// run is an execution. The goroutine of handle owns the fields below, but for those that the
// engine's mutex guards.
type run struct {
	ctx  context.Context
	req  lang.Request
	sink lang.Sink
	done chan outcome // of capacity one

	id           string // of the request; set under the mutex
	reply        *message
	idle         bool
	count        int
	over         bool         // later output is late
	held         held         // withheld output
	shownFailure *kernelError // the last error that was shown
	asking       questions
	overdue      *time.Timer // ends a run whose reply or idle status was lost

	// Guarded by the mutex.
	stage            stage
	messages         int       // counts messages of the run
	begun            time.Time // when the kernel reported that it has begun
	wanted           bool      // an interrupt is pending
	interrupted      bool
	interruptAt      time.Time       // the last
	unanswered       string          // why a question got no answer
	interruptChecked bool            // the request that follows the interrupts was sent
	outstanding      map[string]bool // requests whose replies end the run
}

// stage is the known progress of a run.
type stage int

const (
	stageSent  stage = iota // the kernel may not have it yet
	stageBegun              // the kernel has it
	stageRuns               // the program has had an effect
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
	r := &run{ctx: ctx, req: req, sink: sink, done: make(chan outcome, 1), outstanding: map[string]bool{}}
	l, err := e.begin(r)
	if err != nil {
		return lang.Result{}, err
	}
	r.asking = e.newQuestions(l, r)
	l.inbox.put(item{begin: r})
	over := e.watchContext(ctx, l, r)
	end := <-r.done
	over()
	return end.result, end.err
}

// begin sets the current run, unless the engine cannot execute. Pending queries fail: runs have
// priority.
func (e *Engine) begin(r *run) (*link, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.unavailableLocked(); err != nil {
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
			_, _ = l.send(stdin, "input_reply", to, map[string]string{"status": "ok", "value": value}) // without effect if the kernel has ended
		},
		giveUp: func(to *header, why string) { e.giveUp(l, r, to, why) },
	}
}

// giveUp ends a question without an answer. The protocol has no message for that: Python's kernel
// gets the character for the end of the input, and programs of other kernels are interrupted,
// because an empty answer would be wrong.
func (e *Engine) giveUp(l *link, r *run, to *header, why string) {
	e.mu.Lock()
	r.unanswered = why
	e.mu.Unlock()
	if e.config.Kernel.Language == "python" {
		r.asking.answer(to, endOfInput)
		return
	}
	e.interruptRepeatedly(l, r)
}

// startRun sends the run's execute_request.
func (e *Engine) startRun(l *link, r *run) {
	e.words = words{}
	e.ended.deliverEarly(r)
	parts, id, err := l.signer.seal("execute_request", nil, map[string]any{
		"code": r.req.Source, "silent": false, "store_history": true, "user_expressions": struct{}{},
		"allow_stdin": r.req.Ask != nil, "stop_on_error": false, // the runtime decides about later runs
	})
	e.mu.Lock()
	r.id = id
	e.mu.Unlock()
	if err != nil { // cannot happen: a string can always be encoded
		e.end(r, outcome{err: err})
		return
	}
	_ = l.sendSealed(shell, parts) // if it fails the kernel has ended, which ends the run
}

// progress ends a run when nothing is outstanding.
func (e *Engine) progress(l *link, r *run) {
	if r.reply == nil || !r.idle {
		e.startOverdueTimer(l, r)
		return
	}
	if !e.isInterruptHandled(l, r) {
		e.startOverdueTimer(l, r)
		return
	}
	e.finish(l, r)
}

// isInterruptHandled reports whether the kernel has handled all interrupts of a run, so the next run gets
// none. A kernel_info_request is sent for that, which the kernel answers after them.
func (e *Engine) isInterruptHandled(l *link, r *run) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if r.interrupted && !r.interruptChecked {
		r.interruptChecked = true
		parts, id, err := l.signer.seal("kernel_info_request", nil, struct{}{})
		if err == nil && l.sendSealed(shell, parts) == nil {
			r.outstanding[id] = true
		}
	}
	return len(r.outstanding) == 0
}

// startOverdueTimer ends a run some time after one of its two ends, if the other does not come.
func (e *Engine) startOverdueTimer(l *link, r *run) {
	if r.overdue == nil {
		r.overdue = time.AfterFunc(e.patience, func() { l.inbox.put(item{expired: r}) })
	}
}

// finish delivers the process's output so far and ends a run.
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
	e.ended.add(r)
	e.mu.Lock()
	e.run, e.rested = nil, time.Now()
	e.comms.wakeLocked()
	e.mu.Unlock()
	r.done <- o
}

// number returns the execution number.
func (r *run) number() int {
	if r.reply != nil {
		if n := r.reply.count(); n > 0 {
			return n
		}
	}
	return r.count
}

// watchContext interrupts the run when its context ends, and kills the kernel if the code does not stop
// in time. It does not depend on the sink, which may block the run. The returned function ends the
// watch and waits for that.
func (e *Engine) watchContext(ctx context.Context, l *link, r *run) func() {
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-over:
			return
		case <-ctx.Done():
		}
		e.interruptRepeatedly(l, r) // without an effect the kernel is killed
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
