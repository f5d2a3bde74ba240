package event_test

import (
	"encoding/json"

	"github.com/quirehq/quire/core/event"
)

func outputCases() []checkCase {
	stored := map[string]event.Artifact{"text/plain": png()}
	return append(outputAddedCases(), []checkCase{
		{&event.OutputAppended{Output: "o1", Run: "r1", Epoch: 2, Drop: 4, Text: "100 % <done>\n"}, ""},
		{&event.OutputAppended{Output: "o1", Run: "r1", Epoch: 2, Drop: -1}, "drop: want no negative number, got -1"},
		{&event.OutputAppended{Run: "r1", Epoch: 2}, "output is missing"},
		{&event.OutputAppended{Output: "o1", Epoch: 2}, "run is missing"},
		{&event.OutputAppended{Output: "o1", Run: "r1"}, noEpoch},

		{&event.OutputStored{Output: "o1", Run: "r1", Epoch: 2, Artifacts: stored}, ""},
		{&event.OutputStored{Run: "r1", Epoch: 2, Artifacts: stored}, "output is missing"},
		{&event.OutputStored{Output: "o1", Run: "r1", Artifacts: stored}, noEpoch},
		{&event.OutputStored{Output: "o1", Run: "r1", Epoch: 2}, "artifacts is missing"},
		{&event.DisplayUpdated{
			DisplayID: "d 1", Run: "r1", Epoch: 2, Data: bundle("text/html", `"<b>1</b>"`),
			Artifacts: map[string]event.Artifact{"image/png": png()}, Metadata: bundle("image/png", `{"width":3}`),
		}, ""},
		{&event.DisplayUpdated{Run: "r1", Epoch: 2}, "displayId is missing"},
		{&event.DisplayUpdated{DisplayID: "d", Run: "r1"}, noEpoch},
		{&event.DisplayUpdated{DisplayID: "d", Run: "r1", Epoch: 2, Data: bundle("text/plain", `'1'`)}, `data["text/plain"] is not valid JSON`},
		{&event.DisplayUpdated{DisplayID: "d", Run: "r1", Epoch: 2, Metadata: bundle("a", ``)}, `metadata["a"] is not valid JSON`},

		{&event.OutputsCleared{Run: "r1", Epoch: 2, Wait: true}, ""},
		{&event.OutputsCleared{Run: "r1"}, noEpoch},
		{&event.CellOutputsCleared{Cells: []event.CellID{"c1", "c2"}}, ""},
		{&event.CellOutputsCleared{}, ""},
		{&event.CellOutputsCleared{Cells: []event.CellID{"c1", ""}}, "cells[1]: cell is missing"},

		{&event.OutputsImported{Cell: "c1", Count: 4, Outputs: []event.Output{
			{Kind: event.OutputStream, Stream: event.Stderr, Text: "warned\n"},
			{Kind: event.OutputResult, Data: bundle("text/plain", `"2"`), Count: 4},
		}}, ""},
		{&event.OutputsImported{Outputs: []event.Output{}}, "cell is missing"},
		{&event.OutputsImported{Cell: "c1", Outputs: []event.Output{{Kind: "smell"}}}, `outputs[0]: output kind "smell" is unknown`},
	}...)
}

func outputAddedCases() []checkCase {
	return []checkCase{
		{added(event.Output{Kind: event.OutputStream, Stream: event.Stdout, Text: "\x1b[31mred\x1b[0m\u2028"}), ""},
		{added(event.Output{
			Kind: event.OutputDisplay, DisplayID: "d1", Data: bundle("application/json", `{"a":[1,2.50,-0]}`),
			Artifacts: map[string]event.Artifact{"image/png": png()}, Metadata: bundle("isolated", `true`),
		}), ""},
		{added(event.Output{Kind: event.OutputResult, Count: 3, Data: bundle("text/html", `"<table>&amp;</table>"`)}), ""},
		{added(event.Output{Kind: event.OutputError, Error: &event.Error{
			Name: "ValueError", Message: "no <é>", Line: 3, Column: 9, Trace: []string{"line 3", "  f()"},
		}}), ""},
		{added(event.Output{Kind: event.OutputMarkdown, Text: "# Hi", Metadata: bundle("model", `"m"`)}), ""},

		{added(event.Output{}), `output kind "" is unknown`},
		{added(event.Output{Kind: event.OutputStream, Stream: "stdlog"}), `stream "stdlog" is none of ["stdout" "stderr"]`},
		{added(event.Output{Kind: event.OutputError}), "error is missing"},
		{added(event.Output{Kind: event.OutputResult, Data: bundle("a/b", ``)}), `data["a/b"] is not valid JSON`},
		{added(event.Output{Kind: event.OutputResult, Data: bundle("a/b", "\"\xff\"")}), `data["a/b"] is not valid JSON`},
		{
			added(event.Output{Kind: event.OutputDisplay, Artifacts: map[string]event.Artifact{"a/b": {Hash: "../x"}}}),
			`artifacts["a/b"]: artifact: want a SHA-256 hash of 64 hexadecimal digits, got "../x"`,
		},
		{&event.OutputAdded{Run: "r1", Epoch: 2, Value: event.Output{Kind: event.OutputMarkdown}}, "output is missing"},
		{&event.OutputAdded{Output: "o1", Epoch: 2, Value: event.Output{Kind: event.OutputMarkdown}}, "run is missing"},
		{&event.OutputAdded{Output: "o1", Run: "r1", Value: event.Output{Kind: event.OutputMarkdown}}, noEpoch},
	}
}

func added(o event.Output) *event.OutputAdded {
	return &event.OutputAdded{Output: "o1", Run: "r1", Epoch: 2, Value: o}
}

// bundle returns a bundle of one value in JSON.
func bundle(mime, value string) map[string]json.RawMessage {
	return map[string]json.RawMessage{mime: json.RawMessage(value)}
}

func png() event.Artifact {
	return event.Artifact{Hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", Size: 1 << 33}
}
