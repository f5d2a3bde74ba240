package notebook

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/text"
)

func TestRN1ARequestFixesWhatWillRun(t *testing.T) {
	sc := given(t,
		&event.CellCreated{Cell: "a", Kind: event.KindSQL, Language: "duckdb", Order: "R", Source: "select"},
		edited("a", 0, text.Insert(6, " 1")), createdAs("b", "S", event.KindAI),
		requested("r", "a", "s", "b"),
		edited("a", 1, text.Insert(0, "--")), &event.CellLanguageChanged{Cell: "a", Language: "sqlite"},
		&event.CellKindChanged{Cell: "a", Kind: event.KindAI},
	)
	r := sc.n.Run("r")
	check(t, "source", r.Source, "select 1")
	check(t, "revision", r.Rev, event.Rev(1))
	check(t, "language", r.Language, "duckdb")
	check(t, "taken by", r.Takes, event.TakesCode)
	check(t, "state", r.State, RunPending)
	check(t, "actor", r.Actor, event.Actor("person:ada"))
	check(t, "batch", r.Batch, event.ID{Client: "c", N: 4})
	check(t, "requested", r.Requested, event.Time(1004))
	check(t, "taken by, for the ai cell", sc.n.Run("s").Takes, event.TakesAI)
	check(t, "run of the cell", sc.n.Cell("a").Run, event.RunID("r"))
}

func TestRN2ARequestSkipsWhatCannotRun(t *testing.T) {
	sc := given(t,
		created("a", "R", ""), createdAs("m", "S", event.KindMarkdown), createdAs("w", "T", event.KindRaw),
		created("d", "U", ""), &event.CellDeleted{Cell: "d"},
		requested("old", "a"), requested("r1", "m", "r2", "w", "r3", "d", "r4", "none", "old", "a", "new", "a"),
	)
	check(t, "queue", sc.queue(), []event.RunID{"old", "new"})
	sc.moot(MootInvalid, requested("r1", "m"))
	sc.moot(MootInvalid, requested("r1", "w"))
	sc.moot(MootNotFound, requested("r1", "d"))
	sc.moot(MootNotFound, requested("r1", "none"))
	sc.moot(MootConflict, requested("old", "a"))
	sc.moot(MootInvalid, requested())
}

func TestRN3TheQueueIsInTheOrderRequested(t *testing.T) {
	sc := given(t, runtimeStarted("rt", event.TakesCode), created("a", "R", ""), created("b", "S", ""), created("c", "T", ""))
	sc.add(requested("r3", "c", "r1", "a"), requested("r2", "b"))
	check(t, "queue", sc.queue(), []event.RunID{"r3", "r1", "r2"})
	sc.add(assigned("r1", 1), finished("r1", 1, event.StatusOK))
	check(t, "queue without the one in the middle", sc.queue(), []event.RunID{"r3", "r2"})
	sc.add(requested("r4", "a"), cancelled("r3"))
	check(t, "queue", sc.queue(), []event.RunID{"r2", "r4"})
}

func TestRN4TheFirstAssignmentOfTheRightRuntimeWins(t *testing.T) {
	sc := given(t, created("a", "R", ""), requested("r", "a"))
	sc.moot(MootConflict, assigned("r", 1))
	sc.add(runtimeStarted("code", event.TakesCode), runtimeStarted("ai", event.TakesAI))
	sc.moot(MootConflict, assigned("r", 2))
	sc.moot(MootConflict, assigned("r", 3))
	sc.moot(MootNotFound, assigned("none", 1))
	sc.add(assigned("r", 1))
	sc.moot(MootConflict, assigned("r", 1))
	check(t, "state", sc.n.Run("r").State, RunAssigned)
	check(t, "epoch", sc.n.Run("r").Epoch, event.Epoch(1))
}

func TestRN4AStoppedRuntimeGetsNoRun(t *testing.T) {
	sc := given(t, created("a", "R", ""), requested("r", "a"), runtimeStarted("rt", event.TakesCode))
	sc.add(&event.RuntimeStopped{Runtime: "rt", Epoch: 1, Reason: event.StopIdle})
	sc.moot(MootConflict, assigned("r", 1))
}

func TestNB6StartingASecondRunOfACellWithStaleOutputsChangesTheCellAndTheRun(t *testing.T) {
	sc := stale(t).add(requested("u", "a"), assigned("u", 1), started("u", 1))
	check(t, "changes", sc.changes, []Change{{Table: TableCells, ID: "a"}, {Table: TableRuns, ID: "u"}})
}

