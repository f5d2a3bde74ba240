package notebook

import (
	"testing"

	"github.com/quirehq/quire/core/event"
)

// late says that an event of a run comes after its end.
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
	tl := running(t, "a").add(printed("o", "r", 1, "in time\n"), ended("r"),
		late("a", printed("p", "r", 1, "late")), late("a", appended("p", "r", 1, 1, "er\n")), late("a", appended("o", "r", 1, 0, "more\n")))
	check(t, "outputs", tl.outputs("a"), []event.OutputID{"o", "p"})
	check(t, "late", []bool{tl.n.Output("o").Late, tl.n.Output("p").Late}, []bool{false, true})
	check(t, "text", tl.n.Output("p").Value().Text, "later\n")
	check(t, "text", tl.n.Output("o").Value().Text, "in time\nmore\n")
	tl.add(late("a", displayed("d", "r", "x", `1`)), late("a", &event.DisplayUpdated{DisplayID: "x", Run: "r", Epoch: 1, Data: bundle("text/plain", `2`)}),
		late("a", stored("p", "r", 1, "text/plain", 6)))
	check(t, "display", tl.plain("d"), `2`)
	check(t, "artifacts", len(tl.n.Output("p").Value().Artifacts), 1)
	tl.add(late("a", &event.OutputsCleared{Run: "r", Epoch: 1}))
	check(t, "outputs", tl.outputs("a"), []event.OutputID{})
}

func TestOU30WhatIsLateAndCannotBeIsMoot(t *testing.T) {
	tl := running(t, "a", "b")
	tl.moot(MootConflict, late("a", printed("o", "r", 1, "x"))) // it has not ended
	tl.add(ended("r"))
	tl.moot(MootConflict, printed("o", "r", 1, "x")) // as ever
	tl.moot(MootNotFound, late("none", printed("o", "r", 1, "x")))
	tl.moot(MootInvalid, late("b", printed("o", "r", 1, "x")))
	tl.moot(MootConflict, late("a", printed("o", "r", 2, "x")))
	tl.add(&event.RuntimeStopped{Runtime: "rt", Epoch: 1, Reason: event.StopShutdown})
	tl.moot(MootConflict, late("a", printed("o", "r", 1, "x")))
}

func TestOU31TheLateOutputOfAnEarlierRunIsBehindThatOfTheLatest(t *testing.T) {
	tl := running(t, "a").add(printed("o", "r", 1, "first"), ended("r"), late("a", printed("p", "r", 1, "late")))
	tl.rerun("s", "a")
	tl.moot(MootConflict, late("a", appended("p", "r", 1, 0, "r"))) // it is about to go
	tl.add(late("a", printed("q", "r", 1, "later")))
	check(t, "outputs", tl.outputs("a"), []event.OutputID{"o", "p", "q"})
	tl.add(printed("t", "s", 1, "second"), late("a", appended("q", "r", 1, 0, " still")), printed("u", "s", 1, "third"))
	check(t, "outputs", tl.outputs("a"), []event.OutputID{"t", "u", "q"})
	check(t, "run that it came after", tl.n.Output("q").After, event.RunID("s"))
	tl.add(&event.OutputsCleared{Run: "s", Epoch: 1}, late("a", printed("v", "r", 1, "x")), ended("s"))
	check(t, "outputs after the latest run cleared", tl.outputs("a"), []event.OutputID{"q", "v"})
	tl.add(late("a", printed("w", "s", 1, "late too")), late("a", &event.OutputsCleared{Run: "r", Epoch: 1, Wait: true}))
	check(t, "outputs after the earlier run cleared", tl.outputs("a"), []event.OutputID{"w"})
}

func TestOU31WhatAnEarlierRunSaidGoesWithTheNextRunButOne(t *testing.T) {
	tl := running(t, "a").add(ended("r"))
	tl.rerun("s", "a").add(printed("o", "s", 1, "x"), late("a", printed("p", "r", 1, "late")), ended("s"))
	tl.rerun("u", "a").add(late("a", printed("q", "r", 1, "later")), ended("u"))
	check(t, "outputs after a run without any", tl.outputs("a"), []event.OutputID{"q"})
	tl.add(&event.CellOutputsCleared{Cells: []event.CellID{"a"}})
	check(t, "outputs after a person cleared", tl.outputs("a"), []event.OutputID{})
	tl.moot(MootNotFound, late("a", appended("q", "r", 1, 0, "x")))
}

func TestOU32ClearingWithWaitIsOfItsOwnRun(t *testing.T) {
	tl := running(t, "a").add(printed("o", "r", 1, "x"), ended("r"), late("a", &event.OutputsCleared{Run: "r", Epoch: 1, Wait: true}))
	check(t, "outputs", tl.outputs("a"), []event.OutputID{"o"})
	tl.add(late("a", printed("p", "r", 1, "y")))
	check(t, "outputs", tl.outputs("a"), []event.OutputID{"p"})
	tl.rerun("s", "a").add(printed("q", "s", 1, "x"), &event.OutputsCleared{Run: "s", Epoch: 1, Wait: true}, late("a", printed("t", "r", 1, "y")))
	check(t, "outputs", tl.outputs("a"), []event.OutputID{"q", "t"})
}

func TestOU33LateOutputOfADeletedCellIsKeptWithIt(t *testing.T) {
	tl := running(t, "a").add(ended("r"), &event.CellDeleted{Cell: "a"}, late("a", printed("o", "r", 1, "x")), &event.CellRestored{Cell: "a"})
	check(t, "outputs", tl.outputs("a"), []event.OutputID{"o"})
}
