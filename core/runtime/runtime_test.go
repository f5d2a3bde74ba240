package runtime

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
)

func same(t *testing.T, got, want []string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAG1ARuntimeStartsAndIsReady(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.add("rt")
		same(t, w.types("runtime:rt"), []string{"RuntimeStarted", "RuntimeReady"})
		_ = w.person.With(func(r *replica.Replica) error {
			rt := r.Confirmed().Runtime(event.TakesCode)
			same(t, rt.Languages, []string{"scripted", "broken", "loading"})
			return nil
		})
	})
}

func TestAG1ARuntimeSaysAllThatIsWrongWithItsConfigAtOnce(t *testing.T) {
	_, err := New(Config{Client: event.ClientID(strings.Repeat("a", maxClient+1)), Runtime: "a b"})
	for _, want := range []string{"dial is missing", "engines are missing", "client is 43 bytes", "runtime"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want it to say %q", err, want)
		}
	}
}

func TestAG1NamesThatAreNotGivenAreNewEachTime(t *testing.T) {
	cfg := Config{
		Dial: func(context.Context) (protocol.Conn, error) { return nil, nil }, Engines: lang.NewSet(nil),
	}
	seen := map[string]bool{}
	for range 100 {
		a, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		seen[string(a.cfg.Client)], seen[string(a.cfg.Runtime)] = true, true
	}
	if len(seen) != 200 {
		t.Errorf("got %d names, want each of 200 to be new", len(seen))
	}
}

func TestAG2ADisplacedRuntimeStopsItsRunAndStatesNoMore(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		first := w.add("old")
		cell := w.cell("print a", "loop")
		id := w.request(cell)[0]
		w.printed(cell)
		second := w.add("new")
		if err := <-first.ended; !errors.Is(err, ErrDisplaced) {
			t.Errorf("got %v, want ErrDisplaced", err)
		}
		w.wantStatus(id, event.StatusLost)
		same(t, w.run("print b"), []string{"stdout: b\n"})
		if second.count() != 1 || first.count() != 1 {
			t.Errorf("got %d and %d engines, want one each", first.count(), second.count())
		}
	})
}

func TestAG2ARuntimeWhoseLeaseEndedDoesNotStartAgain(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		m := w.add("rt")
		cell := w.cell("print a", "loop")
		id := w.request(cell)[0]
		w.printed(cell)
		rejoin := w.part(m.actor)
		w.wantStatus(id, event.StatusLost)
		rejoin()
		if err := <-m.ended; !errors.Is(err, ErrStopped) || !strings.Contains(err.Error(), "too long") {
			t.Errorf("got %v, want ErrStopped with the room's words", err)
		}
		types := w.types(m.actor)
		if last := types[len(types)-1]; last != "OutputAdded" {
			t.Errorf("got %s from a runtime that was stopped", last)
		}
	})
}

func TestAG3ShuttingDownStopsTheRunAndTellsTheRoom(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		m := w.add("rt")
		cell := w.cell("print a", "loop")
		id := w.request(cell)[0]
		w.printed(cell)
		m.stop()
		if err := <-m.ended; err != nil {
			t.Errorf("got %v, want an orderly end", err)
		}
		w.wantStatus(id, event.StatusLost)
		same(t, w.outputs(cell), []string{"stdout: a\n", "error: Interrupt"})
		types := w.types(m.actor)
		same(t, types[len(types)-2:], []string{"RunFinished", "RuntimeStopped"})
		if err := m.Run(t.Context()); err == nil {
			t.Error("a runtime ran twice")
		}
	})
}

func TestAG3ShuttingDownWithoutTheRoomEndsInTime(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		m := w.add("rt")
		w.crash()
		began := time.Now()
		m.stop()
		if err := <-m.ended; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want to hear that the room was not told", err)
		}
		if took := time.Since(began); took > 6*time.Second {
			t.Errorf("took %v, want the grace", took)
		}
	})
}

func TestAG4ARuntimeThatNobodyUsesStops(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		m := w.add("rt", func(c *Config) { c.Idle = time.Hour })
		time.Sleep(3 * time.Hour)
		if got := w.run("print here"); len(got) != 1 {
			t.Fatalf("got %q, want the runtime to stay while somebody is here", got)
		}
		w.part("person:ada")
		began := time.Now()
		if err := <-m.ended; err != nil {
			t.Errorf("got %v, want an orderly end", err)
		}
		if took := time.Since(began); took < 59*time.Minute || took > 61*time.Minute {
			t.Errorf("stopped after %v, want an hour", took)
		}
		all := w.events()
		stop, ok := all[len(all)-1].Payload.(*event.RuntimeStopped)
		if !ok || stop.Reason != event.StopIdle {
			t.Errorf("got %v as the last event, want that it was idle", all[len(all)-1].Payload.Type())
		}
	})
}

func TestAG4ARunThatIsGivenAsTheRuntimeIsAboutToStopIsCarriedOut(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var slow atomic.Bool // so that the runtime hears of the run when it has said that it stops
		w.slow = func() {
			if slow.Load() {
				time.Sleep(2 * time.Second)
			}
		}
		m := w.add("rt", func(c *Config) { c.Idle = time.Hour })
		cell := w.cell("print in time")
		rejoin := w.part("person:ada")
		time.Sleep(time.Hour - time.Second)
		slow.Store(true)
		req := &event.RunRequested{Runs: []event.RunOf{{Run: "late", Cell: cell}}}
		if err := w.room.Submit(t.Context(), "person:ada", req); err != nil {
			t.Fatal(err)
		}
		slow.Store(false)
		rejoin()
		w.wantStatus("late", event.StatusOK)
		w.part("person:ada")
		if err := <-m.ended; err != nil {
			t.Errorf("got %v, want an orderly end an hour later", err)
		}
	})
}