func TestNB6StartingARunWhoseIDTheCellHasBegunBeforeChangesTheRunOnly(t *testing.T) {
	sc := reached(t, RunFinished)
	sc.add(requested("s", "a"), cancelled("s"), requested("r", "a"), assigned("r", 1), started("r", 1))
	check(t, "changes", sc.changes, []Change{{Table: TableRuns, ID: "r"}})
}

func TestRN6AFinishedRunTellsHowItWent(t *testing.T) {
	sc := running(t, "a").add(&event.RunFinished{
		Run: "r", Epoch: 1, Status: event.StatusError, Count: 3, Took: 12, Reason: "it broke",
	})
	got := *sc.n.Run("r")
	got.token = nil
	check(t, "run", fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", Run{
		ID: "r", Cell: "a", Batch: event.ID{Client: "c", N: 3}, Actor: "person:ada", Takes: event.TakesCode, State: RunFinished,
		Epoch: 1, Status: event.StatusError, Reason: "it broke", Count: 3, Took: 12, Requested: 1003, Started: 1005, Finished: 1006,
	}))
}

func TestRN6TheSourceOfAFinishedRunIsNotKept(t *testing.T) {
	sc := given(t, created("a", "R", "1+1"), requested("r", "a"), cancelled("r"))
	check(t, "source", sc.n.Run("r").Source, "")
}

// reached folds the events of a run r up to a state, assigned to epoch 1.
func reached(t *testing.T, s RunState) *scenario {
	t.Helper()
	sc := given(t, runtimeStarted("rt", event.TakesCode), created("a", "R", ""), requested("r", "a"))
	for _, next := range []struct {
		state RunState
		event event.Payload
	}{
		{RunPending, nil}, {RunAssigned, assigned("r", 1)}, {RunStarted, started("r", 1)}, {RunFinished, finished("r", 1, event.StatusOK)},
	} {
		if next.event != nil {
			sc.add(next.event)
		}
		if next.state == s {
			break
		}
	}
	check(t, "state", sc.n.Run("r").State, s)
	return sc
}

func TestRN5RN7EveryRunEventInEveryState(t *testing.T) {
	const moot RunState = ""
	type states = map[RunState]RunState
	held := func(p event.Payload) event.Payload { return p }
	input := held(&event.InputAsked{Input: "i", Run: "r", Epoch: 1})
	tests := []struct {
		name  string
		event event.Payload
		next  states // the state after the event, by the state before
	}{
		{"requested", requested("r", "a"), states{}},
		{"assigned", assigned("r", 1), states{RunPending: RunAssigned}},
		{"assigned to another epoch", assigned("r", 2), states{}},
		{"started", started("r", 1), states{RunAssigned: RunStarted}},
		{"started by another epoch", started("r", 2), states{}},
		{"finished ok", finished("r", 1, event.StatusOK), states{RunAssigned: RunFinished, RunStarted: RunFinished}},
		{"finished with an error", finished("r", 1, event.StatusError), states{RunAssigned: RunFinished, RunStarted: RunFinished}},
		{"finished as cancelled", finished("r", 1, event.StatusCancelled), states{RunAssigned: RunFinished, RunStarted: RunFinished}},
		{"finished as lost", finished("r", 1, event.StatusLost), states{RunAssigned: RunFinished, RunStarted: RunFinished}},
		{"finished by another epoch", finished("r", 2, event.StatusOK), states{}},
		{"finished by no epoch", finished("r", 0, event.StatusOK), states{}},
		{"cancelled", cancelled("r"), states{RunPending: RunFinished, RunAssigned: RunAssigned, RunStarted: RunStarted}},
		{"all cancelled", &event.AllRunsCancelled{}, states{RunPending: RunFinished, RunAssigned: RunAssigned, RunStarted: RunStarted}},
		{"input asked", input, states{RunStarted: RunStarted}},
		{"input asked by another epoch", &event.InputAsked{Input: "i", Run: "r", Epoch: 2}, states{}},
		{"approval asked", &event.ApprovalAsked{Approval: "p", Run: "r", Epoch: 1}, states{RunStarted: RunStarted}},
		{"approval asked by another epoch", &event.ApprovalAsked{Approval: "p", Run: "r", Epoch: 2}, states{}},
		{"output added", printed("o", "r", 1, ""), states{RunStarted: RunStarted}},
		{"output added by another epoch", printed("o", "r", 2, ""), states{}},
		{"output appended, of which there is none", appended("o", "r", 1, 0, "x"), states{}},
		{"display updated, of which there is none", &event.DisplayUpdated{DisplayID: "d", Run: "r", Epoch: 1}, states{}},
		{"outputs cleared", &event.OutputsCleared{Run: "r", Epoch: 1}, states{RunStarted: RunStarted}},
		{"outputs cleared by another epoch", &event.OutputsCleared{Run: "r", Epoch: 2}, states{}},
		{
			"runtime stopped", &event.RuntimeStopped{Runtime: "rt", Epoch: 1},
			states{RunPending: RunPending, RunAssigned: RunFinished, RunStarted: RunFinished, RunFinished: RunFinished},
		},
		{
			"runtime displaced", runtimeStarted("rt2", event.TakesCode),
			states{RunPending: RunPending, RunAssigned: RunFinished, RunStarted: RunFinished, RunFinished: RunFinished},
		},
		{
			"another kind of runtime started", runtimeStarted("ai", event.TakesAI),
			states{RunPending: RunPending, RunAssigned: RunAssigned, RunStarted: RunStarted, RunFinished: RunFinished},
		},
	}
	for _, from := range []RunState{RunPending, RunAssigned, RunStarted, RunFinished} {
		for _, tt := range tests {
			t.Run(fmt.Sprintf("%s/%s", from, tt.name), func(t *testing.T) {
				sc := reached(t, from)
				next := tt.next[from]
				if next == moot {
					sc.anyMoot(tt.event)
					return
				}
				sc.add(tt.event)
				check(t, "state", sc.n.Run("r").State, next)
				check(t, "is in the queue", len(sc.queue()) == 1, next != RunFinished)
			})
		}
	}
}

