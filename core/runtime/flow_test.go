package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/replica"
)

func TestAG3ARuntimeThatIsStoppedBeforeItBeginsEndsAtOnce(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.crash() // there is no room that it could reach
		m := &made{}
		var err error
		if m.Runtime, err = New(Config{Dial: w.dial("runtime:rt", access.Owner), Engines: lang.NewSet(nil)}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(w.ctx)
		cancel()
		cancel() // stopping twice is stopping
		began := time.Now()
		if err := m.Run(ctx); err != nil {
			t.Errorf("got %v, want an orderly end", err)
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("took %v, want it to be at once", took)
		}
		if _, err := m.cfg.Engines.Get(w.ctx, "scripted", nil); err == nil {
			t.Error("the engines are open, want them closed")
		}
	})
}

func TestAG4ARuntimeAddsNothingToTheLogWhileItWaits(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.add("rt")
		before := len(w.events())
		time.Sleep(24 * time.Hour)
		if got := len(w.events()) - before; got != 0 {
			t.Errorf("got %d events in a day, want none", got)
		}
		same(t, w.run("print a"), []string{"stdout: a\n"})
	})
}

func TestAG5AThousandRunsGoInTheirOrder(t *testing.T) {
	const n = 1000
	inWorld(t, func(t *testing.T, w *world) {
		w.add("rt")
		cell := w.cell("print a")
		last := w.request(slices.Repeat([]event.CellID{cell}, n)...)[n-1]
		w.wantStatus(last, event.StatusOK)
		var order []event.RunID
		for _, e := range w.events() {
			if p, ok := e.Payload.(*event.RunFinished); ok {
				order = append(order, p.Run)
			}
		}
		if len(order) != n || !slices.IsSorted(order[:99]) || order[n-1] != last {
			t.Errorf("got %d runs finished, the last %v, want all in their order", len(order), order[len(order)-1:])
		}
		same(t, w.outputs(cell), []string{"stdout: a\n"})
	})
}

func TestAG6RuntimesThatComeAndGoLeaveNoRunInDoubt(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var ids []event.RunID
		for i := range 10 {
			ids = append(ids, w.request(w.cell("print a", "loop"), w.cell("print b"))...)
			name := fmt.Sprint("rt", i)
			w.add(name)
			w.until(name+" is the runtime", func(n *notebook.Notebook) bool {
				rt := n.Runtime(event.TakesCode)
				return rt != nil && rt.ID == event.RuntimeID(name)
			})
			if i%2 == 0 { // the others are displaced as they attach, take a run or execute it
				w.until(name+" executes something", executes)
			}
		}
		w.until("the last executes something", executes)
		w.do(&event.AllRunsCancelled{}) // it ends all runs that are not lost already
		for i := 0; i < len(ids); i += 2 {
			if status, _ := w.ended(ids[i]); status != event.StatusLost && status != event.StatusCancelled {
				t.Errorf("run %s: got %s, want it to be lost with its runtime, or cancelled", ids[i], status)
			}
			if w.hasStarted(ids[i]) {
				w.wantStatus(ids[i+1], event.StatusCancelled) // RN20
			} else if status, _ := w.ended(ids[i+1]); status == event.StatusError {
				t.Errorf("run %s: got %s, want it executed, lost or cancelled", ids[i+1], status)
			}
		}
		_ = w.person.With(func(r *replica.Replica) error {
			if queue := r.Confirmed().Queue(); len(queue) != 0 {
				t.Errorf("got %v in the queue, want nothing", queue)
			}
			return nil
		})
	})
}

// executes reports whether a run of the notebook is executing.
func executes(n *notebook.Notebook) bool {
	return slices.ContainsFunc(n.Queue(), func(id event.RunID) bool { return n.Run(id).State == notebook.RunStarted })
}

func TestAG7ASourceIsExecutedAsItIsWhateverItsCharacters(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.add("rt")
		const text = "π = 3.14 🌊 漢字 \u202eabc é e\u0301 </script> \\u0041"
		same(t, w.run("print "+text), []string{"stdout: " + text + "\n"})
	})
}

