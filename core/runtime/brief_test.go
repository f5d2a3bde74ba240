package runtime

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/replica"
)

func TestAG5ARunIsGivenToTheRuntimeWithItsRequest(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.add("rt")
		first, second := w.cell("print a"), w.cell("print b")
		w.request(first, second)
		w.until("both have run", func(n *notebook.Notebook) bool { return len(n.Queue()) == 0 })
		var order []string
		for _, e := range w.events() {
			switch e.Payload.(type) {
			case *event.RunRequested, *event.RunAssigned, *event.RunFinished:
				order = append(order, string(e.Payload.Type())+" by "+string(e.Actor))
			}
		}
		same(t, order, []string{
			"RunRequested by person:ada", "RunAssigned by room:room",
			"RunFinished by runtime:rt", "RunAssigned by room:room", "RunFinished by runtime:rt",
		})
	})
}

// appends returns how often the room has stored something by the end of f.
func (w *world) appends(f func()) int {
	n := 0
	synctest.Wait()
	w.slow = func() { n++ }
	f()
	synctest.Wait()
	w.slow = nil
	return n
}

func TestAG18AShortRunIsTwoCommits(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.add("rt")
		w.run("print the engine is loaded")
		cell := w.cell("result 1")
		n := w.appends(func() { w.wantStatus(w.request(cell)[0], event.StatusOK) })
		if n != 2 {
			t.Errorf("got %d commits, want the request's and the run's", n)
		}
		same(t, w.outputs(cell), []string{`result 2: text/plain "1"`})
	})
}

func TestAG18EverybodyHearsInTimeThatALongRunHasStarted(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		m := w.add("rt")
		w.run("print the engine is loaded")
		cell := w.cell("wait go", "print a")
		began := time.Now()
		id := w.request(cell)[0]
		w.state(id, notebook.RunStarted)
		if took := time.Since(began); took > noticeable {
			t.Errorf("heard after %v, want it within %v", took, noticeable)
		}
		m.engine().Release("go")
		w.wantStatus(id, event.StatusOK)
	})
}

func TestAG8AShortRunMakesNobodyBusy(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.add("rt")
		w.run("print the engine is loaded")
		busy := false
		watching := make(chan struct{})
		w.all.Go(func() {
			defer close(watching)
			_ = w.person.Wait(w.ctx, func(r *replica.Replica) bool {
				busy = busy || r.Peers()["rt-client"].Presence.Busy
				return r.Confirmed().Title() == "done"
			})
		})
		for range 10 {
			w.run("print a")
			time.Sleep(time.Second)
		}
		w.do(&event.NotebookTitled{Title: "done"})
		<-watching
		if busy {
			t.Error("got that the runtime is busy, want it not to be worth a word")
		}
	})
}