// anyMoot folds a payload that must be moot for any reason.
func (sc *scenario) anyMoot(p event.Payload) {
	sc.t.Helper()
	before := state(sc.t, sc.n)
	if _, err := sc.n.Apply(sc.event(p), nil); err == nil {
		sc.t.Errorf("apply %s %+v: got no error, want a moot event", p.Type(), p)
	}
	check(sc.t, "state after a moot event", state(sc.t, sc.n), before)
}

func TestRN7EveryEventOfARunThatIsNotKeptIsMoot(t *testing.T) {
	for _, p := range []event.Payload{
		assigned("x", 1), started("x", 1), finished("x", 1, event.StatusOK), cancelled("x"), printed("o", "x", 1, ""),
		appended("o", "x", 1, 0, ""), &event.DisplayUpdated{DisplayID: "d", Run: "x", Epoch: 1}, &event.OutputsCleared{Run: "x", Epoch: 1},
		&event.InputAsked{Input: "i", Run: "x", Epoch: 1}, &event.ApprovalAsked{Approval: "p", Run: "x", Epoch: 1},
	} {
		t.Run(string(p.Type()), func(t *testing.T) { running(t, "a").moot(MootNotFound, p) })
	}
}

func TestRN8ACellHasTheCountOfTheLastRunThatGaveOne(t *testing.T) {
	sc := running(t, "a").add(&event.RunFinished{Run: "r", Epoch: 1, Status: event.StatusOK, Count: 4})
	check(t, "count", sc.n.Cell("a").Count, 4)
	sc.add(requested("s", "a"), assigned("s", 1), finished("s", 1, event.StatusOK))
	check(t, "count after a run without one", sc.n.Cell("a").Count, 4)
}

func TestRN9TheQueueAndTheLatestRunOfEachCellAreKept(t *testing.T) {
	sc := running(t, "a", "b").add(requested("r2", "a"), requested("r3", "a"))
	kept := func() string {
		var ids []string
		for _, id := range []event.RunID{"r", "r2", "r3", "r4"} {
			if r := sc.n.Run(id); r != nil {
				ids = append(ids, string(r.ID)+" "+string(r.State))
			}
		}
		return strings.Join(ids, ", ")
	}
	check(t, "kept", kept(), "r started, r2 pending, r3 pending")
	sc.add(finished("r", 1, event.StatusOK))
	check(t, "kept after an earlier one finished", kept(), "r2 pending, r3 pending")
	sc.add(cancelled("r3"))
	check(t, "kept after the latest finished", kept(), "r2 pending, r3 finished")
	sc.add(requested("r4", "a"))
	check(t, "kept after a newer request", kept(), "r2 pending, r4 pending")
}

