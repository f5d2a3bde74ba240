package terminal

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
)

// joinTime is how long it is tried to get into a notebook.
const joinTime = 15 * time.Second

// Session is a running session in a notebook, with errors in words for users.
type Session struct {
	*replica.Session
	cancel context.CancelFunc
	done   chan struct{} // closed when it has ended
	err    error         // with which it ended, once done is closed

	updated func(*replica.Replica, replica.Update) // owned by who holds the session

	mu      sync.Mutex
	trouble error                   // the last
	giveUp  context.CancelCauseFunc // ends the wait for a room that cannot write; nil while there is none
}

// Join opens a session of a client through a dialer and returns once it has the notebook as it
// is. The caller must leave.
func Join(ctx context.Context, id event.ClientID, dial func(context.Context) (protocol.Conn, error)) (*Session, error) {
	j := &Session{done: make(chan struct{}), updated: func(*replica.Replica, replica.Update) {}}
	j.Session = replica.NewSession(replica.SessionConfig{
		Replica: replica.New(id),
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
		j.Leave()
		return nil, err
	}
	return j, nil
}

// Ended is closed when the session has ended.
func (j *Session) Ended() <-chan struct{} { return j.done }

// Verdict returns why the session has ended, once it has.
func (j *Session) Verdict() error { return Refusal(j.err) }

// OnUpdate calls f from now on with the changes of each message.
func (j *Session) OnUpdate(f func(*replica.Replica, replica.Update)) {
	_ = j.With(func(*replica.Replica) error {
		j.updated = f
		return nil
	})
}

// enter waits for the notebook.
func (j *Session) enter(ctx context.Context) error {
	short, cancel := context.WithTimeout(ctx, joinTime)
	defer cancel()
	err := j.Wait(short, (*replica.Replica).Online)
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return Fail(Unavailable, "the notebook cannot be reached: %s", j.lastTrouble())
	}
	return Refusal(err)
}

func (j *Session) note(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.trouble = err
	var unwritten *replica.UnwrittenError
	if errors.As(err, &unwritten) && j.giveUp != nil {
		j.giveUp(unwritten)
	}
}

// waits calls f when the room reports that it cannot write.
func (j *Session) waits(f context.CancelCauseFunc) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.giveUp = f
}

// lastTrouble returns the last reason, in words, that kept the session from its room.
func (j *Session) lastTrouble() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.trouble == nil {
		return "the server does not answer"
	}
	return Unreached(j.trouble)
}

// Leave ends the session and waits for that.
func (j *Session) Leave() {
	j.cancel()
	<-j.done
}

// Propose proposes the event that f makes, given the notebook as it is now, and waits
// until it is committed.
func (j *Session) Propose(ctx context.Context, f func(*notebook.Notebook) (event.Payload, error)) error {
	var id event.ID
	var stated event.Type
	err := j.With(func(r *replica.Replica) error {
		p, err := f(r.View())
		if err != nil {
			return err
		}
		if !r.Role().May(access.ActionFor(p)) {
			return Fail(Denied, "the role %s may not do this", r.Role())
		}
		if err := p.Check(); err != nil {
			return Fail(Usage, "%w", err)
		}
		stated = p.Type()
		id, _, err = r.Do(p)
		return err
	})
	if err == nil {
		err = j.Committed(ctx, id)
	}
	return inWords(err, stated)
}

// inWords returns an error without the name of the event that was stated, which no user has asked
// for. One that has a kind has the words already.
func inWords(err error, stated event.Type) error {
	var said *Error
	if err == nil || stated == "" || errors.As(err, &said) || errors.Is(err, context.Canceled) {
		return err
	}
	return Fail(Failed, "%s", strings.TrimPrefix(err.Error(), string(stated)+": "))
}

// Committed waits until events are committed. It gives up where [replica.Session.AwaitCommit] would
// not: a user waits for it, and should hear why.
func (j *Session) Committed(ctx context.Context, ids ...event.ID) error {
	short, cancel := context.WithTimeout(ctx, joinTime)
	defer cancel()
	short, giveUp := context.WithCancelCause(short)
	defer giveUp(nil)
	j.waits(giveUp)
	defer j.waits(nil)
	err := j.AwaitCommit(short, ids...)
	var unwritten *replica.UnwrittenError
	if err != nil && errors.As(context.Cause(short), &unwritten) {
		return Fail(Unavailable, "%w", unwritten)
	}
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return Fail(Unavailable, "it was not written: %s", j.lastTrouble())
	}
	return Refusal(err)
}

// Refusal gives the error with which a room ended a session its kind.
func Refusal(err error) error {
	var refused *replica.RefusedError
	if errors.As(err, &refused) {
		no := refused.Refusal
		kind := Failed
		if no.Code == protocol.CodeForbidden || no.Code == protocol.CodeNotFound {
			kind = Denied
		}
		return Fail(kind, "%s", strings.TrimPrefix(no.Message, string(no.Draft.Payload.Type())+": "))
	}
	var closed *protocol.Closed
	if !errors.As(err, &closed) {
		return err
	}
	switch closed.Code {
	case protocol.CodeForbidden, protocol.CodeNotFound, protocol.CodePurged:
		return Fail(Denied, "%w", err)
	case protocol.CodeInvalid:
		return Fail(Usage, "%w", err)
	case protocol.CodeUnavailable, protocol.CodeVersion:
		return Fail(Unavailable, "%w", err)
	}
	return err
}

// Copy returns the notebook as it is in the log.
func (j *Session) Copy() *notebook.Notebook {
	var n *notebook.Notebook
	_ = j.With(func(r *replica.Replica) error {
		n = r.Confirmed().Clone()
		return nil
	})
	return n
}