func TestAG8ARunGoesThroughAllItsStatesAndItsCellWithIt(t *testing.T) {
	for program, want := range map[string]string{
		"print a":             "pending assigned started finished:ok",
		"error ValueError no": "pending assigned started finished:error",
	} {
		inWorld(t, func(t *testing.T, w *world) {
			w.add("rt")
			cell := w.cell(program)
			id := w.request(cell)[0]
			w.state(id, notebook.RunFinished)
			var seen []string
			book := notebook.New()
			for _, e := range w.events() {
				if _, err := book.Apply(&e, nil); err != nil {
					t.Errorf("%s is moot: %v", e.Payload.Type(), err)
				}
				run := book.Run(id)
				if run == nil {
					continue
				}
				if c := book.Cell(cell); c.Run != id || run.Cell != cell {
					t.Errorf("after %s the cell has run %s", e.Payload.Type(), c.Run)
				}
				seen = append(seen, strings.TrimSuffix(string(run.State)+":"+string(run.Status), ":"))
			}
			if got := strings.Join(slices.Compact(seen), " "); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestAG9ARunGoesOnWhenTheDiskFails(t *testing.T) {
	for _, stored := range []bool{false, true} {
		inWorld(t, func(t *testing.T, w *world) {
			m := w.add("rt")
			cell := w.cell(append(printer(0, 1, "a"), append(printer(1, 100, "b"), printer(100, 200)...)...)...)
			id := w.request(cell)[0]
			w.printed(cell)
			for _, gate := range []string{"a", "b"} {
				w.log.Fail(errors.New("no space left"), stored)
				m.letGo(gate)
			}
			w.wantStatus(id, event.StatusOK)
			same(t, w.outputs(cell), []string{"stdout: " + numbers(200)})
		})
	}
}

func TestAG9ACellThatIsDeletedWhileItRunsKeepsItsOutputs(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		m := w.add("rt")
		cell := w.cell("print a", "wait go", "print b")
		id := w.request(cell)[0]
		w.printed(cell)
		w.do(&event.CellDeleted{Cell: cell})
		m.letGo("go")
		w.wantStatus(id, event.StatusOK)
		for range 20 {
			w.do(&event.CellRestored{Cell: cell}, &event.CellDeleted{Cell: cell})
		}
		w.do(&event.CellRestored{Cell: cell})
		same(t, w.outputs(cell), []string{"stdout: a\nb\n"})
	})
}

func TestAG25StreamsAreOutputsInTheOrderInWhichTheyWereWritten(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.add("rt")
		same(t, w.run("print a", "print b", "warn c", "print d", "display text/html <b>", "print e", "result f"), []string{
			"stdout: a\nb\n", "stderr: c\n", "stdout: d\n", `display: text/html "\u003cb\u003e"`, "stdout: e\n", `result 1: text/plain "f"`,
		})
	})
}

func TestAG27APictureStaysInlineWithItsMetadataAndItsText(t *testing.T) {
	d := newDesk(t, Limits{})
	data := map[string]json.RawMessage{
		"image/png":  json.RawMessage(`"iVBORw0KGgo="`),
		"text/plain": json.RawMessage(`"<Figure size 640x480>"`),
	}
	metadata := map[string]json.RawMessage{"image/png": json.RawMessage(`{"width":640,"height":480}`)}
	d.display(lang.Bundle{Data: data, Metadata: metadata}, "")
	got := d.stated[0].(*event.OutputAdded).Value
	if diff := cmp.Diff(event.Output{Kind: event.OutputDisplay, Data: data, Metadata: metadata}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAG31AClearOfAProgramIsSeenInItsPlace(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.add("rt")
		same(t, w.run("print a", "clear", "print b", "clear-wait", "warn c"), []string{"stderr: c\n"})
		same(t, w.run("print a", "clear-wait"), []string{"stdout: a\n"})
		same(t, w.run("print a", "clear"), nil)
	})
}
