package notebook

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/order"
)

// fold returns n with the events folded into it.
func fold(n *Notebook, events []event.Event) *Notebook {
	for i := range events {
		n.Apply(&events[i], nil) //nolint:errcheck // moot events are wanted
	}
	return n
}

func TestNB1EqualLogsGiveEqualNotebooks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := histories().Draw(t, "events")
		a, b := fold(New(), events), fold(New(), events)
		check(t, "snapshot", snapshotOf(t, a), snapshotOf(t, b))
		check(t, "equal", Equal(a, b), true)
		fold(b, []event.Event{{Seq: b.Seq() + 1, ID: event.ID{Client: "new", N: 1}, Payload: &event.Unknown{}}})
		check(t, "equal when one is ahead", Equal(a, b), false)
	})
}

func TestNB2AMootEventLeavesTheNotebook(t *testing.T) {
	rapid.Check(t, checkMoot)
}

// FuzzFold looks for a log that makes the fold panic, or leaves a notebook with inconsistent parts.
func FuzzFold(f *testing.F) {
	for _, seed := range []string{"", "\x01\x02\x03\x04", "\xff\xfe\xfd\xfc\xfb\xfa\xf9\xf8\xf7\xf6"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) {
		checkMoot(t)
		checkParts(t, fold(New(), histories().Draw(t, "events")))
	}))
}

func checkMoot(t *rapid.T) {
	n := New()
	for range rapid.IntRange(0, 60).Draw(t, "events") {
		e := drawEvent(t, n)
		before := state(t, n)
		changes, err := n.Apply(&e, nil)
		if err == nil {
			continue
		}
		check(t, "state after "+err.Error(), state(t, n), before)
		check(t, "changes", len(changes), 0)
	}
}

func TestNB7ACopyIsIndependent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shared := histories().Draw(t, "before the copy")
		mine, theirs := histories().Draw(t, "of one"), histories().Draw(t, "of the other")
		a := fold(New(), shared)
		b := a.Clone()
		for i := range max(len(mine), len(theirs)) {
			fold(a, mine[min(i, len(mine)):min(i+1, len(mine))])
			fold(b, theirs[min(i, len(theirs)):min(i+1, len(theirs))])
		}
		check(t, "the one", snapshotOf(t, a), snapshotOf(t, fold(fold(New(), shared), mine)))
		check(t, "the other", snapshotOf(t, b), snapshotOf(t, fold(fold(New(), shared), theirs)))
	})
}

func TestNB7ACopyThatIsMadeOfAnotherIsIndependent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := fold(New(), histories().Draw(t, "before the first copy"))
		b := New()
		if rapid.Bool().Draw(t, "is a copy") {
			b = a.Clone()
		}
		for range rapid.IntRange(1, 4).Draw(t, "copies") {
			for range rapid.IntRange(0, 8).Draw(t, "events") {
				n := a
				if rapid.Bool().Draw(t, "of the copy") {
					n = b
				}
				e := drawEvent(t, n)
				n.Apply(&e, nil) //nolint:errcheck // moot events are wanted
			}
			switch rapid.IntRange(0, 5).Draw(t, "with") {
			case 0:
				a.Clone() // b is no longer the latest
			case 1:
				b.Clone()
			}
			before := snapshotOf(t, a)
			b = a.Reclone(b)
			check(t, "snapshot of the copy", snapshotOf(t, b), before)
			check(t, "equal", Equal(a, b), true)
			checkParts(t, b)
			events := histories().Draw(t, "of the copy")
			fold(b, events)
			check(t, "the original", snapshotOf(t, a), before)
			b = a.Reclone(b)
			check(t, "the next copy", snapshotOf(t, b), before)
		}
	})
}

