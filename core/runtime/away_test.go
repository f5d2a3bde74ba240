package runtime

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
	"github.com/quirehq/quire/core/replica"
)

// printer is a program that prints numbers, one a line, and waits after some.
func printer(from, to int, waits ...string) []string {
	var lines []string
	for i := from; i < to; i++ {
		lines = append(lines, fmt.Sprintf("print %d", i))
		if i-from < len(waits) {
			lines = append(lines, "wait "+waits[i-from])
		}
	}
	return lines
}

func numbers(n int) string {
	var all strings.Builder
	for i := range n {
		fmt.Fprintln(&all, i)
	}
	return all.String()
}

func TestAG9ARunGoesOnWhileTheRuntimeIsCutOff(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		m := w.add("rt")
		lines := append(printer(0, 1, "a"), append(printer(1, 101, "b"), printer(101, 200, "c")...)...)
		cell := w.cell(lines...)
		id := w.request(cell)[0]
		w.printed(cell)
		for _, gate := range []string{"a", "b"} {
			rejoin := w.part(m.actor)
			m.engine().Release(gate)
			time.Sleep(5 * time.Second)
			rejoin()
			time.Sleep(5 * time.Second)
		}
		w.cut(m.actor)
		m.engine().Release("c")
		w.wantStatus(id, event.StatusOK)
		same(t, w.outputs(cell), []string{"stdout: " + numbers(200)})
		types := w.types(m.actor)
		if last := types[len(types)-1]; last != "RunFinished" {
			t.Errorf("got %s last, want RunFinished", last)
		}
	})
}

func TestAG9ARunOutlivesTheServer(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		m := w.add("rt")
		cell := w.cell(append(printer(0, 1, "a"), printer(1, 300, "b")...)...)
		id := w.request(cell)[0]
		w.printed(cell)
		m.engine().Release("a")
		w.crash()
		m.engine().Release("b")
		time.Sleep(10 * time.Minute)
		w.start()
		w.wantStatus(id, event.StatusOK)
		same(t, w.outputs(cell), []string{"stdout: " + numbers(300)})
		same(t, w.run("print again"), []string{"stdout: again\n"})
		if m.count() != 1 {
			t.Errorf("got %d engines, want the first to live", m.count())
		}
	})
}

func TestAG9EventsArriveOnceHoweverOftenTheConnectionBreaks(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		m := w.add("rt")
		var lines []string
		for i := range 200 {
			lines = append(lines, fmt.Sprintf("print %d", i), fmt.Sprintf("display text/plain %d", i))
		}
		cell := w.cell(lines...)
		w.slow = func() {
			w.slow = nil
			w.cut(m.actor)
		}
		id := w.request(cell)[0]
		w.wantStatus(id, event.StatusOK)
		var want []string
		for i := range 200 {
			want = append(want, fmt.Sprintf("stdout: %d\n", i), fmt.Sprintf(`display: text/plain "%d"`, i))
		}
		same(t, w.outputs(cell), want)
	})
}

// flood is an engine whose program prints one line, waits, and prints many.
type flood struct {
	lang.Engine
	lines   int
	printed atomic.Int64
	on      chan struct{}
}

func newFlood(lines int) *flood { return &flood{lines: lines, on: make(chan struct{})} }

func (f *flood) new() (lang.Engine, error) {
	f.Engine = langtest.NewScripted()
	return f, nil
}

func (f *flood) Execute(_ context.Context, _ lang.Request, out lang.Sink) (lang.Result, error) {
	for i := range f.lines {
		out.Stream(lang.Stdout, fmt.Sprintf("%0999d\n", i))
		f.printed.Add(1)
		if i == 0 {
			<-f.on
		}
	}
	return lang.Result{Count: 1}, nil
}

func TestAG10AProgramIsHeldBackWhenTheRoomDoesNotTakeItsOutput(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		f := newFlood(4000)
		m := w.add("rt", func(c *Config) {
			c.Engines = lang.NewSet([]lang.Spec{{Language: "scripted", New: f.new}})
			c.Limits.Pending = 1 << 20
		})
		cell := w.cell("")
		id := w.request(cell)[0]
		w.printed(cell)
		rejoin := w.part(m.actor)
		close(f.on)
		time.Sleep(10 * time.Second)
		_ = m.session.With(func(r *replica.Replica) error {
			if m.out.bytes > 1<<20+maxText+1024 || r.Pending() > maxPending {
				t.Errorf("got %d bytes in %d events pending", m.out.bytes, r.Pending())
			}
			return nil
		})
		if n := f.printed.Load(); n < 1000 || n > 1200 {
			t.Errorf("got %d lines printed, want the program to be held back after about a megabyte", n)
		}
		rejoin()
		w.wantStatus(id, event.StatusOK)
		out := w.outputs(cell)
		if len(out) != 1 || len(out[0]) != len("stdout: ")+4000*1000 {
			t.Errorf("got %d outputs, want all lines in one", len(out))
		}
	})
}

func TestAG10ShuttingDownFreesAProgramThatIsHeldBack(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		f := newFlood(4000)
		m := w.add("rt", func(c *Config) {
			c.Engines = lang.NewSet([]lang.Spec{{Language: "scripted", New: f.new}})
			c.Limits.Pending = 1 << 20
		})
		cell := w.cell("")
		w.request(cell)
		w.printed(cell)
		w.crash()
		close(f.on)
		time.Sleep(time.Minute)
		began := time.Now()
		m.stop()
		<-m.ended
		if took := time.Since(began); took > 11*time.Second {
			t.Errorf("took %v, want a grace for the program and one for the room", took)
		}
	})
}