func TestRN10DeletingOrChangingACellTouchesNoRun(t *testing.T) {
	sc := running(t, "a", "b").add(requested("p", "a"))
	before := sc.n.Run("p")
	sc.add(&event.CellDeleted{Cell: "a"}, &event.CellKindChanged{Cell: "a", Kind: event.KindRaw})
	check(t, "queue", sc.queue(), []event.RunID{"r", "p"})
	check(t, "the pending run is the same", sc.n.Run("p") == before, true)
	sc.add(finished("r", 1, event.StatusOK), assigned("p", 1), started("p", 1), finished("p", 1, event.StatusOK))
	check(t, "queue after they ran", sc.queue(), []event.RunID{})
}

// batch returns a scenario with runs r1 to r4 of one request and s of another: r2 is started, r3 assigned, and the rest
// are pending.
func batch(t *testing.T, request *event.RunRequested) *scenario {
	t.Helper()
	sc := given(t, runtimeStarted("rt", event.TakesCode))
	for i, c := range []event.CellID{"a", "b", "c", "d", "e"} {
		sc.add(created(c, "R", strings.Repeat("x", i)))
	}
	return sc.add(request, requested("s", "e"), assigned("r2", 1), started("r2", 1), assigned("r3", 1))
}

func TestRN20ARunThatDidNotEndWellStopsWhatIsBehindItInItsBatch(t *testing.T) {
	request := func() *event.RunRequested { return requested("r1", "a", "r2", "b", "r3", "c", "r4", "d") }
	tests := []struct {
		name    string
		request *event.RunRequested
		status  event.RunStatus
		stops   bool
	}{
		{"an error", request(), event.StatusError, true},
		{"an error when asked to keep going", keepGoing(request()), event.StatusError, false},
		{"success", request(), event.StatusOK, false},
		{"a cancelled run", request(), event.StatusCancelled, true},
		{"a lost run", request(), event.StatusLost, true},
		{"a lost run when asked to keep going", keepGoing(request()), event.StatusLost, false},
		{"an error of a run that may fail", mayFail(request(), "r2"), event.StatusError, false},
		{"an error when another run may fail", mayFail(request(), "r1"), event.StatusError, true},
		{"the cancel of a run that may fail", mayFail(request(), "r2"), event.StatusCancelled, true},
		{"the loss of a run that may fail", mayFail(request(), "r2"), event.StatusLost, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sc := batch(t, tt.request).add(finished("r2", 1, tt.status))
			check(t, "state of the one before", sc.n.Run("r1").State, RunPending)
			check(t, "mark of the one that is assigned", sc.n.Run("r3").Cancelled, tt.stops)
			check(t, "state of the one that is assigned", sc.n.Run("r3").State, RunAssigned)
			check(t, "the pending one is finished", sc.n.Run("r4").State == RunFinished, tt.stops)
			check(t, "state of the other request", sc.n.Run("s").State, RunPending)
			if tt.stops {
				check(t, "status", sc.n.Run("r4").Status, event.StatusCancelled)
				check(t, "reason", sc.n.Run("r4").Reason, "an earlier run of the same request did not end well")
			}
		})
	}
}

func TestRN24AnErrorThatTheRequestAllowsStopsNothing(t *testing.T) {
	request := allow(requested("r1", "a", "r2", "b", "r3", "c", "r4", "d"), "ValueError")
	sc := batch(t, request)
	check(t, "what is allowed", sc.n.Run("r2").Allow, []string{"ValueError"})
	sc.add(&event.RunFinished{Run: "r2", Epoch: 1, Status: event.StatusError, Allowed: true})
	check(t, "the run may fail", sc.n.Run("r2").MayFail, true)
	check(t, "what is allowed afterwards", len(sc.n.Run("r2").Allow), 0)
	check(t, "mark of the one that is assigned", sc.n.Run("r3").Cancelled, false)
	check(t, "state of the pending one", sc.n.Run("r4").State, RunPending)
	sc.add(started("r3", 1), finished("r3", 1, event.StatusError))
	check(t, "status behind an error that is not allowed", sc.n.Run("r4").Status, event.StatusCancelled)
	check(t, "state of the other request", sc.n.Run("s").State, RunPending)
}

