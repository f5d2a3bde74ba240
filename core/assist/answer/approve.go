package answer

import (
	"context"
	"fmt"
	"time"

	"github.com/quirehq/quire/core/assist"
	"github.com/quirehq/quire/core/assist/prompt"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/tool"
)

// verdict is whether a call may be made.
type verdict struct {
	allowed  bool
	reason   string           // for the model, if it is not allowed
	approval event.ApprovalID // the question, if a person was asked
}

// decide decides whether a call may be made, and asks a person if the policy says so. The error is that of ctx.
func (a *answer) decide(ctx context.Context, t tool.Tool, call assist.ToolCall) (verdict, error) {
	var rule Rule
	_ = a.cfg.Session.With(func(r *replica.Replica) error {
		rule = ruleFor(r.Confirmed(), t.Name, t.Class)
		return nil
	})
	switch rule {
	case Allow:
		return verdict{allowed: true}, nil
	case Deny:
		return verdict{reason: fmt.Sprintf("the policy of this notebook forbids tools of the class %s, such as %s. Do not try to reach the same by other tools; "+
			"tell the person what you would have done", t.Class, t.Name)}, nil
	}
	return a.askPerson(ctx, t, call)
}

// askPerson asks a person and waits for the answer, at most for the time of the configuration.
func (a *answer) askPerson(ctx context.Context, t tool.Tool, call assist.ToolCall) (verdict, error) {
	id := event.ApprovalID(a.cfg.NewID())
	asked := &event.ApprovalAsked{
		Approval: id, Run: a.run.ID, Epoch: a.run.Epoch, Tool: t.Name, Class: t.Class, Arguments: prompt.ArgumentsOf(call.Arguments),
		Diff: a.tools.Diff(t.Name, []byte(call.Arguments)), Wait: a.cfg.Wait.Milliseconds(),
	}
	if err := a.cfg.Session.Do(ctx, asked); err != nil {
		return verdict{reason: "no person could be asked: " + err.Error(), approval: id}, ctx.Err()
	}
	timed, stop := context.WithTimeout(ctx, a.cfg.Wait)
	defer stop()
	var answered notebook.Approval
	err := a.cfg.Session.Wait(timed, func(r *replica.Replica) bool {
		found := r.Confirmed().Approval(id)
		if found == nil || found.Answer == "" {
			return false
		}
		answered = *found
		return true
	})
	switch {
	case ctx.Err() != nil:
		return verdict{approval: id}, context.Cause(ctx)
	case err != nil:
		return verdict{approval: id, reason: fmt.Sprintf("no person approved it within %v, so it was not done", a.cfg.Wait.Round(time.Second))}, nil
	case answered.Answer == event.AnswerDenied:
		reason := "a person denied it"
		if answered.Reason != "" {
			reason += ": " + answered.Reason
		}
		return verdict{approval: id, reason: reason}, nil
	}
	return verdict{approval: id, allowed: true}, nil
}
