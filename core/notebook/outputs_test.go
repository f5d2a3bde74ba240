package notebook

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/event"
)

// displayed adds a display with an id that the program may update.
func displayed(id event.OutputID, run event.RunID, display, value string) *event.OutputAdded {
	return &event.OutputAdded{Output: id, Run: run, Epoch: 1, Value: event.Output{
		Kind: event.OutputDisplay, DisplayID: display, Data: bundle("text/plain", value),
	}}
}

// rerun folds the next run of a cell until it is started.
func (sc *scenario) rerun(run event.RunID, cell string) *scenario {
	sc.t.Helper()
	return sc.add(requested(string(run), cell), assigned(run, 1), started(run, 1))
}

func (sc *scenario) outputs(cell event.CellID) []event.OutputID {
	return append([]event.OutputID{}, sc.n.Cell(cell).Outputs...)
}

func (sc *scenario) plain(id event.OutputID) string {
	return string(sc.n.Output(id).Value().Data["text/plain"])
}

func TestOU1OutputsComeBehindThoseOfTheirCell(t *testing.T) {
	sc := running(t, "a").add(printed("o2", "r", 1, "x"), printed("o1", "r", 1, "y"))
	check(t, "outputs", sc.outputs("a"), []event.OutputID{"o2", "o1"})
	check(t, "run", sc.n.Output("o1").Run, event.RunID("r"))
	check(t, "cell", sc.n.Output("o1").Cell, event.CellID("a"))
	sc.moot(MootConflict, printed("o1", "r", 1, "again"))
}

func TestOU2AppendingAddsTextBehindWhatWasDropped(t *testing.T) {
	sc := running(t, "a").add(
		printed("o", "r", 1, "10 %"), appended("o", "r", 1, 4, "20 %"), appended("o", "r", 1, 0, "\né😀"), appended("o", "r", 1, 3, "!"),
		&event.OutputAdded{Output: "m", Run: "r", Epoch: 1, Value: event.Output{Kind: event.OutputMarkdown, Text: "# Hi"}},
		appended("m", "r", 1, 0, " you"),
	)
	check(t, "text", sc.n.Output("o").Value().Text, "20 %\n!")
	check(t, "markdown", sc.n.Output("m").Value().Text, "# Hi you")
}

func TestOU2AppendingToWhatCannotTakeItIsMoot(t *testing.T) {
	sc := running(t, "a", "b").add(printed("o", "r", 1, "a😀"), displayed("d", "r", "", `"x"`))
	sc.rerun("s", "b").add(printed("other", "s", 1, ""))
	sc.moot(MootNotFound, appended("none", "r", 1, 0, "x"))
	sc.moot(MootNotFound, appended("other", "r", 1, 0, "x"))
	sc.moot(MootInvalid, appended("d", "r", 1, 0, "x"))
	sc.moot(MootInvalid, appended("o", "r", 1, 4, "x"))
	sc.moot(MootInvalid, appended("o", "r", 1, 1, "x"))
	sc.moot(MootInvalid, appended("o", "r", 1, -1, "x"))
}

func stored(id event.OutputID, run event.RunID, epoch event.Epoch, mime string, size int64) *event.OutputStored {
	a := event.Artifact{Hash: strings.Repeat("0", 64), Size: size}
	return &event.OutputStored{Output: id, Run: run, Epoch: epoch, Artifacts: map[string]event.Artifact{mime: a}}
}

func TestOU4WhatIsStoredIsAddedToTheOutput(t *testing.T) {
	sc := running(t, "a", "b").add(printed("o", "r", 1, "end"), stored("o", "r", 1, "text/plain", 4))
	clone := sc.n.Clone()
	sc.add(stored("o", "r", 1, "image/png", 5), stored("o", "r", 1, "text/plain", 6))
	got := sc.n.Output("o").Value().Artifacts
	check(t, "sizes", []int64{got["text/plain"].Size, got["image/png"].Size}, []int64{6, 5})
	check(t, "artifacts of the clone", len(clone.Output("o").Value().Artifacts), 1)

	sc.rerun("s", "b").add(printed("other", "s", 1, ""))
	sc.moot(MootNotFound, stored("none", "s", 1, "text/plain", 1))
	sc.moot(MootNotFound, stored("o", "s", 1, "text/plain", 1))
	sc.moot(MootConflict, stored("other", "s", 2, "text/plain", 1))
	sc.add(finished("r", 1, event.StatusOK)).moot(MootConflict, stored("o", "r", 1, "text/plain", 1))
}