func TestRN23AProgramThatEndedItselfSkipsWhatIsBehindItInItsBatch(t *testing.T) {
	request := func() *event.RunRequested { return requested("r1", "a", "r2", "b", "r3", "c", "r4", "d") }
	for name, asked := range map[string]*event.RunRequested{
		"a request": request(), "one that keeps going": keepGoing(request()), "one that may fail": mayFail(request(), "r2"),
	} {
		t.Run(name, func(t *testing.T) {
			sc := batch(t, asked).add(&event.RunFinished{Run: "r2", Epoch: 1, Status: event.StatusOK, Exited: true})
			check(t, "the one that ended itself", sc.n.Run("r2").Exited, true)
			check(t, "its status", sc.n.Run("r2").Status, event.StatusOK)
			check(t, "state of the one before", sc.n.Run("r1").State, RunPending)
			check(t, "mark of the one that is assigned", sc.n.Run("r3").Cancelled, true)
			check(t, "status of the pending one", sc.n.Run("r4").Status, event.StatusSkipped)
			check(t, "reason of the pending one", sc.n.Run("r4").Reason, "the program ended at cell 2")
			check(t, "state of the other request", sc.n.Run("s").State, RunPending)
		})
	}
}

func TestRN23TheCellOfAProgramThatEndedItselfMayBeGone(t *testing.T) {
	sc := batch(t, requested("r1", "a", "r2", "b", "r3", "c", "r4", "d")).add(
		&event.CellDeleted{Cell: "b"}, &event.RunFinished{Run: "r2", Epoch: 1, Status: event.StatusOK, Exited: true})
	check(t, "reason", sc.n.Run("r4").Reason, "the program ended at a cell that is deleted")
}

func TestRN21CancellingEndsWhatIsPendingAndMarksWhatARuntimeHas(t *testing.T) {
	sc := batch(t, requested("r1", "a", "r2", "b", "r3", "c", "r4", "d"))
	sc.add(cancelled("r1"), cancelled("r2"), cancelled("r3"))
	check(t, "status of the pending one", sc.n.Run("r1").Status, event.StatusCancelled)
	check(t, "state of the started one", sc.n.Run("r2").State, RunStarted)
	check(t, "mark of the started one", sc.n.Run("r2").Cancelled, true)
	check(t, "state of the assigned one", sc.n.Run("r3").State, RunAssigned)
	before := state(t, sc.n)
	sc.add(cancelled("r2"))
	check(t, "state after cancelling again", state(t, sc.n), before)
	check(t, "changes of cancelling again", len(sc.changes), 0)
	sc.moot(MootConflict, cancelled("r1"))
	sc.add(finished("r2", 1, event.StatusOK))
	check(t, "status that the runtime gave", sc.n.Run("r2").Status, event.StatusOK)
}

func TestRN22CancellingAllCancelsEachOfTheQueue(t *testing.T) {
	sc := batch(t, requested("r1", "a", "r2", "b", "r3", "c", "r4", "d")).add(&event.AllRunsCancelled{})
	check(t, "queue", sc.queue(), []event.RunID{"r2", "r3"})
	check(t, "mark of the started one", sc.n.Run("r2").Cancelled, true)
	check(t, "mark of the assigned one", sc.n.Run("r3").Cancelled, true)
	for _, id := range []event.RunID{"r1", "r4", "s"} {
		check(t, "status of "+string(id), sc.n.Run(id).Status, event.StatusCancelled)
	}
	sc.add(finished("r2", 1, event.StatusCancelled), finished("r3", 1, event.StatusCancelled))
	sc.moot(MootConflict, &event.AllRunsCancelled{})
}

func TestRN25ASnapshotHasTheCausesOfEnds(t *testing.T) {
	ended := finished("r", 1, event.StatusLost)
	ended.Cause = event.CauseEngineDied
	sc := running(t, "a", "b").add(ended, requested("s", "b"), stopped("rt", 1))
	for _, n := range []*Notebook{sc.n, restored(t, sc.n)} {
		check(t, "cause of the run", n.Run("r").Cause, event.CauseEngineDied)
		check(t, "cause of the runtime", n.Runtime(event.TakesCode).Cause, event.CauseLease)
	}
}
