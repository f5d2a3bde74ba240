package runtime

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/replica"
)

var (
	// errLate is the cause when a question is not answered in time.
	errLate = errors.New("no answer came in time")
	// errRunOver says that a question could not be asked, or was closed, as its run is over.
	errRunOver = fmt.Errorf("%w: the run is over", lang.ErrNoAnswer)
)

// question is a question of a program without an answer yet.
type question struct {
	given bool // a call has brought the secret
	value string
	ended bool // there will be no answer
}

// askFunc returns the function by which the program of a run asks, nil if no user can
// answer.
func (rt *Runtime) askFunc(ctx context.Context, run event.RunID, out *sink) lang.Ask {
	if rt.cfg.Unattended {
		return nil
	}
	return func(asking context.Context, q lang.Question) (string, error) {
		asking, cancel := context.WithCancelCause(asking)
		defer cancel(nil)
		stop := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
		defer stop()
		q.Prompt = valid(q.Prompt)
		text, err := rt.askUser(asking, run, out, q)
		out.Stream(lang.Stdout, echo(q, text, err))
		return text, err
	}
}

// askUser asks the users of the notebook a question, and waits for the answer.
func (rt *Runtime) askUser(ctx context.Context, run event.RunID, out *sink, q lang.Question) (string, error) {
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	id := rt.newInput()
	asked := &event.InputAsked{Input: id, Run: run, Epoch: rt.epoch, Prompt: q.Prompt, Secret: q.Secret}
	rt.expect(id)
	if err := out.appendAsked(asked); err != nil {
		rt.forget(id, false)
		return "", orElse(context.Cause(ctx), errRunOver)
	}
	limited, cancel := ctx, context.CancelFunc(func() {})
	if rt.cfg.InputTimeout > 0 {
		limited, cancel = context.WithTimeoutCause(ctx, rt.cfg.InputTimeout, errLate)
	}
	defer cancel()
	var text string
	var over, ended bool
	err := rt.session.Wait(limited, func(r *replica.Replica) (done bool) {
		text, done, over = rt.answerOf(r, id)
		ended = !done && !over && rt.questions[id].ended
		return done || over || ended
	})
	rt.forget(id, err != nil || ended)
	switch {
	case ended:
		return "", lang.ErrEnd
	case over:
		return "", errRunOver
	case err == nil:
		return text, nil
	case limited.Err() == nil:
		return "", errors.Join(lang.ErrNoAnswer, err) // the session has ended
	case ctx.Err() == nil:
		return "", fmt.Errorf("%w within %v", lang.ErrNoAnswer, rt.cfg.InputTimeout)
	}
	return "", context.Cause(ctx)
}

// appendAsked appends the output so far, and then the question.
func (s *sink) appendAsked(p *event.InputAsked) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done || s.isLate {
		return errRunOver
	}
	s.shaper.release(0)
	s.flushLocked()
	return s.shaper.emit(p)
}

// newInput returns a unique id: it begins with that of the client.
func (rt *Runtime) newInput() event.InputID {
	return event.InputID(string(rt.cfg.Client) + "-i" + strconv.FormatUint(rt.inputs.Add(1), 10))
}

// expect registers a question, since a call may bring its secret as soon as it is asked.
func (rt *Runtime) expect(id event.InputID) {
	_ = rt.session.With(func(*replica.Replica) error {
		rt.questions[id] = &question{}
		return nil
	})
}

// forget ends the wait for an answer, and closes the question if there was none.
func (rt *Runtime) forget(id event.InputID, unanswered bool) {
	_ = rt.session.With(func(r *replica.Replica) error {
		delete(rt.questions, id)
		if unanswered {
			// It is moot when the run is over, or an answer has just come.
			_, _ = rt.out.appendWith(r, &event.InputClosed{Input: id, Epoch: rt.epoch})
		}
		return nil
	})
}

// answerOf returns the answer to a question once there is one, or that the question was
// closed with its run. It reads the view, in which the question itself may be pending.
func (rt *Runtime) answerOf(r *replica.Replica, id event.InputID) (text string, answered, over bool) {
	if q := rt.questions[id]; q.given {
		return q.value, true, false
	}
	in := r.View().Input(id)
	if in == nil {
		return "", false, true
	}
	return line(in.Value), in.Answered, false
}

// line returns an answer without a line end.
func line(s string) string {
	return strings.TrimSuffix(strings.TrimSuffix(s, "\n"), "\r")
}

// echo returns the text that a terminal would show for a question and its answer. It becomes
// an output, since the program's own output has neither.
func echo(q lang.Question, text string, err error) string {
	switch {
	case err == nil && !q.Secret:
		return q.Prompt + strings.Map(typed, text) + "\n"
	case err == nil || q.Prompt != "":
		return q.Prompt + "\n"
	}
	return ""
}

// typed drops control characters: colours in an answer would continue in the next output
// of the program.
func typed(c rune) rune {
	if unicode.IsControl(c) && c != '\n' && c != '\t' {
		return -1
	}
	return c
}

// defaultInputTimeout leaves a user time to come back. Meanwhile the run blocks the queue,
// which every user can see and end.
const defaultInputTimeout = time.Hour