func TestOU5WhatIsShownOfAnArtifactStaysInTheOutput(t *testing.T) {
	sc := running(t, "a").add(printed("o", "r", 1, "the en"), stored("o", "r", 1, "text/plain", 1<<30), appended("o", "r", 1, 0, "d"))
	v := sc.n.Output("o").Value()
	check(t, "text", v.Text, "the end")
	check(t, "size", v.Artifacts["text/plain"].Size, int64(1<<30))
	same := restored(t, sc.n).Output("o").Value()
	check(t, "restored", same, v)
}

func TestTheSizeOfOutputsIsThatOfTheCellsThatPeopleSee(t *testing.T) {
	sc := running(t, "a", "b", "c").add(printed("o", "r", 1, "12345"), finished("r", 1, event.StatusOK))
	sc.rerun("s", "b").add(displayed("d", "s", "", `"x"`), finished("s", 1, event.StatusOK)).rerun("q", "c").add(printed("p", "q", 1, "123"))
	all, display := sc.n.OutputSize(""), sc.n.Output("d").size()
	check(t, "all", all, display+8)
	check(t, "without one cell", sc.n.OutputSize("a"), all-5)
	sc.add(&event.CellDeleted{Cell: "b"})
	check(t, "without a deleted one", sc.n.OutputSize("a"), int64(3))
	sc.add(appended("p", "q", 1, 2, "x"), &event.CellRestored{Cell: "b"}, &event.CellOutputsCleared{Cells: []event.CellID{"a"}})
	check(t, "after a change", sc.n.OutputSize(""), display+2)
}

func TestOU3OutputsOfADeletedCellAreKeptWithIt(t *testing.T) {
	sc := running(t, "a").add(&event.CellDeleted{Cell: "a"}, printed("o", "r", 1, "x"), appended("o", "r", 1, 0, "y"))
	sc.add(finished("r", 1, event.StatusOK), &event.CellRestored{Cell: "a"})
	check(t, "outputs", sc.outputs("a"), []event.OutputID{"o"})
	check(t, "text", sc.n.Output("o").Value().Text, "xy")
}

func TestOU10AnUpdateReachesADisplayInEveryCell(t *testing.T) {
	hash := map[string]event.Artifact{"image/png": {Hash: "ab", Size: 3}}
	sc := running(t, "a", "b", "c").add(displayed("o1", "r", "d", `"1"`), displayed("o2", "r", "other", `"2"`))
	sc.add(finished("r", 1, event.StatusOK), &event.CellDeleted{Cell: "a"}).rerun("s", "b")
	sc.add(&event.OutputAdded{Output: "o3", Run: "s", Epoch: 1, Value: event.Output{
		Kind: event.OutputResult, DisplayID: "d", Count: 5, Data: bundle("text/plain", `"3"`),
	}})
	sc.add(&event.DisplayUpdated{
		DisplayID: "d", Run: "s", Epoch: 1, Data: bundle("text/plain", `"new"`), Artifacts: hash, Metadata: bundle("w", "1"),
	})
	want := event.Output{
		Kind: event.OutputDisplay, DisplayID: "d", Data: bundle("text/plain", `"new"`), Artifacts: hash, Metadata: bundle("w", "1"),
	}
	check(t, "display of a deleted cell", sc.n.Output("o1").Value(), want)
	want.Kind, want.Count = event.OutputResult, 5
	check(t, "result", sc.n.Output("o3").Value(), want)
	check(t, "another display", sc.plain("o2"), `"2"`)
	sc.moot(MootNotFound, &event.DisplayUpdated{DisplayID: "none", Run: "s", Epoch: 1})
}

func TestOU11DisplayingUnderAnIDAgainUpdatesTheEarlierOnes(t *testing.T) {
	sc := running(t, "a", "b").add(displayed("o1", "r", "d", `"1"`)).rerun("s", "b")
	sc.add(displayed("o2", "s", "d", `"2"`))
	check(t, "the earlier one", sc.plain("o1"), `"2"`)
	check(t, "the later one", sc.plain("o2"), `"2"`)
	check(t, "outputs", sc.outputs("a"), []event.OutputID{"o1"})
	sc.add(&event.DisplayUpdated{DisplayID: "d", Run: "r", Epoch: 1, Data: bundle("text/plain", `"3"`)})
	check(t, "the earlier one after an update", sc.plain("o1"), `"3"`)
	check(t, "the later one after an update", sc.plain("o2"), `"3"`)
}