func TestNB8AnEventThatIsNotAdmittedLeavesNoTrace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := New()
		for range rapid.IntRange(0, 40).Draw(t, "events") {
			e := drawEvent(t, n)
			before, applied := snapshotOf(t, n), n.Clone()
			want, wantErr := applied.Apply(&e, nil)
			got, err := n.Admit(&e, nil)
			check(t, "reason", fmt.Sprint(err), fmt.Sprint(wantErr))
			check(t, "changes", got, want)
			if err != nil {
				check(t, "snapshot", snapshotOf(t, n), before)
			} else {
				check(t, "snapshot", snapshotOf(t, n), snapshotOf(t, applied))
			}
		}
	})
}

func TestNB30FoldingOnFromASnapshotIsFoldingOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := histories().Draw(t, "before"), histories().Draw(t, "after")
		whole := fold(New(), before)
		again := restored(t, whole)
		checkParts(t, again)
		check(t, "snapshot", snapshotOf(t, again), snapshotOf(t, whole))
		check(t, "snapshot at the end", snapshotOf(t, fold(again, after)), snapshotOf(t, fold(whole, after)))
	})
}

func TestNB30ASnapshotIsReadTheSameByTheShortWayAndTheLong(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := []byte(snapshotOf(t, fold(New(), histories().Draw(t, "events"))))
		got, ok := scanSnapshot(data)
		if !ok {
			t.Fatalf("cannot scan %s", data)
		}
		var want snapshot
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(snapshot{}), cmpopts.IgnoreUnexported(Comm{})); diff != "" {
			t.Errorf("snapshot (-want +got):\n%s", diff)
		}
	})
}

func TestTheIndexesOfANotebookFitItsRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkParts(t, fold(New(), histories().Draw(t, "events"))) })
}

// checkParts fails the test if the parts of a notebook are inconsistent.
func checkParts(t rapid.TB, n *Notebook) {
	t.Helper()
	checkOrder(t, n)
	checkQueue(t, n)
	displays := map[string]int{}
	outputs := 0
	checkComms(t, n)
	for id, c := range n.cells {
		outputs += len(c.Outputs)
		for _, o := range c.Outputs {
			check(t, "cell of an output", n.outputs[o].Cell, id)
		}
		check(t, "clearing without outputs", c.clear != clearNone && len(c.Outputs) == 0, false)
	}
	check(t, "outputs", len(n.outputs), outputs)
	size := int64(0)
	for id, o := range n.outputs {
		size += o.size()
		if d := o.value.DisplayID; d != "" {
			displays[d]++
			check(t, "is indexed as a display", slices.Contains(n.displays[d], id), true)
		}
	}
	check(t, "size of the outputs", n.outputSize, size)
	check(t, "displays", len(n.displays), len(displays))
	for d, ids := range n.displays {
		check(t, "outputs with the display id", len(ids), displays[d])
	}
}

func checkOrder(t rapid.TB, n *Notebook) {
	t.Helper()
	live := 0
	for _, c := range n.cells {
		if !c.Deleted {
			live++
			check(t, "is in the order", slices.Contains(n.order, c.ID), true)
		}
	}
	check(t, "length of the order", len(n.order), live)
	check(t, "order is sorted", slices.IsSortedFunc(n.order, func(a, b event.CellID) int {
		return order.Compare(n.cells[a].Place(), n.cells[b].Place())
	}), true)
}

func checkQueue(t rapid.TB, n *Notebook) {
	t.Helper()
	unfinished := 0
	for id, r := range n.runs {
		if r.State != RunFinished {
			unfinished++
			check(t, "is in the queue", slices.Contains(n.queue, id), true)
			continue
		}
		check(t, "latest run of the cell of a finished one", n.cells[r.Cell].Run, id)
	}
	check(t, "length of the queue", len(n.queue), unfinished)
	for id, c := range n.cells {
		if c.Run != "" {
			check(t, "cell of its run", n.runs[c.Run].Cell, id)
		}
	}
	for _, in := range n.inputs {
		check(t, "state of the run of an input", n.runs[in.Run].State, RunStarted)
	}
}
