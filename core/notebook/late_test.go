package notebook

import (
	"testing"

	"github.com/quirehq/quire/core/event"
)

// late marks an event of a run as coming after its end.
func late[P event.Payload](cell event.CellID, p P) P {
	switch e := any(p).(type) {
	case *event.OutputAdded:
		e.Late = cell
	case *event.OutputAppended:
		e.Late = cell
	case *event.OutputStored:
		e.Late = cell
	case *event.DisplayUpdated:
		e.Late = cell
	case *event.OutputsCleared:
		e.Late = cell
	}
	return p
}

func ended(run event.RunID) *event.RunFinished { return finished(run, 1, event.StatusOK) }

func TestOU30WhatComesAfterARunIsAddedToItsCellAndMarked(t *testing.T) {
	sc := running(t, "a").add(printed("o", "r", 1, "in time\n"), ended("r"),
		late("a", printed("p", "r", 1, "late")), late("a", appended("p", "r", 1, 1, "er\n")), late("a", appended("o", "r", 1, 0, "more\n")))
	check(t, "outputs", sc.outputs("a"), []event.OutputID{"o", "p"})
	check(t, "late", []bool{sc.n.Output("o").Late, sc.n.Output("p").Late}, []bool{false, true})
	check(t, "text", sc.n.Output("p").Value().Text, "later\n")
	check(t, "text", sc.n.Output("o").Value().Text, "in time\nmore\n")
	sc.add(late("a", displayed("d", "r", "x", `1`)), late("a", &event.DisplayUpdated{DisplayID: "x", Run: "r", Epoch: 1, Data: bundle("text/plain", `2`)}),
		late("a", stored("p", "r", 1, "text/plain", 6)))
	check(t, "display", sc.plain("d"), `2`)
	check(t, "artifacts", len(sc.n.Output("p").Value().Artifacts), 1)
	sc.add(late("a", &event.OutputsCleared{Run: "r", Epoch: 1}))
	check(t, "outputs", sc.outputs("a"), []event.OutputID{})
}

func TestOU30WhatIsLateAndCannotBeIsMoot(t *testing.T) {
	sc := running(t, "a", "b")
	sc.moot(MootConflict, late("a", printed("o", "r", 1, "x"))) // it has not ended
	sc.add(ended("r"))
	sc.moot(MootConflict, printed("o", "r", 1, "x")) // it is not marked as late
	sc.moot(MootNotFound, late("none", printed("o", "r", 1, "x")))
	sc.moot(MootInvalid, late("b", printed("o", "r", 1, "x")))
	sc.moot(MootConflict, late("a", printed("o", "r", 2, "x")))
	sc.add(&event.RuntimeStopped{Runtime: "rt", Epoch: 1, Reason: event.StopShutdown})
	sc.moot(MootConflict, late("a", printed("o", "r", 1, "x")))
}

func TestOU31TheLateOutputOfAnEarlierRunIsBehindThatOfTheLatest(t *testing.T) {
	sc := running(t, "a").add(printed("o", "r", 1, "first"), ended("r"), late("a", printed("p", "r", 1, "late")))
	sc.rerun("s", "a")
	sc.moot(MootConflict, late("a", appended("p", "r", 1, 0, "r"))) // it will be cleared
	sc.add(late("a", printed("q", "r", 1, "later")))
	check(t, "outputs", sc.outputs("a"), []event.OutputID{"o", "p", "q"})
	sc.add(printed("t", "s", 1, "second"), late("a", appended("q", "r", 1, 0, " still")), printed("u", "s", 1, "third"))
	check(t, "outputs", sc.outputs("a"), []event.OutputID{"t", "u", "q"})
	check(t, "run that it came after", sc.n.Output("q").After, event.RunID("s"))
	sc.add(&event.OutputsCleared{Run: "s", Epoch: 1}, late("a", printed("v", "r", 1, "x")), ended("s"))
	check(t, "outputs after the latest run cleared", sc.outputs("a"), []event.OutputID{"q", "v"})
	sc.add(late("a", printed("w", "s", 1, "late too")), late("a", &event.OutputsCleared{Run: "r", Epoch: 1, Wait: true}))
	check(t, "outputs after the earlier run cleared", sc.outputs("a"), []event.OutputID{"w"})
}

func TestOU31WhatAnEarlierRunSaidGoesWithTheNextRunButOne(t *testing.T) {
	sc := running(t, "a").add(ended("r"))
	sc.rerun("s", "a").add(printed("o", "s", 1, "x"), late("a", printed("p", "r", 1, "late")), ended("s"))
	sc.rerun("u", "a").add(late("a", printed("q", "r", 1, "later")), ended("u"))
	check(t, "outputs after a run without any", sc.outputs("a"), []event.OutputID{"q"})
	sc.add(&event.CellOutputsCleared{Cells: []event.CellID{"a"}})
	check(t, "outputs after a person cleared", sc.outputs("a"), []event.OutputID{})
	sc.moot(MootNotFound, late("a", appended("q", "r", 1, 0, "x")))
}

func TestOU32ClearingWithWaitIsOfItsOwnRun(t *testing.T) {
	sc := running(t, "a").add(printed("o", "r", 1, "x"), ended("r"), late("a", &event.OutputsCleared{Run: "r", Epoch: 1, Wait: true}))
	check(t, "outputs", sc.outputs("a"), []event.OutputID{"o"})
	sc.add(late("a", printed("p", "r", 1, "y")))
	check(t, "outputs", sc.outputs("a"), []event.OutputID{"p"})
	sc.rerun("s", "a").add(printed("q", "s", 1, "x"), &event.OutputsCleared{Run: "s", Epoch: 1, Wait: true}, late("a", printed("t", "r", 1, "y")))
	check(t, "outputs", sc.outputs("a"), []event.OutputID{"q", "t"})
}

func TestOU33LateOutputOfADeletedCellIsKeptWithIt(t *testing.T) {
	sc := running(t, "a").add(ended("r"), &event.CellDeleted{Cell: "a"}, late("a", printed("o", "r", 1, "x")), &event.CellRestored{Cell: "a"})
	check(t, "outputs", sc.outputs("a"), []event.OutputID{"o"})
}
