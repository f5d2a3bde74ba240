package notebook

import (
	"testing"

	"github.com/quirehq/quire/core/event"
)

func stopped(id event.RuntimeID, epoch event.Epoch) *event.RuntimeStopped {
	return &event.RuntimeStopped{Runtime: id, Epoch: epoch, Reason: event.StopLease}
}

func TestRT1EveryRuntimeGetsTheNextEpoch(t *testing.T) {
	sc := given(t)
	for i, p := range []*event.RuntimeStarted{
		runtimeStarted("a", event.TakesCode), runtimeStarted("b", event.TakesAI), runtimeStarted("c", event.TakesCode),
	} {
		sc.add(p)
		check(t, "epoch", sc.n.Runtime(p.Takes).Epoch, event.Epoch(i+1))
		check(t, "state", sc.n.Runtime(p.Takes).State, RuntimeStarting)
	}
	sc.add(stopped("c", 3), runtimeStarted("d", event.TakesCode))
	check(t, "epoch", sc.n.RuntimeByID("d").Epoch, event.Epoch(4))
}

// both returns a scenario with a runtime of each kind, each with a started run.
func both(t *testing.T) *scenario {
	t.Helper()
	return given(t, runtimeStarted("code", event.TakesCode), runtimeStarted("ai", event.TakesAI),
		created("a", "R", ""), createdAs("b", "S", event.KindAI), created("c", "T", ""), created("d", "U", ""),
		requested("r", "a", "s", "b", "assigned", "c"), requested("pending", "d"),
		assigned("r", 1), started("r", 1), assigned("s", 2), started("s", 2), assigned("assigned", 1))
}

func TestRT2ARuntimeDisplacesTheOneOfItsKind(t *testing.T) {
	sc := both(t).add(runtimeStarted("code2", event.TakesCode))
	check(t, "the earlier one is live", sc.n.RuntimeByID("code") != nil, false)
	check(t, "runtime", sc.n.Runtime(event.TakesCode).ID, event.RuntimeID("code2"))
	for _, id := range []event.RunID{"r", "assigned"} {
		check(t, "status", sc.n.Run(id).Status, event.StatusLost)
		check(t, "reason", sc.n.Run(id).Reason, "another runtime took its place")
	}
}

func TestRT3ARuntimeLeavesTheOtherKindAlone(t *testing.T) {
	sc := both(t).add(runtimeStarted("code2", event.TakesCode))
	check(t, "runtime", sc.n.Runtime(event.TakesAI).ID, event.RuntimeID("ai"))
	check(t, "state of its run", sc.n.Run("s").State, RunStarted)
}

func TestRT4ALiveRuntimeCannotStartAgain(t *testing.T) {
	sc := both(t)
	sc.moot(MootConflict, runtimeStarted("code", event.TakesCode))
	sc.moot(MootConflict, runtimeStarted("code", event.TakesAI))
	sc.add(stopped("code", 1), runtimeStarted("code", event.TakesCode))
	check(t, "epoch", sc.n.RuntimeByID("code").Epoch, event.Epoch(3))
}

func TestRT5ARuntimeBecomesReady(t *testing.T) {
	sc := both(t).add(&event.RuntimeReady{Runtime: "ai", Epoch: 2})
	check(t, "state", sc.n.Runtime(event.TakesAI).State, RuntimeReady)
	check(t, "state of the other", sc.n.Runtime(event.TakesCode).State, RuntimeStarting)
}

func TestRT6ARuntimeThatStopsLosesItsRuns(t *testing.T) {
	sc := both(t).add(&event.RuntimeStopped{Runtime: "code", Epoch: 1, Reason: event.StopFailed, Detail: "out of memory"})
	rt := sc.n.Runtime(event.TakesCode)
	check(t, "state", rt.State, RuntimeStopped)
	check(t, "reason", rt.Reason, event.StopFailed)
	check(t, "detail", rt.Detail, "out of memory")
	check(t, "stopped", rt.Stopped, event.Time(1014))
	check(t, "status", sc.n.Run("r").Status, event.StatusLost)
	check(t, "reason of the run", sc.n.Run("r").Reason, "out of memory")
	check(t, "state of the other kind's", sc.n.Run("s").State, RunStarted)
	sc.add(stopped("ai", 2))
	check(t, "reason without a detail", sc.n.Run("s").Reason, "the runtime stopped (lease)")
}

func TestRT7WhatAnOldRuntimeStatesIsMoot(t *testing.T) {
	for name, end := range map[string]event.Payload{
		"stopped": stopped("code", 1), "displaced": runtimeStarted("code2", event.TakesCode),
	} {
		t.Run(name, func(t *testing.T) {
			sc := both(t).add(end)
			sc.moot(MootNotFound, &event.RuntimeReady{Runtime: "code", Epoch: 1})
			sc.moot(MootNotFound, stopped("code", 1))
			sc.moot(MootConflict, assigned("pending", 1))
			sc.moot(MootConflict, started("assigned", 1))
			sc.moot(MootConflict, printed("o", "r", 1, "late"))
			sc.moot(MootConflict, finished("r", 1, event.StatusOK))
		})
	}
}

func TestRT7AnotherEpochThanItsOwnIsMoot(t *testing.T) {
	sc := both(t)
	sc.moot(MootConflict, &event.RuntimeReady{Runtime: "code", Epoch: 2})
	sc.moot(MootConflict, stopped("code", 2))
	sc.moot(MootNotFound, stopped("none", 1))
}

func TestRT8PendingRunsWaitForTheNextRuntime(t *testing.T) {
	sc := both(t).add(stopped("code", 1))
	check(t, "queue", sc.queue(), []event.RunID{"s", "pending"})
	sc.add(runtimeStarted("code2", event.TakesCode), assigned("pending", 3))
	check(t, "epoch", sc.n.Run("pending").Epoch, event.Epoch(3))
}

func TestRT8PendingRunsOfItsKindAreLostWhenARuntimeFailed(t *testing.T) {
	sc := both(t).add(&event.RuntimeStopped{Runtime: "code", Epoch: 1, Reason: event.StopFailed, Detail: "there is no python3"})
	check(t, "queue", sc.queue(), []event.RunID{"s"})
	check(t, "status", sc.n.Run("pending").Status, event.StatusLost)
	check(t, "reason", sc.n.Run("pending").Reason, "there is no python3")
}

func TestRT9ARuntimeThatStoppedHasTheReasonForACauseOrAMoreExactOne(t *testing.T) {
	for _, c := range []struct{ given, want event.Cause }{{"", event.CauseLease}, {event.CauseDied, event.CauseDied}} {
		stop := stopped("code", 1)
		stop.Cause = c.given
		sc := both(t).add(stop)
		check(t, "cause of the runtime", sc.n.Runtime(event.TakesCode).Cause, c.want)
		check(t, "cause of its run", sc.n.Run("r").Cause, c.want)
		check(t, "cause of the other's run", sc.n.Run("s").Cause, event.Cause(""))
	}
}
