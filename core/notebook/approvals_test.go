package notebook

import (
	"encoding/json"
	"testing"

	"github.com/quirehq/quire/core/event"
)

func TestRN30TheFirstAnswerToAnInputCounts(t *testing.T) {
	ask := &event.InputAsked{Input: "i", Run: "r", Epoch: 1, Prompt: "name?"}
	tl := running(t, "a").add(ask)
	tl.moot(MootConflict, ask)
	tl.moot(MootNotFound, &event.InputAnswered{Input: "none", Value: "x"})
	check(t, "input", *tl.n.Input("i"), Input{ID: "i", Run: "r", Prompt: "name?"})
	tl.add(&event.InputAnswered{Input: "i", Value: "ada"})
	tl.moot(MootConflict, &event.InputAnswered{Input: "i", Value: "bob"})
	check(t, "input", *tl.n.Input("i"), Input{ID: "i", Run: "r", Prompt: "name?", Answered: true, Value: "ada"})
	tl.moot(MootConflict, &event.InputClosed{Input: "i", Epoch: 1})
}

func TestRN32NoEventAnswersASecretInput(t *testing.T) {
	tl := running(t, "a").add(&event.InputAsked{Input: "i", Run: "r", Epoch: 1, Secret: true})
	for _, value := range []string{"hunter2", ""} {
		tl.moot(MootInvalid, &event.InputAnswered{Input: "i", Value: value})
	}
	check(t, "input", *tl.n.Input("i"), Input{ID: "i", Run: "r", Secret: true})
	if !tl.n.Input("i").Open() {
		t.Error("the input is not open, want it to wait for a call")
	}
}

func TestRN33AnInputIsClosedOnceByTheEpochThatHasItsRun(t *testing.T) {
	tl := running(t, "a").add(
		&event.InputAsked{Input: "i", Run: "r", Epoch: 1}, &event.InputAsked{Input: "s", Run: "r", Epoch: 1, Secret: true},
	)
	tl.moot(MootNotFound, &event.InputClosed{Input: "none", Epoch: 1})
	tl.moot(MootConflict, &event.InputClosed{Input: "i", Epoch: 2})
	tl.moot(MootInvalid, &event.InputClosed{Input: "i", Epoch: 1, Answered: true})
	tl.add(&event.InputClosed{Input: "i", Epoch: 1}, &event.InputClosed{Input: "s", Epoch: 1, Answered: true})
	check(t, "input", *tl.n.Input("i"), Input{ID: "i", Run: "r", Closed: true})
	check(t, "secret", *tl.n.Input("s"), Input{ID: "s", Run: "r", Secret: true, Answered: true, Closed: true})
	for _, id := range []event.InputID{"i", "s"} {
		if tl.n.Input(id).Open() {
			t.Errorf("input %s is open, want it closed", id)
		}
		tl.moot(MootConflict, &event.InputAnswered{Input: id, Value: "late"})
		tl.moot(MootConflict, &event.InputClosed{Input: id, Epoch: 1})
	}
}

func TestRN30InputsOfAFinishedRunAreForgotten(t *testing.T) {
	tl := running(t, "a", "b").add(&event.InputAsked{Input: "i", Run: "r", Epoch: 1}).rerun("s", "b")
	tl.add(&event.InputAsked{Input: "j", Run: "s", Epoch: 1}, finished("r", 1, event.StatusOK))
	check(t, "inputs", tl.n.Inputs(), []event.InputID{"j"})
	tl.moot(MootNotFound, &event.InputAnswered{Input: "i", Value: "late"})
}

func TestRN31TheFirstAnswerToAnApprovalCounts(t *testing.T) {
	ask := &event.ApprovalAsked{
		Approval: "p", Run: "r", Epoch: 1, Tool: "delete", Class: event.ToolEdits, Arguments: json.RawMessage(`{"cell":"a"}`),
	}
	tl := running(t, "a").add(ask)
	tl.moot(MootConflict, ask)
	tl.moot(MootNotFound, &event.ApprovalAnswered{Approval: "none", Answer: event.AnswerOnce})
	want := Approval{
		ID: "p", Run: "r", Tool: "delete", Class: event.ToolEdits, Arguments: json.RawMessage(`{"cell":"a"}`), Asked: 1006,
	}
	check(t, "approval", *tl.n.Approval("p"), want)
	tl.add(&event.ApprovalAnswered{Approval: "p", Answer: event.AnswerDenied})
	tl.moot(MootConflict, &event.ApprovalAnswered{Approval: "p", Answer: event.AnswerAlways})
	want.Answer, want.Actor = event.AnswerDenied, "person:ada"
	check(t, "approval", *tl.n.Approval("p"), want)
}

func TestRN31ApprovalsAreKeptAfterTheirRun(t *testing.T) {
	tl := running(t, "a").add(&event.ApprovalAsked{Approval: "p", Run: "r", Epoch: 1}, finished("r", 1, event.StatusOK))
	tl.add(&event.ApprovalAnswered{Approval: "p", Answer: event.AnswerAlways})
	check(t, "approvals", tl.n.Approvals(), []event.ApprovalID{"p"})
	check(t, "answer", tl.n.Approval("p").Answer, event.AnswerAlways)
}
