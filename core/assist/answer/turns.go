package answer

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/quirehq/quire/core/assist"
	"github.com/quirehq/quire/core/assist/approval"
	"github.com/quirehq/quire/core/assist/transcript"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/tool"
)

// answer is the work on one prompt.
type answer struct {
	cfg   *Config
	run   notebook.Run
	tools *tool.Set
	show  *transcript.Writer
	model assist.Model
}

// loop asks the model until it calls no tool any more.
func (a *answer) loop(ctx context.Context, req assist.Request, most int) error {
	var used transcript.Usage
	defer func() { a.show.Usage(used) }()
	for turn := 1; ; turn++ {
		a.show.Begin(turn)
		said, err := a.ask(ctx, req, &used)
		used.Turns = turn
		if err != nil {
			return err
		}
		calls := said.Whole()
		said.Calls = calls
		switch {
		case used.Stop == assist.StopLength && len(calls) == 0:
			a.show.Notice("The answer was cut off, because it is as long as an answer may be. Ask for the rest, or set `maxTokens`.")
			return nil
		case used.Stop == assist.StopRefused:
			a.show.Notice("The service of the model withheld the rest of the answer.")
			return nil
		case len(calls) == 0:
			return nil
		case turn == most:
			a.show.Notice(fmt.Sprintf("Stopped after %d requests to the model, which is the maximum for one prompt (`maxTurns`). Its last tool calls were not carried out. "+
				"Ask it to go on, or set a higher maximum.", most))
			for i := range calls {
				a.show.Call(&calls[i], "")
			}
			return nil
		}
		req.Messages = append(req.Messages, said)
		for i := range calls {
			result, err := a.carryOut(ctx, &calls[i])
			if err != nil {
				return err
			}
			req.Messages = append(req.Messages, result)
		}
	}
}

// ask asks the model once, and shows its answer as it comes.
func (a *answer) ask(ctx context.Context, req assist.Request, used *transcript.Usage) (said assist.Message, err error) {
	said.Role = assist.RoleAssistant
	var cost assist.Usage
	var failed error
	for chunk, err := range a.model.Answer(ctx, req) {
		if err != nil {
			failed = err
			break
		}
		if failed = said.Join(chunk); failed != nil {
			break
		}
		if ctx.Err() != nil {
			break
		}
		a.show.Chunk(chunk, &said)
		if chunk.Usage != nil {
			cost = *chunk.Usage
		}
		if chunk.Stop != "" {
			used.Stop = chunk.Stop
		}
	}
	a.show.EndThinking(&said)
	used.Input, used.Cached, used.Output = used.Input+cost.Input, used.Cached+cost.Cached, used.Output+cost.Output
	if ctx.Err() != nil {
		return said, context.Cause(ctx)
	}
	return said, failed
}

// carryOut makes a tool call, if it may be made, and returns the message that tells the model its result.
func (a *answer) carryOut(ctx context.Context, call *assist.ToolCall) (assist.Message, error) {
	call.ID = cmp.Or(call.ID, a.cfg.NewID())
	known, _ := tool.ByName(call.Name)
	a.show.Call(call, known.Class)
	result, approval, err := a.result(ctx, known, *call)
	if err != nil {
		return assist.Message{}, err
	}
	a.show.Result(transcript.Result{
		ID: call.ID, Tool: call.Name, Text: result.Text, Failed: result.Failed, Images: len(result.Images), Approval: approval,
	})
	return assist.Message{Role: assist.RoleTool, CallID: call.ID, Text: result.Text, Images: result.Images, Failed: result.Failed}, nil
}

func (a *answer) result(ctx context.Context, known tool.Tool, call assist.ToolCall) (tool.Result, event.ApprovalID, error) {
	if err := tool.Check(call.Name, []byte(call.Arguments)); err != nil {
		return tool.Result{Text: err.Error(), Failed: true}, "", nil
	}
	v, err := a.decide(ctx, known, call)
	switch {
	case err != nil:
		return tool.Result{}, v.approval, err
	case !v.allowed:
		return tool.Result{Text: v.reason, Failed: true}, v.approval, nil
	}
	result, err := a.tools.Call(ctx, call.Name, []byte(call.Arguments))
	return result, v.approval, err
}

// verdict is whether a call may be made.
type verdict struct {
	allowed  bool
	reason   string           // for the model, if it is not allowed
	approval event.ApprovalID // the question, if a person was asked
}

// decide decides whether a call may be made, and asks a person if the policy says so. The error is that of ctx.
func (a *answer) decide(ctx context.Context, t tool.Tool, call assist.ToolCall) (verdict, error) {
	var rule approval.Rule
	_ = a.cfg.Session.With(func(r *replica.Replica) error {
		rule = approval.RuleFor(r.Confirmed(), t.Name, t.Class)
		return nil
	})
	switch rule {
	case approval.Allow:
		return verdict{allowed: true}, nil
	case approval.Deny:
		return verdict{reason: fmt.Sprintf("the policy of this notebook forbids tools of the class %s, such as %s. Do not try to reach the same by other tools; "+
			"tell the person what you would have done", t.Class, t.Name)}, nil
	}
	return a.askPerson(ctx, t, call)
}

// askPerson asks a person and waits for the answer, at most for the time of the configuration.
func (a *answer) askPerson(ctx context.Context, t tool.Tool, call assist.ToolCall) (verdict, error) {
	id := event.ApprovalID(a.cfg.NewID())
	asked := &event.ApprovalAsked{
		Approval: id, Run: a.run.ID, Epoch: a.run.Epoch, Tool: t.Name, Class: t.Class, Arguments: transcript.ArgumentsOf(call.Arguments),
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
