package room_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room/roomtest"
)

func TestSY25AHelloNamesTheKindOfItsRuntime(t *testing.T) {
	for name, test := range map[string]struct {
		actor  event.Actor
		role   access.Role
		brings bool
		takes  event.Takes
		want   access.Role // empty to be refused
		code   protocol.Code
	}{
		"an owner, and no kind":             {"person:ada", access.Owner, false, "", access.Runtime, ""},
		"an owner, and code":                {"person:ada", access.Owner, false, event.TakesCode, access.Runtime, ""},
		"an owner, and ai":                  {"person:ada", access.Owner, false, event.TakesAI, access.Assistant, ""},
		"an owner, and none that there is":  {"person:ada", access.Owner, false, "robots", "", protocol.CodeInvalid},
		"an editor":                         {"key:ci", access.Editor, false, event.TakesAI, "", protocol.CodeForbidden},
		"an editor who may":                 {"key:ci", access.Editor, true, event.TakesAI, access.Assistant, ""},
		"the token of a runtime":            {"runtime:rt", access.Runtime, false, event.TakesCode, access.Runtime, ""},
		"the token of a runtime, for ai":    {"runtime:rt", access.Runtime, false, event.TakesAI, "", protocol.CodeForbidden},
		"the token of an assistant":         {"assistant:rt", access.Assistant, false, event.TakesAI, access.Assistant, ""},
		"the token of an assistant, alone":  {"assistant:rt", access.Assistant, false, "", "", protocol.CodeForbidden},
		"the token of another assistant":    {"assistant:other", access.Assistant, false, event.TakesAI, "", protocol.CodeForbidden},
		"an assistant's role, as a runtime": {"runtime:rt", access.Assistant, false, event.TakesAI, "", protocol.CodeForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			d := roomtest.NewSequencer(t, nil)
			connect := d.Connect
			if test.brings {
				connect = d.ConnectOwn
			}
			s := connect(test.actor, test.role, protocol.Hello{Client: "c", Runtime: "rt", Takes: test.takes})
			if test.want == "" {
				wantClosed(t, s, test.code)
				return
			}
			actor := event.Actor("runtime:rt")
			if test.want == access.Assistant {
				actor = "assistant:rt"
			}
			w := roomtest.Only[*protocol.Welcome](s.Take())
			if len(w) != 1 || w[0].Role != test.want || w[0].Actor != actor {
				t.Errorf("got %v, want a Welcome as %s with the role %s", w, actor, test.want)
			}
		})
	}
}

func TestSY25AStartIsOfTheKindOfItsConnection(t *testing.T) {
	for takes, other := range map[event.Takes]event.Takes{event.TakesAI: event.TakesCode, "": event.TakesAI} {
		d := roomtest.NewSequencer(t, nil)
		s := d.Connect("person:ada", access.Owner, protocol.Hello{Client: "c", Runtime: "rt", Takes: takes})
		s.Take()
		s.Push(&event.RuntimeStarted{Runtime: "rt", Takes: other})
		d.MustCommit()
		roomtest.WantCodes(t, s.Take(), protocol.CodeForbidden)
	}
}

// assistant seats an assistant that claims runs, in a notebook with an ai cell, a code cell and a code runtime.
func assistant(t *testing.T) (d *roomtest.Sequencer, ai *roomtest.Member, epoch event.Epoch) {
	t.Helper()
	d = roomtest.NewSequencer(t, nil)
	d.AddRuntime("rt")
	d.MustSubmit(&event.CellCreated{Cell: "prompt", Kind: event.KindAI, Order: "R"}, roomtest.NewCell("code"))
	ai, epoch = claimant(d, "ai", event.TakesAI)
	ai.Push(&event.RuntimeReady{Runtime: "ai", Epoch: epoch})
	d.MustSubmit(roomtest.Request("r1", "prompt"))
	ai.Take()
	return d, ai, epoch
}

func TestAC9AnAssistantStatesWhatARuntimeDoesOfItsOwnRuns(t *testing.T) {
	d, ai, epoch := assistant(t)
	before := d.Notebook().Seq()
	ai.Push(
		&event.RunStarted{Run: "r1", Epoch: epoch},
		&event.OutputAdded{Output: "o1", Run: "r1", Epoch: epoch, Value: event.Output{Kind: event.OutputMarkdown, Text: "an answer"}},
		&event.ApprovalAsked{Approval: "ok", Run: "r1", Epoch: epoch, Tool: "edit", Class: event.ToolEdits},
		roomtest.NewCell("by-ai"),
		roomtest.Insert("code", 0, 0, "x"),
		roomtest.Request("r2", "code"),
		&event.RunCancelled{Run: "r2"},
		&event.RunFinished{Run: "r1", Epoch: epoch, Status: event.StatusOK},
	)
	d.MustCommit()
	roomtest.WantCodes(t, ai.Take())
	for _, e := range d.Logged(before) {
		if e.Actor != "assistant:ai" {
			t.Errorf("%s: got the author %s, want the assistant", e.Payload.Type(), e.Actor)
		}
	}
	if got := d.Source("code"); got != "x" {
		t.Errorf("got the source %q, want its edit", got)
	}
	for name, p := range map[string]event.Payload{
		"approves itself":        &event.ApprovalAnswered{Approval: "ok", Answer: event.AnswerAlways},
		"renames the notebook":   &event.NotebookTitled{Title: "mine"},
		"stops the code runtime": &event.RuntimeStopped{Runtime: "rt", Epoch: 1, Reason: event.StopShutdown},
	} {
		ai.Push(p)
		d.MustCommit()
		if got := roomtest.Codes(ai.Take()); len(got) != 1 {
			t.Errorf("%s: got the refusals %v, want one", name, got)
		}
	}
	if rt := d.Notebook().Runtime(event.TakesCode); rt.State == notebook.RuntimeStopped {
		t.Error("the code runtime was stopped by the assistant")
	}
}

func TestSY80TheLeaseOfAnAssistantEndsItsOwnRunsAlone(t *testing.T) {
	d, ai, epoch := assistant(t)
	ai.Push(&event.RunStarted{Run: "r1", Epoch: epoch})
	d.MustCommit()
	left := event.Draft{ID: event.ID{Client: ai.Client, N: ai.N + 1}, Payload: &event.OutputAdded{
		Output: "o1", Run: "r1", Epoch: epoch, Value: event.Output{Kind: event.OutputMarkdown, Text: "half"},
	}}
	d.Spool = func(id event.RuntimeID) []event.Draft {
		if id != "ai" {
			return nil
		}
		return []event.Draft{left}
	}
	d.Leave(ai.Member)
	before := d.Notebook().Seq()
	d.Pass(grace)
	if diff := cmp.Diff([]event.Type{"OutputAdded", "RuntimeStopped"}, typesAfter(d, before)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := d.Logged(before)[0].Actor; got != "assistant:ai" {
		t.Errorf("got the author %s of what it had left, want the assistant", got)
	}
	if run := d.Notebook().Run("r1"); run.Status != event.StatusLost {
		t.Errorf("got the run %+v, want it lost", run)
	}
	if rt := d.Notebook().Runtime(event.TakesCode); rt.State == notebook.RuntimeStopped {
		t.Error("the code runtime was stopped with the assistant")
	}
}
