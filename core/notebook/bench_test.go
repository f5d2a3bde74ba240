package notebook

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/order"
	"github.com/quirehq/quire/core/text"
)

// typed is a session of some thousand events with realistic proportions: users type in twenty cells, runs start and
// end, and print in small pieces.
func typed(tb rapid.TB) []event.Event {
	sc := &scenario{t: tb, n: New()}
	var events []event.Event
	add := func(p event.Payload) {
		e := sc.event(p)
		sc.n.seq = e.Seq
		events = append(events, *e)
	}
	add(runtimeStarted("rt", event.TakesCode))
	source := strings.Repeat("x = compute(x)\n", 13)
	var key order.Key
	for i := range 20 {
		key, _ = order.Between(order.Place{Key: key, ID: "zz"}, order.Place{})
		if i == 0 {
			key = "R"
		}
		add(created(event.CellID(fmt.Sprintf("cell-%02d", i)), key, source))
	}
	revs := make([]event.Rev, 20)
	for run := range 100 {
		cell := run % 20
		id := event.CellID(fmt.Sprintf("cell-%02d", cell))
		for i := range 30 {
			add(edited(id, revs[cell], text.Insert(100+i, "x")))
			revs[cell]++
		}
		for range 30 {
			add(edited(id, revs[cell], text.Delete(100, 1)))
			revs[cell]++
		}
		r := event.RunID(fmt.Sprintf("run-%d", run))
		out := event.OutputID(fmt.Sprintf("out-%d", run))
		add(requested(string(r), string(id)))
		add(assigned(r, 1))
		add(started(r, 1))
		add(printed(out, r, 1, "step 0\n"))
		for i := range 20 {
			add(appended(out, r, 1, 0, fmt.Sprintf("step %d\n", i)))
		}
		add(finished(r, 1, event.StatusOK))
	}
	return events
}

func BenchmarkFold(b *testing.B) {
	events := typed(b)
	n := New()
	var changes []Change
	i := 0
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		if i == len(events) {
			i, n = 0, New()
		}
		var err error
		if changes, err = n.Apply(&events[i], changes[:0]); err != nil {
			b.Fatal(err)
		}
		i++
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

// large returns a notebook with the given number of cells, each with a source of 200 bytes. Every other one ran, and
// has a stream and a result.
func large(tb rapid.TB, cells int) *Notebook {
	tb.Helper()
	sc := given(tb, runtimeStarted("rt", event.TakesCode))
	source := strings.Repeat("value = step(\"value\")\n", 9) + "value"
	var last order.Place
	for i := range cells {
		key, err := order.Between(last, order.Place{})
		if err != nil {
			tb.Fatal(err)
		}
		id := fmt.Sprintf("cell-%04d", i)
		last = order.Place{Key: key, ID: id}
		sc.add(created(event.CellID(id), key, source))
		if i%2 == 0 {
			ran(sc, id, i)
		}
	}
	return sc.n
}

// ran folds a run of a cell that prints ten lines and has a result.
func ran(sc *scenario, cell string, i int) {
	run := event.RunID(fmt.Sprintf("run-%d", i))
	sc.add(requested(string(run), cell), assigned(run, 1), started(run, 1))
	sc.add(printed(event.OutputID(fmt.Sprintf("out-%d", i)), run, 1, strings.Repeat("epoch 1 of 10: loss 0.5\n", 10)))
	sc.add(&event.OutputAdded{Output: event.OutputID(fmt.Sprintf("res-%d", i)), Run: run, Epoch: 1, Value: event.Output{
		Kind: event.OutputResult, Count: i + 1,
		Data: bundle("text/plain", `"<Figure 1>"`, "text/html", `"<b>Figure</b> 1"`),
	}})
	sc.add(&event.RunFinished{Run: run, Epoch: 1, Status: event.StatusOK, Count: i + 1, Took: 12})
}

func BenchmarkRestore(b *testing.B) {
	data := []byte(snapshotOf(b, large(b, 2000)))
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Restore(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSnapshot(b *testing.B) {
	n := large(b, 2000)
	b.SetBytes(int64(len(snapshotOf(b, n))))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := n.Snapshot(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkClone(b *testing.B) {
	n := large(b, 2000)
	b.ReportAllocs()
	for b.Loop() {
		n.Clone()
	}
}
