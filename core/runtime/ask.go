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
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
)

var (
	// errLate is the cause of the end of a question that nobody answered in time.
	errLate = errors.New("nobody answered in time")
	// errRunOver says that a question could not be put, or is not waited for any more.
	errRunOver = fmt.Errorf("%w: the run is over", lang.ErrNoAnswer)
)

// question is one that a program has asked and that is not answered in the log.
type question struct {
	given bool // a call has brought a secret
	value string
	ended bool // there will be no answer
}

// askFunc returns how the program of a run asks, nil if nobody can be asked.
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

// askUser puts a question to whoever reads the notebook, and waits for the answer.
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

// newInput returns an id that no other input has, for the client's is its own.
func (rt *Runtime) newInput() event.InputID {
	return event.InputID(string(rt.cfg.Client) + "-i" + strconv.FormatUint(rt.inputs.Add(1), 10))
}

// expect prepares for a secret that a call may bring as soon as the question is put.
func (rt *Runtime) expect(id event.InputID) {
	_ = rt.session.With(func(*replica.Replica) error {
		rt.questions[id] = &question{}
		return nil
	})
}

// forget ends the wait for an answer, and tells everybody if there was none.
func (rt *Runtime) forget(id event.InputID, unanswered bool) {
	_ = rt.session.With(func(r *replica.Replica) error {
		delete(rt.questions, id)
		if unanswered {
			// It is moot when the run is over, or an answer came this very moment.
			_, _ = rt.out.appendWith(r, &event.InputClosed{Input: id, Epoch: rt.epoch})
		}
		return nil
	})
}

// answerOf returns the answer of a question once there is one, or that the question
// is gone with its run. Only the question itself may be pending in the view.
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

// giveSecret hands a secret to the program that asked for it, and states that it was
// answered, without the answer. So no log holds it. Or it says that there will be none.
func (rt *Runtime) giveSecret(s protocol.Secret) error {
	return rt.session.With(func(r *replica.Replica) error {
		in, q := r.View().Input(s.Input), rt.questions[s.Input]
		switch {
		case in == nil:
			return protocol.NewCallError(protocol.CodeNotFound, "no program waits for input %s", s.Input)
		case !in.Secret && !s.End:
			return protocol.NewCallError(protocol.CodeInvalid, "input %s is no secret: an InputAnswered answers it", s.Input)
		case !in.Open():
			return protocol.NewCallError(protocol.CodeConflict, "input %s is answered already, or not waited for any more", s.Input)
		case q == nil:
			return protocol.NewCallError(protocol.CodeNotFound, "input %s is not of this runtime", s.Input)
		}
		if s.End {
			q.ended = true
			return nil
		}
		if _, err := rt.out.appendWith(r, &event.InputClosed{Input: s.Input, Epoch: rt.epoch, Answered: true}); err != nil {
			return protocol.NewCallError(protocol.CodeConflict, "input %s is not waited for any more", s.Input)
		}
		q.given, q.value = true, line(s.Value)
		return nil
	})
}

// line returns an answer without the line end that it may have come with.
func line(s string) string {
	return strings.TrimSuffix(strings.TrimSuffix(s, "\n"), "\r")
}

// echo returns what a terminal would show of a question and its answer, so that the
// outputs tell later what was asked. The program's own output has none of it.
func echo(q lang.Question, text string, err error) string {
	switch {
	case err == nil && !q.Secret:
		return q.Prompt + strings.Map(typed, text) + "\n"
	case err == nil || q.Prompt != "":
		return q.Prompt + "\n"
	}
	return ""
}

// typed leaves out what would control a terminal: colours in an answer would go on in
// what the program prints next.
func typed(c rune) rune {
	if unicode.IsControl(c) && c != '\n' && c != '\t' {
		return -1
	}
	return c
}

// defaultInputTimeout leaves a person time to come back. The run holds up those
// behind it meanwhile, which everybody sees and can end.
const defaultInputTimeout = time.Hour
