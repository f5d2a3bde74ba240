package runtime

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

// marked returns the outputs of a cell, each with how late it is.
func (w *world) marked(cell event.CellID) (lines []string) {
	w.t.Helper()
	synctest.Wait()
	plain := w.outputs(cell)
	w.until("there is a cell", func(n *notebook.Notebook) bool {
		for i, id := range n.Cell(cell).Outputs {
			line := plain[i]
			if o := n.Output(id); o.After != "" {
				line += "(earlier)"
			} else if o.Late {
				line += "(late)"
			}
			lines = append(lines, line)
		}
		return true
	})
	return lines
}

func TestAG80WhatComesAfterARunIsShownUnderItsCellAtOnce(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		m := w.add("rt")
		first, second := w.cell("print a"), w.cell("print b", "wait go", "print c")
		w.wantStatus(w.request(first)[0], event.StatusOK)
		m.engine().Late(1, "print late")
		time.Sleep(time.Second)
		same(t, w.marked(first), []string{"stdout: a\n", "stdout: late\n(late)"})

		run := w.request(second)[0]
		w.printed(second)
		m.engine().Late(1, "print beside")
		m.engine().Late(1, "display text/plain shown")
		time.Sleep(time.Second)
		same(t, w.marked(first), []string{"stdout: a\n", "stdout: late\nbeside\n(late)", "display: text/plain \"shown\"(late)"})
		m.engine().Release("go")
		w.wantStatus(run, event.StatusOK)
		same(t, w.marked(second), []string{"stdout: b\nc\n"})

		m.engine().Late(1, "clear-wait")
		m.engine().Late(1, "warn oh")
		time.Sleep(time.Second)
		same(t, w.marked(first), []string{"stderr: oh\n(late)"})
	})
}

func TestAG80WhatARunSaysWhenItsCellRunsAgainIsApartFromThat(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		m := w.add("rt")
		cell := w.cell("print a", "print b")
		w.wantStatus(w.request(cell)[0], event.StatusOK)
		m.engine().Late(1, "print late")
		time.Sleep(time.Second)
		w.wantStatus(w.request(cell)[0], event.StatusOK)
		m.engine().Late(1, "print later")
		m.engine().Late(2, "print late too")
		time.Sleep(time.Second)
		m.engine().Late(1, "print still")
		time.Sleep(time.Second)
		same(t, w.marked(cell), []string{"stdout: a\nb\n", "stdout: late too\n(late)", "stdout: later\nstill\n(earlier)"})
	})
}

func TestAG81LateTextWaitsForNobodyAndIsNotLost(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		s := newShelf()
		m := w.add("rt", withShelf(s, func(c *Config) { c.Limits.Pending = 64 << 10 }))
		cell := w.cell("print a")
		w.wantStatus(w.request(cell)[0], event.StatusOK)
		w.crash()
		var want strings.Builder
		for i := range 40_000 {
			line := fmt.Sprintf("line %d\n", i)
			want.WriteString(line)
			m.engine().Late(1, "print "+strings.TrimSpace(line)) // it would not return
		}
		w.start()
		time.Sleep(time.Minute)
		m.stop()
		if err := <-m.ended; err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if got := w.lateText(s, cell); got != "a\n"+want.String() {
			t.Errorf("got %d bytes, want %d", len(got), want.Len()+2)
		}
	})
}

// lateText returns all text of a cell, from artifacts where it is there.
func (w *world) lateText(s *shelf, cell event.CellID) (text string) {
	w.t.Helper()
	w.until("there is a cell", func(n *notebook.Notebook) bool {
		for _, id := range n.Cell(cell).Outputs {
			v := n.Output(id).Value()
			if a, ok := v.Artifacts["text/plain"]; ok {
				text += s.content[a.Hash]
			} else {
				text += v.Text
			}
		}
		return true
	})
	return text
}

func TestAG82WhatWasLateIsStatedBeforeTheRuntimeStops(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		m := w.add("rt")
		cell := w.cell("print a")
		w.wantStatus(w.request(cell)[0], event.StatusOK)
		time.Sleep(time.Second)
		m.engine().Late(1, "print b")
		m.engine().Late(1, "print c") // which waits for its time
		m.stop()
		if err := <-m.ended; err != nil {
			t.Error(err)
		}
		same(t, w.marked(cell), []string{"stdout: a\n", "stdout: b\nc\n(late)"})
	})
}

func TestAG82WhatAProgramSaysAsItIsClosedIsKeptWhenTheRuntimeWasIdle(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		m := w.add("rt", func(c *Config) { c.Idle = time.Hour })
		cell := w.cell("print a\nat-close b")
		w.wantStatus(w.request(cell)[0], event.StatusOK)
		rejoin := w.part("person:ada")
		if err := <-m.ended; err != nil {
			t.Error(err)
		}
		rejoin()
		w.until("what was said is here", func(n *notebook.Notebook) bool { return len(n.Cell(cell).Outputs) == 2 })
		same(t, w.marked(cell), []string{"stdout: a\n", "stdout: b\n(late)"})
		all := w.events()
		if stop, ok := all[len(all)-1].Payload.(*event.RuntimeStopped); !ok || stop.Reason != event.StopIdle {
			t.Errorf("got %v as the last event, want that it was idle", all[len(all)-1].Payload.Type())
		}
	})
}

func TestAG83ARunThatProducesTooMuchLateSaysSo(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		m := w.add("rt", func(c *Config) { c.Limits.RunOutput = 1000 })
		cell := w.cell("print a")
		w.wantStatus(w.request(cell)[0], event.StatusOK)
		for range 30 {
			m.engine().Late(1, "print "+strings.Repeat("x", 99))
			time.Sleep(time.Second)
		}
		got := w.marked(cell)
		if len(got) != 3 || !strings.HasPrefix(got[2], "error: OutputLimit") || !strings.HasSuffix(got[2], "(late)") {
			t.Errorf("got %q", got)
		}
		same(t, w.run("print b"), []string{"stdout: b\n"})
	})
}
