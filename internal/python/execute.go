package python

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/quirehq/quire/core/lang"
)

// errTimeout is the cause of a context that ended by the request's time-out.
var errTimeout = errors.New("the time for the run is over")

// Execute implements lang.Engine. A program that calls sys.exit with 0 or
// nothing ends well; with anything else its error is named SystemExit. Neither
// ends the process.
func (e *Engine) Execute(ctx context.Context, req lang.Request, sink lang.Sink) (lang.Result, error) {
	if ctx.Err() != nil {
		return lang.Result{}, context.Cause(ctx)
	}
	run, err := e.begin()
	if err != nil {
		return lang.Result{}, err
	}
	e.idle.stop().deliver(sink)
	if req.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, req.Timeout, errTimeout)
		defer cancel()
	}
	done := e.enforce(ctx)
	message, err := e.converse(run, req.Source, sink)
	done()
	if err == nil {
		err = e.rest(&late{})
	}
	if err != nil {
		return lang.Result{}, e.die(err)
	}
	return result(ctx, run, req, message), nil
}

// begin takes the next number, unless the engine cannot execute.
func (e *Engine) begin() (uint64, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.closed:
		return 0, lang.ErrClosed
	case e.dead != nil:
		return 0, e.dead
	case e.info.Version == "":
		return 0, errors.New("python is not loaded")
	case e.run != 0:
		return 0, errBusy
	}
	e.count++
	e.run = e.count
	return e.run, nil
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

// converse sends the source and delivers what comes until the run is done.
func (e *Engine) converse(run uint64, source string, sink lang.Sink) (*message, error) {
	// When the process has ended the write fails, and so does the read below,
	// which knows why.
	_ = writeRequest(e.process.requests, run, strings.ToValidUTF8(source, "\uFFFD"))
	for {
		message, err := e.merge.next(nil, sink.Stream)
		if err != nil {
			return nil, err
		}
		if message.Kind == "done" && message.Run == run {
			return message, nil
		}
		message.deliver(sink)
	}
}

// result names what stopped a run that was stopped from outside.
func result(ctx context.Context, run uint64, req lang.Request, message *message) lang.Result {
	failed := message.Error
	if failed != nil && failed.Name == lang.Interrupted && errors.Is(context.Cause(ctx), errTimeout) {
		failed.Name = lang.TimedOut
		failed.Message = fmt.Sprintf("the run was stopped after %v", req.Timeout)
	}
	return lang.Result{Count: int(run), Err: failed.shape()}
}
