package command_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/command"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/text"
)

// ofKinds is a notebook with a cell of each kind.
func ofKinds(p *peer) *peer {
	p.create("code", "markdown", "sql", "ai", "raw")
	for _, id := range p.view().Cells() {
		p.propose(&event.CellKindChanged{Cell: id, Kind: event.CellKind(id)})
	}
	return p
}

// queued returns the cells whose runs are not finished, in the order of the queue.
func (p *peer) queued() ids {
	var cells ids
	for _, id := range p.view().Queue() {
		if r := p.view().Run(id); !r.Cancelled {
			cells = append(cells, r.Cell)
		}
	}
	return cells
}

func (p *peer) wantQueued(want ...event.CellID) {
	p.t.Helper()
	if got := p.queued(); !slices.Equal(got, want) {
		p.t.Errorf("queue: got %v, want %v", got, want)
	}
}

func TestCellsAreRunInTheOrderInWhichTheyAreNamed(t *testing.T) {
	p := ofKinds(alone(t))
	done := p.do(&command.RunCells{Cells: ids{"sql", "markdown", "ai", "code", "sql"}, KeepGoing: true})
	p.wantQueued("sql", "ai", "code")
	if got := done.Result.Runs; !slices.Equal(got, p.view().Queue()) || len(done.IDs) != 1 {
		t.Errorf("got runs %v in %d events, want %v in 1", got, len(done.IDs), p.view().Queue())
	}
	if !p.view().Run(done.Result.Runs[0]).KeepGoing {
		t.Error("the batch ends with a failure, want it to keep going")
	}
}

func TestRunningAllLeavesOutWhatDoesNotRunOrRunsAlready(t *testing.T) {
	p := ofKinds(alone(t))
	p.create("late", "gone")
	p.do(&command.DeleteCells{Cells: ids{"gone"}}, &command.RunCells{Cells: ids{"sql", "gone"}}, &command.RunCells{})
	p.wantQueued("sql", "code", "late")
	if done := p.do(&command.RunCells{}); len(done.IDs) != 0 {
		t.Errorf("got events %v, want none to be left", done.IDs)
	}
}

func TestRunningAllObeysTheTagsOfJupyter(t *testing.T) {
	p := alone(t)
	p.create("fails", "skipped", "plain")
	p.propose(&event.CellMetadataSet{Cell: "fails", Key: "tags", Value: []byte(`["raises-exception"]`)})
	p.propose(&event.CellMetadataSet{Cell: "skipped", Key: "tags", Value: []byte(`["skip-execution"]`)})
	runs := p.do(&command.RunCells{}).Result.Runs
	p.wantQueued("fails", "plain")
	if !p.view().Run(runs[0]).MayFail || p.view().Run(runs[1]).MayFail {
		t.Error("the wrong run may fail")
	}
	p.do(&command.RunCells{Cells: ids{"skipped"}})
	p.wantQueued("fails", "plain", "skipped")
}

func TestRunningAPartObeysTheTagsOfJupyterAsRunningAllDoes(t *testing.T) {
	p := alone(t)
	p.create("above", "fails", "skipped", "plain")
	p.propose(&event.CellMetadataSet{Cell: "fails", Key: "tags", Value: []byte(`["raises-exception"]`)})
	p.propose(&event.CellMetadataSet{Cell: "skipped", Key: "tags", Value: []byte(`["skip-execution"]`)})
	runs := p.do(&command.RunCells{Cells: ids{"fails", "skipped", "plain"}, Range: true}).Result.Runs
	p.wantQueued("fails", "plain")
	if !p.view().Run(runs[0]).MayFail || p.view().Run(runs[1]).MayFail {
		t.Error("the wrong run may fail")
	}
	p.do(&command.RunCells{Cells: ids{"skipped"}, Range: true})
	p.wantQueued("fails", "plain")
}

func TestRunningAllRunsAICellsWhileAnAssistantIsThere(t *testing.T) {
	r := newRoom(t)
	p := ofKinds(r.join("ada", access.Editor))
	of := replica.NewRuntime("of-helps", "helps")
	of.Take(event.TakesAI)
	assistant := r.seat(of, access.Assistant)
	assistant.propose(&event.RuntimeStarted{Runtime: "helps", Takes: event.TakesAI})
	r.deliverAll()
	p.do(&command.RunCells{})
	p.wantQueued("code", "sql", "ai")
}