func TestOU12AnOutputThatWasTakenAwayIsNoDisplay(t *testing.T) {
	sc := running(t, "a", "b").add(displayed("o1", "r", "d", `"1"`)).rerun("s", "b").add(displayed("o2", "s", "d", `"2"`))
	sc.add(&event.OutputsCleared{Run: "r", Epoch: 1}, &event.DisplayUpdated{DisplayID: "d", Run: "r", Epoch: 1, Data: bundle()})
	check(t, "what is left of the display", sc.plain("o2"), "")
	sc.add(&event.OutputsCleared{Run: "s", Epoch: 1})
	sc.moot(MootNotFound, &event.DisplayUpdated{DisplayID: "d", Run: "s", Epoch: 1})
}

// stale returns a scenario with a cell that has outputs of an earlier run, and a started run s of it.
func stale(t *testing.T) *scenario {
	t.Helper()
	return running(t, "a").add(printed("o1", "r", 1, "1"), printed("o2", "r", 1, "2"), finished("r", 1, event.StatusOK)).rerun("s", "a")
}

func TestOU20TheFirstOutputOfARunReplacesThoseOfAnEarlierOne(t *testing.T) {
	sc := stale(t)
	check(t, "outputs", sc.outputs("a"), []event.OutputID{"o1", "o2"})
	check(t, "stale", sc.n.Cell("a").Stale(), true)
	sc.add(printed("o3", "s", 1, "3"))
	check(t, "outputs after the first", sc.outputs("a"), []event.OutputID{"o3"})
	check(t, "stale after the first", sc.n.Cell("a").Stale(), false)
	check(t, "the earlier one is kept", sc.n.Output("o1") != nil, false)
	sc.add(printed("o4", "s", 1, "4"), finished("s", 1, event.StatusOK))
	check(t, "outputs at the end", sc.outputs("a"), []event.OutputID{"o3", "o4"})
}

func TestOU21StaleOutputsGoWhenTheRunFinishesUnlessItIsLost(t *testing.T) {
	for _, status := range []event.RunStatus{event.StatusOK, event.StatusError, event.StatusCancelled, event.StatusLost} {
		t.Run(string(status), func(t *testing.T) {
			sc := stale(t).add(finished("s", 1, status))
			check(t, "outputs are kept", len(sc.outputs("a")) == 2, status == event.StatusLost)
			check(t, "stale", sc.n.Cell("a").Stale(), false)
		})
	}
}

func TestOU21StaleOutputsGoAlsoWhenEventsHaveNoTime(t *testing.T) {
	n := stale(t).n
	for i, p := range []event.Payload{requested("q", "a"), finished("s", 1, event.StatusOK), assigned("q", 1), started("q", 1), finished("q", 1, "ok")} {
		if _, err := n.Apply(&event.Event{ID: event.ID{Client: "d", N: uint64(i + 1)}, Payload: p}, nil); err != nil {
			t.Fatal(err)
		}
	}
	check(t, "outputs", len(n.Cell("a").Outputs), 0)
}

func TestOU21ARunThatNeverStartedLeavesOutputs(t *testing.T) {
	for name, end := range map[string][]event.Payload{
		"cancelled while pending":       {cancelled("s")},
		"finished while assigned":       {assigned("s", 1), finished("s", 1, event.StatusError)},
		"lost while assigned":           {assigned("s", 1), runtimeStarted("rt2", event.TakesCode)},
		"finished while another starts": {requested("u", "a"), assigned("s", 1), assigned("u", 1), started("u", 1), finished("s", 1, "ok")},
	} {
		t.Run(name, func(t *testing.T) {
			sc := running(t, "a").add(printed("o", "r", 1, "x"), finished("r", 1, event.StatusOK), requested("s", "a")).add(end...)
			check(t, "outputs", sc.outputs("a"), []event.OutputID{"o"})
		})
	}
}

func TestOU22ClearingTakesOutputsAwayAtOnce(t *testing.T) {
	sc := stale(t).add(&event.OutputsCleared{Run: "s", Epoch: 1})
	check(t, "outputs", sc.outputs("a"), []event.OutputID{})
	check(t, "stale", sc.n.Cell("a").Stale(), false)
	sc.add(printed("o3", "s", 1, ""), &event.OutputsCleared{Run: "s", Epoch: 1}, &event.OutputsCleared{Run: "s", Epoch: 1})
	check(t, "outputs", sc.outputs("a"), []event.OutputID{})
	check(t, "changes of clearing nothing", len(sc.changes), 0)
}

