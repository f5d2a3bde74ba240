package python

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/quirehq/quire/core/lang"
)

// errTimeout is the cause of a context that ended by the request's time-out.
var errTimeout = errors.New("the time for the run is over")

// errExited is why an engine cannot be used after exit or quit.
var errExited = errors.New("the program ended itself")

// Execute implements lang.Engine. A program that calls sys.exit with 0 or nothing has
// ended itself; with anything else its error is named SystemExit. Neither ends the
// process, which exit and quit do.
func (e *Engine) Execute(ctx context.Context, req lang.Request, sink lang.Sink) (lang.Result, error) {
	if req.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, req.Timeout, errTimeout)
		defer cancel()
	}
	var count uint64
	source := strings.ToValidUTF8(req.Source, "\uFFFD")
	message, err := e.occupy(ctx, work{ask: req.Ask, sink: sink, frame: func(number uint64) []byte {
		e.count++
		count = e.count
		e.sinks.begin(number, sink)
		kind := byte(frameRun)
		if e.merge.open >= maxStrays {
			kind = frameJoined
		}
		return runFrame(kind, number, count, source)
	}})
	if err != nil {
		return lang.Result{}, err
	}
	failed := message.Error
	if failed != nil && failed.Name == lang.Interrupted && errors.Is(context.Cause(ctx), errTimeout) {
		failed.Name = lang.TimedOut
		failed.Message = fmt.Sprintf("the run was stopped after %v", req.Timeout)
	}
	result := lang.Result{Count: int(count), Err: failed.shape(), Shown: message.Shown, Exit: exits[message.Exit]}
	if result.Err == nil {
		result.Offer = message.Offer.shape()
	}
	if result.Exit == lang.ExitedGone {
		_ = e.die(errExited)
	}
	return result, nil
}

// work is what the engine does one at a time: a run, or what is called as one.
type work struct {
	frame func(number uint64) []byte // asks the driver to do it
	sink  lang.Sink                  // nil leaves what is printed to the last run
	ask   lang.Ask
}

// occupy has the driver do a work, and returns its last message about that.
func (e *Engine) occupy(ctx context.Context, w work) (*message, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	number, err := e.begin()
	if err != nil {
		return nil, err
	}
	e.process.catchUp()
	e.idle.stop()
	done := e.enforce(ctx)
	message, err := e.converse(ctx, number, w, sinkOutput{&e.sinks, w.sink})
	done()
	if err == nil {
		err = e.rest()
	}
	if err != nil {
		return nil, e.die(err)
	}
	return message, nil
}

// begin takes the next number, unless the engine cannot execute. A query that is
// not answered yet has to go: people wait for runs.
func (e *Engine) begin() (uint64, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.unfitLocked(); err != nil {
		return 0, err
	}
	if e.query != nil {
		e.query.fail(lang.ErrBusy)
		_ = e.process.interrupt(e.query.number) // if it cannot be sent, the process has ended
	}
	e.number++
	e.run = e.number
	return e.run, nil
}

// unfitLocked says why nothing can be asked of the engine now.
func (e *Engine) unfitLocked() error {
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

// enforce makes the end of a context felt: an interrupt, and death if the code
// does not stop in time. It does not depend on the sink, which may be what the
// run waits for. The function it returns ends it and waits for that.
func (e *Engine) enforce(ctx context.Context) func() {
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-over:
			return
		case <-ctx.Done():
		}
		_ = e.Interrupt() // if it cannot be sent, the kill follows
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

// converse sends what to do, and delivers what comes until it is done.
func (e *Engine) converse(ctx context.Context, number uint64, w work, out output) (*message, error) {
	// When the process has ended the write fails, and so does the read below,
	// which knows why.
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
			e.answered(message)
		case message.Kind == "comm":
			e.said(message, w.sink)
		case message.Kind == "heard":
			e.heard()
		case message.Kind == "ask":
			asking.put(message)
		case message.Kind == "withdraw":
			asking.withdraw(message.Run)
		default:
			out.message(message)
		}
	}
}

// writeBehind sends a frame behind the messages that wait. While the driver handles a
// message it does so in the background, which the function that it returns waits for: the
// driver may first have to get rid of what the message set off.
func (e *Engine) writeBehind(frame []byte) (wait func()) {
	e.mu.Lock()
	before := e.mail.take()
	isOut := e.mail.out > 0
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

// write sends a frame whole, whoever else writes.
func (e *Engine) write(frame []byte) error {
	_, err := e.process.requests.Write(frame)
	return err
}
