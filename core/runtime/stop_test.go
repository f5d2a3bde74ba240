package runtime

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

func TestAG11ARunThatIsCancelledBeforeItStartedIsNotExecuted(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		m := w.add("rt")
		first := w.request(w.cell("wait go"))[0]
		cell := w.cell("print never")
		second := w.request(cell)[0]
		w.state(first, notebook.RunStarted)
		w.do(&event.RunCancelled{Run: second})
		m.engine().Release("go")
		w.wantStatus(first, event.StatusOK)
		w.wantStatus(second, event.StatusCancelled)
		same(t, w.run("print b"), []string{"stdout: b\n"})
		same(t, w.outputs(cell), nil)
	})
}

func TestAG11ARunIsCancelledWhileItsEngineIsLoaded(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.add("rt")
		id := w.request(w.cellOf(event.KindCode, "loading", "print never"))[0]
		w.state(id, notebook.RunAssigned)
		w.do(&event.RunCancelled{Run: id})
		w.wantStatus(id, event.StatusCancelled)
		for _, e := range w.events() {
			if p, ok := e.Payload.(*event.RunStarted); ok {
				t.Errorf("run %s started", p.Run)
			}
		}
	})
}

func TestAG12ACancelIsHonouredInEveryStateOfARun(t *testing.T) {
	for appends := range 5 {
		inWorld(t, func(t *testing.T, w *world) {
			w.add("rt")
			var cancelled sync.Once
			id := event.RunID("r01")
			cancel := func() {
				w.all.Go(func() { _ = w.person.Do(w.ctx, &event.RunCancelled{Run: id}) })
			}
			cell, n := w.cell("print a", "loop"), 0
			w.slow = func() {
				if n++; n > appends {
					cancelled.Do(cancel)
				}
			}
			w.request(cell)
			time.Sleep(time.Second)
			cancelled.Do(cancel)
			w.wantStatus(id, event.StatusCancelled)
			same(t, w.run("print b"), []string{"stdout: b\n"})
		})
	}
}

func TestAG12ACancelledProgramIsStoppedAtOnceAndKeepsItsOutputs(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		m := w.add("rt")
		cell := w.cell("print a", "loop")
		id := w.request(cell)[0]
		w.printed(cell)
		began := time.Now()
		w.do(&event.RunCancelled{Run: id})
		w.wantStatus(id, event.StatusCancelled)
		if took := time.Since(began); took > 100*time.Millisecond {
			t.Errorf("took %v, want it to be at once", took)
		}
		same(t, w.outputs(cell), []string{"stdout: a\n", "error: Interrupt"})
		if m.count() != 1 {
			t.Errorf("got %d engines, want the first to live", m.count())
		}
	})
}

func TestAG12CancellingAllRunsEndsTheOneThatRunsAndThoseBehind(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.add("rt")
		ids := w.request(w.cell("loop"), w.cell("print a"), w.cell("print b"))
		w.state(ids[0], notebook.RunStarted)
		w.do(&event.AllRunsCancelled{})
		for _, id := range ids {
			w.wantStatus(id, event.StatusCancelled)
		}
		same(t, w.run("print c"), []string{"stdout: c\n"})
	})
}

func TestAG13AProgramThatDoesNotStopLosesItsEngine(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		m := w.add("rt")
		w.run("set x 1")
		cell := w.cell("print a", "stubborn")
		id := w.request(cell)[0]
		w.printed(cell)
		began := time.Now()
		w.do(&event.RunCancelled{Run: id})
		// The scripted engine ignores even that it is closed, so the test lets it go.
		time.Sleep(6 * time.Second)
		m.engine().Release("stubborn")
		status, reason := w.ended(id)
		if status != event.StatusCancelled || reason != "" && reason != reasonKilled {
			t.Errorf("got %s (%s)", status, reason)
		}
		if reason == reasonKilled {
			w.wantCause(id, event.CauseKilled)
		}
		if took := time.Since(began); took > 7*time.Second {
			t.Errorf("took %v, want the grace", took)
		}
		same(t, w.run("get x"), []string{`result 1: text/plain ""`})
		if m.count() != 2 {
			t.Errorf("got %d engines, want a new one", m.count())
		}
	})
}

func TestAG14ACancelNeverTouchesTheNextRun(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.add("rt")
		for range 20 {
			first := w.request(w.cell("loop"))[0]
			cell := w.cell("print next")
			second := w.request(cell)[0]
			w.state(first, notebook.RunStarted)
			w.do(&event.RunCancelled{Run: first})
			w.wantStatus(first, event.StatusCancelled)
			w.wantStatus(second, event.StatusOK)
			same(t, w.outputs(cell), []string{"stdout: next\n"})
		}
	})
}

func TestAG16AnEngineThatWasKilledIsToldFromOneThatDied(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.add("rt")
		id := w.request(w.cell("get-killed"))[0]
		w.wantStatus(id, event.StatusLost)
		w.wantCause(id, event.CauseKilled)
	})
}

func TestAG47ARunThatTookTooLongIsToldFromOneWhoseProgramRaisesThatError(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.add("rt", func(c *Config) { c.RunTimeout = time.Minute })
		slow, own := w.request(w.cell("loop"))[0], w.request(w.cell("error TimeoutError"))[0]
		w.wantStatus(slow, event.StatusError)
		w.wantCause(slow, event.CauseTimedOut)
		w.wantStatus(own, event.StatusError)
		w.wantCause(own, "")
	})
}