func TestOU23ClearingWithWaitWaitsForTheNextOutput(t *testing.T) {
	wait := &event.OutputsCleared{Run: "r", Epoch: 1, Wait: true}
	sc := running(t, "a").add(wait, printed("o1", "r", 1, "1"), wait)
	check(t, "outputs", sc.outputs("a"), []event.OutputID{"o1"})
	check(t, "stale", sc.n.Cell("a").Stale(), false)
	sc.add(wait, printed("o2", "r", 1, "2"), printed("o3", "r", 1, "3"))
	check(t, "outputs after the next", sc.outputs("a"), []event.OutputID{"o2", "o3"})
	sc.add(wait, finished("r", 1, event.StatusOK))
	check(t, "outputs at the end", sc.outputs("a"), []event.OutputID{"o2", "o3"})
}

func TestOU23ClearingWithWaitDoesNotKeepStaleOutputs(t *testing.T) {
	sc := stale(t).add(&event.OutputsCleared{Run: "s", Epoch: 1, Wait: true}, finished("s", 1, event.StatusOK))
	check(t, "outputs", sc.outputs("a"), []event.OutputID{})
}

func TestOU24APersonClearsTheOutputsOfCells(t *testing.T) {
	three := func() *scenario {
		return running(t, "a", "b", "c").add(printed("o1", "r", 1, "")).rerun("s", "b").add(printed("o2", "s", 1, "")).
			rerun("u", "c").add(printed("o3", "u", 1, ""), &event.CellDeleted{Cell: "c"})
	}
	left := func(sc *scenario) [3]int {
		return [3]int{len(sc.outputs("a")), len(sc.outputs("b")), len(sc.outputs("c"))}
	}
	clearCells := func(ids ...event.CellID) *event.CellOutputsCleared { return &event.CellOutputsCleared{Cells: ids} }
	check(t, "left of one", left(three().add(clearCells("a"))), [3]int{0, 1, 1})
	check(t, "left of a missing, a deleted and a live one", left(three().add(clearCells("x", "c", "b"))), [3]int{1, 0, 0})
	check(t, "left of all", left(three().add(clearCells())), [3]int{0, 0, 1})
	check(t, "left of a cell without outputs", left(three().add(clearCells("a"), clearCells("a"))), [3]int{0, 1, 1})
	three().moot(MootNotFound, clearCells("x", "y"))
	given(t).add(clearCells())
}

func TestOU24AClearedCellIsStaleNoMore(t *testing.T) {
	sc := stale(t).add(&event.CellOutputsCleared{}, printed("o3", "s", 1, "3"), printed("o4", "s", 1, "4"))
	check(t, "outputs", sc.outputs("a"), []event.OutputID{"o3", "o4"})
}

func TestOU26AResetForgetsTheCountAndTheLastRun(t *testing.T) {
	sc := running(t, "a").add(printed("o1", "r", 1, ""), &event.CellOutputsCleared{Reset: true})
	check(t, "run that goes on", sc.n.Cell("a").Run, event.RunID("r"))
	sc.add(&event.RunFinished{Run: "r", Epoch: 1, Status: event.StatusOK, Count: 3})
	check(t, "count", sc.n.Cell("a").Count, 3)
	sc.add(&event.CellOutputsCleared{})
	check(t, "count without a reset", sc.n.Cell("a").Count, 3)
	sc.add(&event.CellOutputsCleared{Cells: []event.CellID{"a"}, Reset: true})
	check(t, "count after the reset", sc.n.Cell("a").Count, 0)
	check(t, "run after the reset", sc.n.Cell("a").Run, event.RunID(""))
	check(t, "row of the run", sc.n.Run("r") == nil, true)
}

func TestOU25AnImportReplacesOutputsAndCount(t *testing.T) {
	sc := stale(t).add(&event.OutputsImported{Cell: "a", Count: 12, Outputs: []event.Output{
		{Kind: event.OutputStream, Stream: event.Stdout, Text: "old"},
		{Kind: event.OutputResult, Count: 12, Data: map[string]json.RawMessage{"text/plain": json.RawMessage(`"4"`)}},
	}})
	check(t, "outputs", sc.outputs("a"), []event.OutputID{"c-12-0", "c-12-1"})
	check(t, "text", sc.n.Output("c-12-0").Value().Text, "old")
	check(t, "run", sc.n.Output("c-12-0").Run, event.RunID(""))
	check(t, "value", sc.plain("c-12-1"), `"4"`)
	check(t, "count", sc.n.Cell("a").Count, 12)
	check(t, "stale", sc.n.Cell("a").Stale(), false)
	sc.add(&event.OutputsImported{Cell: "a"})
	check(t, "outputs after an empty import", sc.outputs("a"), []event.OutputID{})
	check(t, "count after an empty import", sc.n.Cell("a").Count, 0)
}
