package runtime

import (
	"strconv"
	"testing"
)

const aTable, another = `{"schema":{},"data":[1]}`, `{"schema":{},"data":[2]}`

func TestAG86ARunInAnotherLanguageReadsAndSetsTheTablesOfPython(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.addMixed("python", "ruby")
		// Python is not loaded for a question.
		same(t, w.run("%%ruby", "table x"), []string{"stdout: there is no variable of this name\n"})
		same(t, w.run("set x "+aTable, "set y 1", "result ok"), []string{`result 1: text/plain "ok"`})
		same(t, w.run("%%ruby", "table x", "table y", "table z"), []string{"stdout: " + aTable + "\nit is no table\nthere is no variable of this name\n"})
		w.run("%%ruby", "set-table z "+another)
		same(t, w.run("get z"), []string{"result 2: text/plain " + strconv.Quote(another)})
		same(t, w.run("%%ruby", "set-table 1 "+another), []string{"error: NameError"})
		same(t, w.run("table x"), []string{"error: NoTables"}) // Python has its own
	})
}

func TestAG86TheTablesOfPythonAreSetWhereItIsNotLoaded(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.addMixed("python", "ruby")
		w.run("%%ruby", "set-table z "+another)
		same(t, w.run("get z"), []string{"result 1: text/plain " + strconv.Quote(another)})
	})
}

func TestAG86WithoutPythonThereAreNoTables(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.addMixed("lua")
		same(t, w.run("table x"), []string{"error: NoTables"})
	})
}

func TestAG85AVariableThatTheRunHasSetIsNotPassedAgain(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.addMixed("python", "ruby")
		w.run("%%ruby -o z", "set z 1", "set-table z "+another)
		same(t, w.run("get z"), []string{"result 1: text/plain " + strconv.Quote(another)})
	})
}

func TestAG85ATablePassesAsOneAndAnyOtherValueAsJSON(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.addMixed("python", "ruby")
		w.run("set x "+aTable, "set y 1")
		same(t, w.run("%%ruby -i x,y", "get x", "get y"), []string{"result 0: text/plain " + strconv.Quote(aTable), `result 1: text/plain "1"`})
	})
}