// seatRuntime connects a runtime to the room.
func (r *testRoom) seatRuntime(id event.RuntimeID) *peer {
	r.t.Helper()
	return r.seat(replica.NewRuntime("of-"+event.ClientID(id), id), access.Runtime)
}

func TestAFinishedCellIsRunAgain(t *testing.T) {
	p := alone(t)
	p.create("a")
	first := p.do(&command.RunCells{}).Result.Runs[0]
	p.do(&command.CancelRuns{})
	if got := p.view().Run(first).State; got != notebook.RunFinished {
		t.Fatalf("the run is %s, want it finished", got)
	}
	p.do(&command.RunCells{Cells: ids{"a"}})
	p.wantQueued("a")
}

func TestMoreCellsThanABatchHoldsAreSeveral(t *testing.T) {
	p := alone(t)
	var want ids
	for i := range event.MaxBatch + 1 {
		want = append(want, event.CellID(fmt.Sprint("c", i)))
	}
	p.create(want...)
	done := p.do(&command.RunCells{})
	if len(done.IDs) != 2 || len(done.Result.Runs) != len(want) {
		t.Errorf("got %d events and %d runs, want 2 and %d", len(done.IDs), len(done.Result.Runs), len(want))
	}
	p.wantQueued(want...)
}

func TestTheRunsOfCellsAreCancelled(t *testing.T) {
	p := alone(t)
	p.create("a", "b", "c")
	p.do(&command.RunCells{}, &command.CancelRuns{Cells: ids{"b"}})
	p.wantQueued("a", "c")
	if done := p.do(&command.CancelRuns{Cells: ids{"b"}}); len(done.IDs) != 0 {
		t.Errorf("got events %v for a cell without a run, want none", done.IDs)
	}
	p.do(&command.CancelRuns{})
	p.wantQueued()
	if done := p.do(&command.CancelRuns{}); len(done.IDs) != 0 {
		t.Errorf("got events %v without a run, want none", done.IDs)
	}
}

func TestARunThatIsMarkedAsCancelledIsNotCancelledAgain(t *testing.T) {
	r := newRoom(t)
	p := r.join("ada", access.Editor)
	p.create("a")
	robot := r.seatRuntime("py")
	robot.propose(&event.RuntimeStarted{Runtime: "py", Takes: event.TakesCode})
	r.deliverAll()
	run := p.do(&command.RunCells{}).Result.Runs[0]
	r.deliverAll()
	robot.propose(&event.RunAssigned{Run: run, Epoch: 1}, &event.RunStarted{Run: run, Epoch: 1})
	r.deliverAll()
	if done := p.do(&command.CancelRuns{}); len(done.IDs) != 1 || !p.view().Run(run).Cancelled {
		t.Errorf("got events %v, want the run to be marked", done.IDs)
	}
	for _, again := range []command.Command{&command.CancelRuns{}, &command.CancelRuns{Cells: ids{"a"}}, &command.RunCells{}} {
		if done := p.do(again); len(done.IDs) != 0 {
			t.Errorf("%T: got events %v, want none", again, done.IDs)
		}
	}
}

func TestAQuestionIsAnsweredUnlessItIsSecret(t *testing.T) {
	r := newRoom(t)
	p := r.join("ada", access.Runner)
	owner := r.join("eve", access.Owner)
	owner.create("a")
	robot := r.seatRuntime("py")
	robot.propose(&event.RuntimeStarted{Runtime: "py", Takes: event.TakesCode})
	r.deliverAll()
	run := p.do(&command.RunCells{}).Result.Runs[0]
	r.deliverAll()
	robot.propose(
		&event.RunAssigned{Run: run, Epoch: 1}, &event.RunStarted{Run: run, Epoch: 1},
		&event.InputAsked{Input: "name", Run: run, Epoch: 1}, &event.InputAsked{Input: "pin", Run: run, Epoch: 1, Secret: true},
	)
	r.deliverAll()
	p.do(&command.AnswerInput{Input: "name", Value: "Ada"})
	r.deliverAll()
	if got := r.Notebook().Input("name"); !got.Answered || got.Value != "Ada" {
		t.Errorf("got %+v, want the answer Ada", got)
	}
	_, err := p.Do(&command.AnswerInput{Input: "pin", Value: "1"})
	if err == nil || !strings.Contains(err.Error(), "input pin is secret") {
		t.Errorf("got %v, want an error", err)
	}
}

