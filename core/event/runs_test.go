package event_test

import (
	"slices"
	"strconv"
	"strings"

	"github.com/quirehq/quire/core/event"
)

const noEpoch = "epoch is missing: it is the number that the runtime got when it started"

func runCases() []checkCase {
	return []checkCase{
		{&event.RunRequested{Runs: []event.RunOf{{Run: "r1", Cell: "c1"}, {Run: "r2", Cell: "c2", MayFail: true}, {Run: "r3", Cell: "c1"}}, KeepGoing: true}, ""},
		{&event.RunRequested{Runs: batch(event.MaxBatch)}, ""},
		{&event.RunRequested{Runs: batch(1), Allow: slices.Repeat([]string{"ValueError"}, event.MaxAllowed)}, ""},
		{&event.RunRequested{Runs: batch(1), Allow: make([]string, event.MaxAllowed+1)}, "allow: at most 100 names fit, got 101"},
		{&event.RunRequested{Runs: batch(1), Allow: []string{"ValueError", ""}}, "allow[1] is missing"},
		{&event.RunRequested{Runs: batch(1), Allow: []string{strings.Repeat("E", event.MaxKey+1)}}, "allow[0] is 257 bytes, at most 256 fit"},
		{&event.RunRequested{}, "runs: want 1 to 10000 of them, got 0"},
		{&event.RunRequested{Runs: batch(event.MaxBatch + 1)}, "runs: want 1 to 10000 of them, got 10001"},
		{&event.RunRequested{Runs: []event.RunOf{{Run: "r1", Cell: "c1"}, {Run: "r1", Cell: "c2"}}}, `runs[1]: run "r1" is named twice`},
		{&event.RunRequested{Runs: []event.RunOf{{Run: "r1", Cell: "c1"}, {Cell: "c2"}}}, "runs[1]: run is missing"},
		{&event.RunRequested{Runs: []event.RunOf{{Run: "r1"}}}, "runs[0]: cell is missing"},

		{&event.RunAssigned{Run: "r1", Epoch: 2}, ""},
		{&event.RunAssigned{Run: "r1"}, noEpoch},
		{&event.RunAssigned{Epoch: 2}, "run is missing"},
		{&event.RunStarted{Run: "r1", Epoch: 2}, ""},
		{&event.RunStarted{Run: "r1"}, noEpoch},
		{&event.RunStarted{Epoch: 2}, "run is missing"},

		{&event.RunFinished{Run: "r1", Epoch: 2, Status: event.StatusError, Count: 3, Took: 1500, Reason: "it said <no>"}, ""},
		{&event.RunFinished{Run: "r1", Epoch: 2, Status: event.StatusLost, Reason: "the engine died", Cause: event.CauseEngineDied}, ""},
		{&event.RunFinished{Run: "r1", Epoch: 2, Status: event.StatusLost, Cause: "of-tomorrow"}, ""},
		{&event.RunFinished{Run: "r1", Epoch: 2, Status: event.StatusLost, Cause: "the engine died"}, `cause "the engine died" has a character other than letters, digits, - and _`},
		{&event.RunFinished{Run: "r1", Epoch: 2, Status: event.StatusOK}, ""},
		{&event.RunFinished{Run: "r1", Epoch: 2, Status: event.StatusOK, Exited: true}, ""},
		{&event.RunFinished{Run: "r1", Epoch: 2, Status: event.StatusError, Exited: true}, "exited: a program that ended itself ended well, and this run is error"},
		{&event.RunFinished{Run: "r1", Epoch: 2, Status: event.StatusError, Allowed: true}, ""},
		{&event.RunFinished{Run: "r1", Epoch: 2, Status: event.StatusLost, Allowed: true}, "allowed: it is said of errors, and this run is lost"},
		{&event.RunFinished{Run: "r1", Epoch: 2, Status: event.StatusSkipped}, `status "skipped" is none of ["ok" "error" "cancelled" "lost"]`},
		{&event.RunFinished{Run: "r1", Epoch: 2}, `status "" is none of ["ok" "error" "cancelled" "lost"]`},
		{&event.RunFinished{Run: "r1", Status: event.StatusOK}, noEpoch},
		{&event.RunFinished{Run: "r1", Epoch: 2, Status: event.StatusOK, Count: -1}, "count and took: want no negative number, got -1 and 0"},
		{&event.RunFinished{Run: "r1", Epoch: 2, Status: event.StatusOK, Took: -5}, "count and took: want no negative number, got 0 and -5"},

		{&event.SourceOffered{Run: "r1", Epoch: 2, Cell: "c9", Source: "# %load x.py\nx = 1", Replace: true}, ""},
		{&event.SourceOffered{Run: "r1", Epoch: 2, Cell: "c9"}, ""},
		{&event.SourceOffered{Epoch: 2, Cell: "c9"}, "run is missing"},
		{&event.SourceOffered{Run: "r1", Cell: "c9"}, noEpoch},
		{&event.SourceOffered{Run: "r1", Epoch: 2}, "cell is missing"},
		{&event.SourceOffered{Run: "r1", Epoch: 2, Cell: "c9", Source: "\xff"}, "source is not valid UTF-8"},

		{&event.RunCancelled{Run: "r1"}, ""},
		{&event.RunCancelled{}, "run is missing"},
		{&event.AllRunsCancelled{}, ""},

		{&event.InputAsked{Input: "i1", Run: "r1", Epoch: 2, Prompt: "Name? ", Secret: true}, ""},
		{&event.InputAsked{Run: "r1", Epoch: 2}, "input is missing"},
		{&event.InputAsked{Input: "i1", Epoch: 2}, "run is missing"},
		{&event.InputAsked{Input: "i1", Run: "r1"}, noEpoch},
		{&event.InputAnswered{Input: "i1", Value: "Ada\n"}, ""},
		{&event.InputAnswered{Input: "i1"}, ""},
		{&event.InputAsked{Input: "i1", Run: "r1", Epoch: 2, Prompt: strings.Repeat("?", event.MaxPrompt)}, ""},
		{&event.InputAsked{Input: "i1", Run: "r1", Epoch: 2, Prompt: strings.Repeat("?", event.MaxPrompt+1)}, "prompt is 65537 bytes, at most 65536 fit"},
		{&event.InputAsked{Input: "i1", Run: "r1", Epoch: 2, Prompt: "\xff"}, "prompt is not valid UTF-8"},
		{&event.InputAnswered{Value: "Ada"}, "input is missing"},
		{&event.InputAnswered{Input: "i1", Value: strings.Repeat("a", event.MaxAnswer)}, ""},
		{&event.InputAnswered{Input: "i1", Value: strings.Repeat("a", event.MaxAnswer+1)}, "value is 1048577 bytes, at most 1048576 fit"},
		{&event.InputAnswered{Input: "i1", Value: "\xff"}, "value is not valid UTF-8"},
		{&event.InputClosed{Input: "i1", Epoch: 2, Answered: true}, ""},
		{&event.InputClosed{Epoch: 2}, "input is missing"},
		{&event.InputClosed{Input: "i1"}, noEpoch},
	}
}

// batch returns n different runs.
func batch(n int) []event.RunOf {
	runs := make([]event.RunOf, n)
	for i := range runs {
		runs[i] = event.RunOf{Run: event.RunID("r" + strconv.Itoa(i)), Cell: "c1"}
	}
	return runs
}