func TestAG15AnErrorStopsTheRestOfItsBatch(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.add("rt")
		bad := w.cell("print a", "error ValueError no")
		ids := w.request(bad, w.cell("print never"))
		other := w.request(w.cell("print other"))[0]
		w.wantStatus(ids[0], event.StatusError)
		w.wantStatus(ids[1], event.StatusCancelled)
		w.wantStatus(other, event.StatusOK)
		same(t, w.outputs(bad), []string{"stdout: a\n", "error: ValueError"})
	})
}

func TestAG15AnErrorThatTheRequestAllowsStopsNothing(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.add("rt")
		shown, raised := w.cell("fail KeyError k"), w.cell("error ValueError no")
		request := &event.RunRequested{Allow: []string{"KeyError", "ValueError"}}
		for i, cell := range []event.CellID{shown, raised, w.cell("error OtherError no"), w.cell("print never")} {
			request.Runs = append(request.Runs, event.RunOf{Run: event.RunID(fmt.Sprintf("allowed%d", i)), Cell: cell})
		}
		w.do(request)
		for i, want := range []event.RunStatus{event.StatusError, event.StatusError, event.StatusError, event.StatusCancelled} {
			w.wantStatus(request.Runs[i].Run, want)
		}
		same(t, w.outputs(raised), []string{"error: ValueError"})
	})
}

func TestAG19AProgramThatEndedItselfEndsItsBatchAndKeepsItsVariables(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		m := w.add("rt")
		ids := w.request(w.cell("set x 1", "exit", "print never"), w.cell("print never"))
		other := w.request(w.cell("get x"))[0]
		if status, reason := w.ended(ids[0]); status != event.StatusOK || reason != "the program ended itself" {
			t.Errorf("got %s (%s)", status, reason)
		}
		if status, reason := w.ended(ids[1]); status != event.StatusSkipped || reason != "the program ended at cell 1" {
			t.Errorf("got %s (%s)", status, reason)
		}
		w.wantCause(ids[0], event.CauseExited)
		w.wantCause(ids[1], event.CauseEarlierExited)
		w.wantStatus(other, event.StatusOK)
		w.wantCause(other, "")
		if m.count() != 1 {
			t.Errorf("got %d engines, want the one", m.count())
		}
	})
}

func TestAG19AProgramThatEndedItsEngineGetsANewOneForTheNextRun(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		m := w.add("rt")
		ids := w.request(w.cell("exit-gone"), w.cell("print never"))
		want := "the program ended itself; the variables of scripted are gone, and the next run starts it again"
		if status, reason := w.ended(ids[0]); status != event.StatusOK || reason != want {
			t.Errorf("got %s (%s)", status, reason)
		}
		w.wantCause(ids[0], event.CauseExitedGone)
		w.wantStatus(ids[1], event.StatusSkipped)
		same(t, w.run("print b"), []string{"stdout: b\n"})
		if m.count() != 2 {
			t.Errorf("got %d engines, want a new one", m.count())
		}
	})
}

func TestAG15AnErrorThatAProgramShowsStaysInItsPlaceAndFailsTheRun(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.add("rt")
		cell := w.cell("print a", "fail ValueError no", "print b", "fail KeyError k", "print c")
		ids := w.request(cell, w.cell("print never"))
		w.wantStatus(ids[0], event.StatusError)
		w.wantStatus(ids[1], event.StatusCancelled)
		same(t, w.outputs(cell), []string{"stdout: a\n", "error: ValueError", "stdout: b\n", "error: KeyError", "stdout: c\n"})
	})
}

func TestAG16ADeadEngineLosesTheRunAndIsReplaced(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		m := w.add("rt")
		cell := w.cell("print a", "die")
		id := w.request(cell)[0]
		status, reason := w.ended(id)
		if status != event.StatusLost || reason != "the engine died: it was told to. The variables of scripted are gone; the next run starts it again." {
			t.Errorf("got %s (%s)", status, reason)
		}
		w.wantCause(id, event.CauseEngineDied)
		same(t, w.outputs(cell), []string{"stdout: a\n", "error: " + EngineDied})
		same(t, w.run("print b"), []string{"stdout: b\n"})
		if m.count() != 2 {
			t.Errorf("got %d engines, want a new one", m.count())
		}
	})
}

func TestAG29WhatIsPrintedAfterAPersonClearedBeginsAnew(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		m := w.add("rt")
		cell := w.cell("print a", "wait one", "print b", "wait two", "print c")
		id := w.request(cell)[0]
		w.printed(cell)
		w.do(&event.CellOutputsCleared{Cells: []event.CellID{cell}})
		m.letGo("one")
		w.printed(cell)
		m.letGo("two")
		w.wantStatus(id, event.StatusOK)
		same(t, w.outputs(cell), []string{"stdout: b\nc\n"})
	})
}

// letGo lets the program go on when the runtime has seen all that the room told it.
func (m *made) letGo(gate string) {
	time.Sleep(time.Second)
	m.engine().Release(gate)
}
