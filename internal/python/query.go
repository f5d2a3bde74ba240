package python

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/quirehq/quire/core/lang"
)

// patience is how long a query may take before it is interrupted; it then has as
// long again to say what it found so far. Names are cheap to look at, but looking
// may run code of the program, such as a __getattr__, which may do anything.
const patience = 2 * time.Second

// errSlow says that code of the program did not come back.
var errSlow = errors.New("python did not answer in time: an attribute or a __repr__ of the program takes too long")

// query is what is asked between runs. There is one at a time; it is over when the
// driver has replied, which may be after whoever asked has left.
type query struct {
	number  uint64
	replied chan reply // of one
}

// reply is what a query comes to.
type reply struct {
	message *message
	err     error
}

// fail ends the waiting for a query, unless it has ended.
func (q *query) fail(err error) {
	select {
	case q.replied <- reply{err: err}:
	default:
	}
}

// ask asks the driver something between runs and decodes what it replies.
func (e *Engine) ask(ctx context.Context, request, value any) error {
	body, err := json.Marshal(request)
	if err != nil {
		return fmt.Errorf("encode the request: %w", err)
	}
	q, err := e.startQuery(ctx)
	if err != nil {
		return err
	}
	_ = e.write(frame(frameRequest, q.number, body)) // if it fails the process has ended, as we see below
	message, err := e.await(ctx, q)
	if err != nil {
		return err
	}
	if err := message.refusal(); err != nil {
		return err
	}
	if err := json.Unmarshal(message.Value, value); err != nil {
		return fmt.Errorf("decode the reply of the driver: %w", err)
	}
	return nil
}

// refusal is the error of a reply.
func (m *message) refusal() error {
	switch {
	case m.Error == nil:
		return nil
	case m.Error.Name == lang.Interrupted:
		return errSlow
	}
	return m.Error.shape()
}

// startQuery takes the next number, once the query before it is over.
func (e *Engine) startQuery(ctx context.Context) (*query, error) {
	if err := e.unfit(); err != nil {
		return nil, err // at once, whoever else asks
	}
	timer := time.NewTimer(e.patience)
	defer timer.Stop()
	select {
	case e.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-timer.C:
		return nil, lang.ErrBusy
	case <-e.process.exited:
		return nil, e.gone()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.unfitLocked(); err != nil {
		<-e.turn
		return nil, err
	}
	if e.mail.out > 0 {
		<-e.turn
		return nil, lang.ErrBusy // with a message of a comm
	}
	e.number++
	e.query = &query{number: e.number, replied: make(chan reply, 1)}
	return e.query, nil
}

// await waits for the reply. When it takes too long the driver is interrupted, and
// may still reply.
func (e *Engine) await(ctx context.Context, q *query) (*message, error) {
	timer := time.NewTimer(e.patience)
	defer timer.Stop()
	for asked := false; ; asked = true {
		select {
		case r := <-q.replied:
			return r.message, r.err
		case <-ctx.Done():
			e.interruptQuery(q)
			return nil, context.Cause(ctx)
		case <-e.process.exited:
			return nil, e.gone()
		case <-timer.C:
		}
		if asked {
			return nil, errSlow
		}
		e.interruptQuery(q)
		timer.Reset(e.patience)
	}
}

func (e *Engine) interruptQuery(q *query) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.query == q {
		_ = e.process.interrupt(q.number) // if it cannot be sent, there will be no reply either
	}
}

// answered ends a query, whether or not somebody still waits for it.
func (e *Engine) answered(m *message) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.query == nil || e.query.number != m.Run {
		return
	}
	select {
	case e.query.replied <- reply{message: m}:
	default: // it had to make room for a run
	}
	e.query = nil
	<-e.turn
	e.postLocked()
}

// between handles a message that comes between runs and is no output.
func (e *Engine) between(m *message) bool {
	switch m.Kind {
	case "reply":
		e.answered(m)
	case "ask": // a thread that asked as its run ended
		_ = e.write(answerFrame(m.Run, answer{Why: between})) // in vain if the process has ended
	case "comm":
		e.said(m, nil)
	case "heard":
		e.heard()
	case "withdraw":
	default:
		return false
	}
	return true
}

// unfit says why nothing can be asked of the engine now.
func (e *Engine) unfit() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.unfitLocked()
}

// gone says why a process that has ended did not reply.
func (e *Engine) gone() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return lang.ErrClosed
	}
	return fmt.Errorf("%w: python ended: %w", lang.ErrDied, e.process.reason())
}
