package notebook

import (
	"encoding/json"
	"testing"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/text"
)

// touches has an event for every kind of row of the notebook that complete returns.
func touches() []event.Payload {
	return []event.Payload{
		titled("other"), &event.NotebookMetadataSet{Key: "k"}, edited("a", 1, text.Insert(0, "y")),
		&event.CellMetadataSet{Cell: "a", Key: "k"}, &event.CellRestored{Cell: "z"}, &event.CellMoved{Cell: "a", Order: "Z"},
		appended("o", "r", 1, 1, "more"), &event.DisplayUpdated{DisplayID: "x", Run: "r", Epoch: 1, Data: bundle()},
		&event.InputAnswered{Input: "i", Value: "v"}, &event.ApprovalAnswered{Approval: "p", Answer: event.AnswerOnce},
		&event.FileAttached{Name: "f", Artifact: event.Artifact{Hash: "other"}}, cancelled("r"), cancelled("u"),
		&event.RuntimeReady{Runtime: "rt", Epoch: 1}, printed("new", "r", 1, "x"), finished("r", 1, event.StatusOK),
		updated("w", "value", "3"), opened("w2", "k", "1"), &event.CommClosed{Comm: "w", Epoch: 1}, &event.CommsLost{Epoch: 1, Comms: []event.CommID{"w"}},
		runtimeStarted("rt2", event.TakesCode),
	}
}

func TestNB7NoEventReachesTheOtherOfTwoCopies(t *testing.T) {
	for i, p := range touches() {
		t.Run(string(p.Type()), func(t *testing.T) {
			for _, side := range []string{"original", "copy"} {
				kept := complete(t)
				changing := kept.Clone()
				if side == "original" {
					kept, changing = changing, kept
				}
				before := snapshotOf(t, kept)
				e := event.Event{Seq: 100, ID: event.ID{Client: "d", N: uint64(i + 1)}, Payload: p}
				if _, err := changing.Apply(&e, nil); err != nil {
					t.Fatal(err)
				}
				check(t, "snapshot when the "+side+" changes", snapshotOf(t, kept), before)
				check(t, "the changing one differs", snapshotOf(t, changing) == before, false)
			}
		})
	}
}

func TestNB7CopiesAddToOneDisplayApart(t *testing.T) {
	one := running(t, "a").add(displayed("o1", "r", "d", `1`), displayed("o2", "r", "d", `1`), displayed("o3", "r", "d", `1`))
	other := &scenario{t: t, n: one.n.Clone(), counter: one.counter}
	one.add(displayed("mine", "r", "d", `2`))
	other.add(displayed("theirs", "r", "d", `3`))
	update := &event.DisplayUpdated{DisplayID: "d", Run: "r", Epoch: 1, Data: map[string]json.RawMessage{"text/plain": json.RawMessage(`4`)}}
	one.add(update)
	other.add(update)
	check(t, "display of the one", one.plain("mine"), `4`)
	check(t, "display of the other", other.plain("theirs"), `4`)
	checkParts(t, one.n)
	checkParts(t, other.n)
}
