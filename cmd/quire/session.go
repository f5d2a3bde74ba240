package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
)

// joinTime is how long a command tries to get into a notebook before it gives up.
const joinTime = 15 * time.Second

// joined is a session in a notebook that is under way.
type joined struct {
	*replica.Session
	notebook string // its id
	cancel   context.CancelFunc
	done     chan struct{} // closed when it has ended
	err      error         // with which it ended, once done is closed

	updated func(*replica.Replica, replica.Update) // owned by who holds the session

	mu      sync.Mutex
	trouble error                   // the last
	giveUp  context.CancelCauseFunc // ends a wait for what cannot be written; nil while there is none
}

// dialer opens connections to a room.
type dialer func(context.Context) (protocol.Conn, error)

// join opens a session through a dialer and returns once it has the notebook as it
// is. The caller must leave.
func join(ctx context.Context, dial dialer) (*joined, error) {
	j := &joined{done: make(chan struct{}), updated: func(*replica.Replica, replica.Update) {}}
	j.Session = replica.NewSession(replica.SessionConfig{
		Replica: replica.New(event.ClientID(newID(clientIDLen))),
		Dial:    dial,
		Updated: func(r *replica.Replica, up replica.Update) { j.updated(r, up) },
		Trouble: j.note,
	})
	// It outlives ctx, so that a command that was interrupted can cancel its runs.
	run, cancel := context.WithCancel(context.WithoutCancel(ctx))
	j.cancel = cancel
	go func() {
		defer close(j.done)
		j.err = j.Run(run)
	}()
	if err := j.enter(ctx); err != nil {
		j.leave()
		return nil, err
	}
	return j, nil
}

// onUpdate has f called from now on with what each message changes.
func (j *joined) onUpdate(f func(*replica.Replica, replica.Update)) {
	_ = j.With(func(*replica.Replica) error {
		j.updated = f
		return nil
	})
}

// enter waits for the notebook.
func (j *joined) enter(ctx context.Context) error {
	short, cancel := context.WithTimeout(ctx, joinTime)
	defer cancel()
	err := j.Wait(short, (*replica.Replica).Online)
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return fail(exitUnavailable, "the notebook cannot be reached: %s", j.lastTrouble())
	}
	return refusalOf(err)
}

func (j *joined) note(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.trouble = err
	var unwritten *replica.UnwrittenError
	if errors.As(err, &unwritten) && j.giveUp != nil {
		j.giveUp(unwritten)
	}
}

// waits has f called when the room says that it can write nothing.
func (j *joined) waits(f context.CancelCauseFunc) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.giveUp = f
}

// lastTrouble says in words what last kept the session from its room.
func (j *joined) lastTrouble() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.trouble == nil {
		return "the server does not answer"
	}
	return unreachedReason(j.trouble)
}

// leave ends the session and waits for that.
func (j *joined) leave() {
	j.cancel()
	<-j.done
}

// with states the event that f makes, given the notebook as it is now, and waits
// until it is on disk.
func (j *joined) with(ctx context.Context, f func(*notebook.Notebook) (event.Payload, error)) error {
	var id event.ID
	var stated event.Type
	err := j.With(func(r *replica.Replica) error {
		p, err := f(r.View())
		if err != nil {
			return err
		}
		if !r.Role().May(access.ActionOf(p.Type())) {
			return fail(exitDenied, "the role %s may not do this", r.Role())
		}
		if err := p.Check(); err != nil {
			return fail(exitUsage, "%w", err)
		}
		stated = p.Type()
		id, _, err = r.Do(p)
		return err
	})
	if err == nil {
		err = j.settle(ctx, id)
	}
	return inWords(err, stated)
}

// inWords returns an error without the name of the event that was stated, which no person has asked
// for. One that has a code for the exit has the words already.
func inWords(err error, stated event.Type) error {
	var said *failure
	if err == nil || stated == "" || errors.As(err, &said) || errors.Is(err, context.Canceled) {
		return err
	}
	return fail(exitFailed, "%s", strings.TrimPrefix(err.Error(), string(stated)+": "))
}

// settle waits until events are on disk. A command gives up where a session would
// not: somebody waits for it, and should hear why.
func (j *joined) settle(ctx context.Context, ids ...event.ID) error {
	short, cancel := context.WithTimeout(ctx, joinTime)
	defer cancel()
	short, giveUp := context.WithCancelCause(short)
	defer giveUp(nil)
	j.waits(giveUp)
	defer j.waits(nil)
	err := j.AwaitCommit(short, ids...)
	var unwritten *replica.UnwrittenError
	if err != nil && errors.As(context.Cause(short), &unwritten) {
		return fail(exitUnavailable, "%w", unwritten)
	}
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return fail(exitUnavailable, "it was not written: %s", j.lastTrouble())
	}
	return refusalOf(err)
}

// refusalOf gives the error with which a room ended a session its exit code.
func refusalOf(err error) error {
	var refused *replica.RefusedError
	if errors.As(err, &refused) {
		no := refused.Refusal
		code := exitFailed
		if no.Code == protocol.CodeForbidden || no.Code == protocol.CodeNotFound {
			code = exitDenied
		}
		return fail(code, "%s", strings.TrimPrefix(no.Message, string(no.Draft.Payload.Type())+": "))
	}
	var closed *protocol.Closed
	if !errors.As(err, &closed) {
		return err
	}
	switch closed.Code {
	case protocol.CodeForbidden, protocol.CodeNotFound, protocol.CodePurged:
		return fail(exitDenied, "%w", err)
	case protocol.CodeInvalid:
		return fail(exitUsage, "%w", err)
	case protocol.CodeUnavailable, protocol.CodeVersion:
		return fail(exitUnavailable, "%w", err)
	}
	return err
}

// open joins the notebook that a command line names.
func (a *app) open(ctx context.Context, name string) (*joined, error) {
	c, err := a.client()
	if err != nil {
		return nil, err
	}
	id, err := c.resolve(ctx, name)
	if err != nil {
		return nil, err
	}
	j, err := join(ctx, a.dialer(id))
	if err != nil {
		return nil, err
	}
	j.notebook = id
	return j, nil
}

// inNotebook calls f with a session in the notebook that a command line names.
func (a *app) inNotebook(ctx context.Context, name string, f func(*joined) error) error {
	j, err := a.open(ctx, name)
	if err == nil {
		defer j.leave()
		err = f(j)
	}
	if err != nil {
		return fmt.Errorf("notebook %s: %w", name, err)
	}
	return nil
}