func TestOutputsAreClearedWhereThereAreAny(t *testing.T) {
	tests := []struct {
		name   string
		cells  ids
		events int
		want   string
	}{
		{"of one cell", ids{"a", "c"}, 1, "a \"a\"\nb \"b\" out \"b\" count 1\nc \"c\""},
		{"of all cells", nil, 2, "a \"a\"\nb \"b\"\nc \"c\""},
		{"of a cell without any", ids{"c"}, 0, "a \"a\" out \"a\" count 1\nb \"b\" out \"b\" count 1\nc \"c\""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := alone(t)
			p.create("a", "b", "c")
			for _, id := range (ids{"a", "b"}) {
				p.propose(&event.OutputsImported{Cell: id, Outputs: []event.Output{printed(string(id))}, Count: 1})
			}
			before := show(p.view())
			done := p.do(&command.ClearOutputs{Cells: test.cells})
			p.wantShown(test.want)
			if len(done.IDs) != test.events {
				t.Errorf("got %d events, want %d", len(done.IDs), test.events)
			}
			if test.events > 0 {
				p.do(&command.Undo{})
			}
			p.wantShown(before)
			p.do(&command.Redo{})
			p.wantShown(test.want)
		})
	}
}

func TestOutputsThatWereClearedComeBackWhateverWasDoneSince(t *testing.T) {
	p := alone(t)
	p.create("a", "b")
	p.propose(&event.OutputsImported{Cell: "a", Outputs: []event.Output{printed("old")}, Count: 1})
	p.do(&command.ClearOutputs{})
	p.types("b", text.Insert(1, "!"))
	p.do(&command.Undo{Outputs: true})
	p.wantShown("a \"a\" out \"old\" count 1\nb \"b!\"")
	p.do(&command.Undo{})
	p.wantShown("a \"a\" out \"old\" count 1\nb \"b\"")
}

func TestOutputsThatWereClearedDoNotComeBackOverANewRun(t *testing.T) {
	p := alone(t)
	p.create("a")
	p.propose(&event.OutputsImported{Cell: "a", Outputs: []event.Output{printed("old")}, Count: 1})
	p.do(&command.ClearOutputs{}, &command.RunCells{Cells: ids{"a"}})
	if p.CanUndo() {
		t.Error("the clearing can be undone after the cell was run again")
	}
}

func TestARoleMayDoWhatTheTableOfRolesSays(t *testing.T) {
	all := map[string]command.Command{
		"move":   &command.MoveCells{Cells: ids{"b"}, Before: "a"},
		"run":    &command.RunCells{},
		"rename": &command.SetTitle{Title: "U"},
	}
	tests := []struct {
		role access.Role
		may  []string
		says string
	}{
		{access.Viewer, nil, "a viewer may not"},
		{access.Runner, []string{"run"}, "a runner may not"},
		{access.Editor, []string{"run", "move"}, "an editor may not rename the notebook: ask its owner"},
		{access.Owner, []string{"run", "move", "rename"}, ""},
	}
	for _, test := range tests {
		r := newRoom(t)
		owner := r.join("eve", access.Owner)
		owner.create("a", "b")
		p := r.join("ada", test.role)
		r.deliverAll()
		for name, c := range all {
			_, err := p.Do(c)
			if got := err == nil; got != slices.Contains(test.may, name) {
				t.Errorf("%s: %s: got %v", test.role, name, err)
			}
			if err != nil && (!strings.Contains(err.Error(), test.says) || p.CanUndo() && len(test.may) < 2) {
				t.Errorf("%s: %s: got %v, want %q", test.role, name, err, test.says)
			}
		}
	}
}
