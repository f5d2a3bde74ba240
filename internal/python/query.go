package python

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/quirehq/quire/core/lang"
)

// patience is the time after which a query is interrupted; it then has the same time again to reply
// with its results so far. Names are cheap to list, but may run code of the program, such as a
// __getattr__, without a bound.
const patience = 2 * time.Second

// errSlow says that code of the program did not return.
var errSlow = errors.New("python did not answer in time: an attribute or a __repr__ of the program takes too long")

// query is a request between runs. There is one at a time. It ends with the driver's reply, which
// may come after the caller has left.
type query struct {
	number  uint64
	replied chan reply // of capacity one
}

// reply is the result of a query.
type reply struct {
	message *message
	err     error
}

// fail ends a query with an error, unless it has ended.
func (q *query) fail(err error) {
	select {
	case q.replied <- reply{err: err}:
	default:
	}
}

// ask sends a request to the driver between runs and decodes the reply.
func (e *Engine) ask(ctx context.Context, request, value any) error {
	return e.askWithin(ctx, e.patience, request, value)
}

// askWithin asks with a patience of its own.
func (e *Engine) askWithin(ctx context.Context, patience time.Duration, request, value any) error {
	body, err := json.Marshal(request)
	if err != nil {
		return fmt.Errorf("encode the request: %w", err)
	}
	q, err := e.startQuery(ctx)
	if err != nil {
		return err
	}
	_ = e.write(frame(frameRequest, q.number, body)) // if it fails the process has ended, as seen below
	message, err := e.await(ctx, q, patience)
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
	case m.Error.Name == interruptName:
		return errSlow
	}
	return m.Error.shape()
}

// startQuery assigns the next number, once the previous query is over.
func (e *Engine) startQuery(ctx context.Context) (*query, error) {
	if err := e.unavailable(); err != nil {
		return nil, err // at once, without waiting for other queries
	}
	timer := time.NewTimer(e.patience)
	defer timer.Stop()
	select {
	case e.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-timer.C:
		return nil, lang.ErrBusy
	case <-e.process.Exited():
		return nil, e.goneReason()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.unavailableLocked(); err != nil {
		<-e.turn
		return nil, err
	}
	if e.commQueue.out > 0 {
		<-e.turn
		return nil, lang.ErrBusy // the driver handles a comm message
	}
	e.number++
	e.query = &query{number: e.number, replied: make(chan reply, 1)}
	return e.query, nil
}

// await waits for the reply. After the patience it interrupts the driver, which may still reply.
func (e *Engine) await(ctx context.Context, q *query, patience time.Duration) (*message, error) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for asked := false; ; asked = true {
		select {
		case r := <-q.replied:
			return r.message, r.err
		case <-ctx.Done():
			e.interruptQuery(q)
			return nil, context.Cause(ctx)
		case <-e.process.Exited():
			return nil, e.goneReason()
		case <-timer.C:
		}
		if asked {
			return nil, errSlow
		}
		e.interruptQuery(q)
		timer.Reset(patience)
	}
}

func (e *Engine) interruptQuery(q *query) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.query == q {
		_ = e.process.interrupt(q.number) // if it fails, there will be no reply either
	}
}

// handleReply ends a query, even if its caller has left.
func (e *Engine) handleReply(m *message) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.query == nil || e.query.number != m.Run {
		return
	}
	select {
	case e.query.replied <- reply{message: m}:
	default: // it was ended by a run
	}
	e.query = nil
	<-e.turn
	e.sendNextLocked()
}

// handleIdle handles a message between runs that is no output.
func (e *Engine) handleIdle(m *message) bool {
	switch m.Kind {
	case "reply":
		e.handleReply(m)
	case "ask": // a thread asked as its run ended
		_ = e.write(answerFrame(m.Run, answer{Why: between})) // fails if the process has ended
	case "comm":
		e.deliverComm(m, nil)
	case "heard":
		e.noteHandled()
	case "withdraw":
	default:
		return false
	}
	return true
}

// unavailable returns why the driver can take no request now.
func (e *Engine) unavailable() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.unavailableLocked()
}

// goneReason returns why a process that has ended did not reply.
func (e *Engine) goneReason() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return lang.ErrClosed
	}
	return fmt.Errorf("%w: python ended: %w", lang.ErrDied, e.process.Reason())
}
