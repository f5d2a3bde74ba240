package notebook

import (
	"encoding/json"
	"testing"

	"github.com/quirehq/quire/core/event"
)

func TestRN31TheFirstAnswerToAnApprovalCounts(t *testing.T) {
	ask := &event.ApprovalAsked{
		Approval: "p", Run: "r", Epoch: 1, Tool: "delete", Class: event.ToolEdits, Arguments: json.RawMessage(`{"cell":"a"}`),
	}
	sc := running(t, "a").add(ask)
	sc.moot(MootConflict, ask)
	sc.moot(MootNotFound, &event.ApprovalAnswered{Approval: "none", Answer: event.AnswerOnce})
	want := Approval{
		ID: "p", Run: "r", Tool: "delete", Class: event.ToolEdits, Arguments: json.RawMessage(`{"cell":"a"}`), Asked: 1006,
	}
	check(t, "approval", *sc.n.Approval("p"), want)
	sc.add(&event.ApprovalAnswered{Approval: "p", Answer: event.AnswerDenied})
	sc.moot(MootConflict, &event.ApprovalAnswered{Approval: "p", Answer: event.AnswerAlways})
	want.Answer, want.Actor = event.AnswerDenied, "person:ada"
	check(t, "approval", *sc.n.Approval("p"), want)
}

func TestRN31ApprovalsAreKeptAfterTheirRun(t *testing.T) {
	sc := running(t, "a").add(&event.ApprovalAsked{Approval: "p", Run: "r", Epoch: 1}, finished("r", 1, event.StatusOK))
	sc.add(&event.ApprovalAnswered{Approval: "p", Answer: event.AnswerAlways})
	check(t, "approvals", sc.n.Approvals(), []event.ApprovalID{"p"})
	check(t, "answer", sc.n.Approval("p").Answer, event.AnswerAlways)
}
