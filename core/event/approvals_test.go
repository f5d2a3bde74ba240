package event_test

import (
	"encoding/json"

	"github.com/quirehq/quire/core/event"
)

func assistantCases() []checkCase {
	asked := event.ApprovalAsked{Approval: "a1", Run: "r1", Epoch: 2, Tool: "edit_cell", Class: event.ToolEdits}
	with := func(change func(*event.ApprovalAsked)) *event.ApprovalAsked {
		e := asked
		change(&e)
		return &e
	}
	return []checkCase{
		{with(func(e *event.ApprovalAsked) { e.Arguments = json.RawMessage(`{"cell":"c1","n":[1,2]}`) }), ""},
		{with(func(e *event.ApprovalAsked) { e.Class = event.ToolOutside }), ""},
		{with(func(e *event.ApprovalAsked) { e.Approval = "" }), "approval is missing"},
		{with(func(e *event.ApprovalAsked) { e.Run = "" }), "run is missing"},
		{with(func(e *event.ApprovalAsked) { e.Epoch = 0 }), noEpoch},
		{with(func(e *event.ApprovalAsked) { e.Tool = "" }), "tool is missing"},
		{with(func(e *event.ApprovalAsked) { e.Class = "all" }), `class "all" is none of ["reads" "edits" "runs" "outside"]`},
		{with(func(e *event.ApprovalAsked) { e.Arguments = json.RawMessage(`{]`) }), "arguments is not valid JSON"},
		{with(func(e *event.ApprovalAsked) { e.Diff, e.Wait = "-a\n+b\n", 60_000 }), ""},
		{with(func(e *event.ApprovalAsked) { e.Wait = -1 }), "wait: want no negative number, got -1"},

		{&event.ApprovalAnswered{Approval: "a1", Answer: event.AnswerAlways}, ""},
		{&event.ApprovalAnswered{Approval: "a1", Answer: event.AnswerDenied, Reason: "use uv"}, ""},
		{&event.ApprovalAnswered{Approval: "a1", Answer: event.AnswerOnce, Reason: "why not"}, "reason: it is said of a denial, and this answer is once"},
		{&event.ApprovalAnswered{Answer: event.AnswerOnce}, "approval is missing"},
		{&event.ApprovalAnswered{Approval: "a1", Answer: "maybe"}, `answer "maybe" is none of ["once" "always" "denied"]`},
	}
}