func TestAG5RunsGoInTheOrderRequestedOneAtATime(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ai := w.cellOf(event.KindAI, "", "not for this runtime")
		var cells []event.CellID
		for i := range 20 {
			cells = append(cells, w.cell(fmt.Sprintf("print %d", i)))
		}
		w.request(ai)
		ids := w.request(cells...)
		w.add("rt")
		w.state(ids[19], notebook.RunFinished)
		open, at := event.RunID(""), 0
		for _, e := range w.events() {
			switch p := e.Payload.(type) {
			case *event.RunStarted:
				if open != "" || p.Run != ids[at] {
					t.Errorf("run %s started, %s is open, want %s next", p.Run, open, ids[at])
				}
				open = p.Run
			case *event.RunFinished:
				open, at = "", at+1
			}
		}
		if at != 20 {
			t.Errorf("got %d runs, want 20", at)
		}
	})
}

func TestAG6OfTwoRuntimesOneExecutesEachRun(t *testing.T) {
	for seed := range 10 {
		inWorld(t, func(t *testing.T, w *world) {
			first := w.add("old")
			var ids []event.RunID
			for i := range 10 {
				ids = append(ids, w.request(w.cell(fmt.Sprintf("print %d", i)))[0])
			}
			w.state(ids[seed], notebook.RunFinished)
			rejoin := w.part(first.actor)
			second := w.add("new")
			rejoin()
			w.state(ids[9], notebook.RunFinished)
			if err := <-first.ended; !errors.Is(err, ErrDisplaced) {
				t.Errorf("got %v, want ErrDisplaced", err)
			}
			starts := map[event.RunID]int{}
			for _, e := range w.events() {
				if p, ok := e.Payload.(*event.RunStarted); ok {
					starts[p.Run]++
				}
			}
			for _, id := range ids {
				if status, _ := w.ended(id); starts[id] > 1 || starts[id] == 0 && status != event.StatusLost {
					t.Errorf("run %s started %d times and is %s", id, starts[id], status)
				}
			}
			_ = second
		})
	}
}

func TestAG7ARunExecutesTheSourceThatWasThereWhenItWasRequested(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		m := w.add("rt")
		w.state(w.request(w.cell("wait go"))[0], notebook.RunStarted)
		cell := w.cell("print old")
		id := w.request(cell)[0]
		w.do(&event.CellDeleted{Cell: cell})
		w.state(id, notebook.RunPending)
		m.engine().Release("go")
		w.wantStatus(id, event.StatusOK)
		same(t, w.outputs(cell), []string{"stdout: old\n"})
	})
}

func TestAG8ARunFinishesAfterItsLastOutputWithItsCountAndTime(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		m := w.add("rt")
		same(t, w.run("print a", "result 1"), []string{"stdout: a\n", `result 1: text/plain "1"`})
		id := w.request(w.cell("wait go", "print b"))[0]
		w.state(id, notebook.RunStarted)
		time.Sleep(1500 * time.Millisecond)
		m.engine().Release("go")
		w.wantStatus(id, event.StatusOK)
		all := w.events()
		last, ok := all[len(all)-1].Payload.(*event.RunFinished)
		if !ok || last.Count != 2 || last.Took < 1500 || last.Took > 1600 {
			t.Errorf("got %+v at the end, want the second run's end after 1.5 s", all[len(all)-1].Payload)
		}
	})
}

func TestAG8EverybodySeesThatSomethingRuns(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		m := w.add("rt")
		busy := func(want bool) {
			t.Helper()
			err := w.person.Wait(w.ctx, func(r *replica.Replica) bool {
				peer, ok := r.Peers()["rt-client"]
				return ok && peer.Presence.Busy == want && peer.Presence.Name == "rt"
			})
			if err != nil {
				t.Error(err)
			}
		}
		busy(false)
		w.request(w.cell("wait go"))
		busy(true)
		w.cut(m.actor)
		synctest.Wait()
		time.Sleep(time.Second)
		busy(true)
		m.engine().Release("go")
		busy(false)
	})
}

func TestAG17AnEngineThatCannotBeLoadedIsAnErrorOfTheRun(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.add("rt")
		for language, want := range map[string]string{"broken": EngineNotReady, "cobol": NoEngine} {
			cell := w.cellOf(event.KindCode, language, "print a")
			id := w.request(cell)[0]
			w.wantStatus(id, event.StatusError)
			w.wantCause(id, event.CauseNotStarted)
			same(t, w.outputs(cell), []string{"error: " + want})
		}
		sql := w.cellOf(event.KindSQL, "", "select 1")
		w.wantStatus(w.request(sql)[0], event.StatusError)
		failed := w.errorOf(sql)
		if !strings.HasPrefix(failed.Message, "SQL cells cannot run here yet.") {
			t.Errorf("a query says %q", failed.Message)
		}
		same(t, w.run("print well"), []string{"stdout: well\n"})
	})
}
