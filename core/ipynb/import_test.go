package ipynb

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/event"
)

func TestIP4Nbformat3IsUpgraded(t *testing.T) {
	got := through(t, read(t, "v3.ipynb"))
	mustBeValid(t, got)
	golden(t, "v3.golden", got)
}

func TestIP4WhatNbformat3HasAsJSONIsAValueIfItIsJSON(t *testing.T) {
	for text, want := range map[string]string{`"[1, 2]"`: `[1,2]`, `["[1,", "2]"]`: `[1,2]`, `"{"`: `"{"`, `{"a": 1}`: `{"a":1}`} {
		file := `{"nbformat":3,"metadata":{"name":""},"worksheets":[{"cells":[{"cell_type":"code","outputs":[
			{"output_type":"display_data","json":` + text + `}]}]}]}`
		n := fold(t, mustImport(t, []byte(file)))
		o := n.Output(n.Cell(n.Cells()[0]).Outputs[0]).Value()
		if got := string(o.Data["application/json"]); got != want {
			t.Errorf("got %s for %s, want %s", got, text, want)
		}
	}
}

func TestIP5CellsKeepTheirIDsOrGetNewOnesThatSayWhatWas(t *testing.T) {
	const file = `{"nbformat":4,"nbformat_minor":5,"cells":[
		{"cell_type":"raw","source":"x"}, {"cell_type":"raw","id":"kept","source":"x"},
		{"cell_type":"raw","id":"kept","source":"y"}, {"cell_type":"raw","id":"no good","source":"y"},
		{"cell_type":"raw","source":"x"}, {"cell_type":"raw","id":"","source":"z"}, {"cell_type":"markdown","source":"x"}]}`
	n := fold(t, mustImport(t, []byte(file)))
	ids := n.Cells()
	if ids[1] != "kept" {
		t.Errorf("got the id %q, want that of the file, which is kept", ids[1])
	}
	seen := map[event.CellID]bool{}
	for _, id := range ids {
		if seen[id] {
			t.Errorf("id %q is given twice", id)
		}
		seen[id] = true
	}
	for i, want := range map[int]string{0: "", 1: "", 2: `{"id":"kept"}`, 3: `{"id":"no good"}`, 5: ""} {
		if got := string(n.Cell(ids[i]).Metadata["quire"]); got != want {
			t.Errorf("cell %d: got the metadata %s, want %s", i, got, want)
		}
	}
}

func TestIP5ANewIDDependsOnWhatTheCellHoldsAndNotOnWhereItIs(t *testing.T) {
	const before = `{"nbformat":4,"cells":[{"cell_type":"code","source":"a"},{"cell_type":"code","source":"b"}]}`
	const after = `{"nbformat":4,"cells":[{"cell_type":"code","source":"new"},{"cell_type":"code","source":["a"]},{"cell_type":"code","source":"b"}]}`
	old, now := fold(t, mustImport(t, []byte(before))).Cells(), fold(t, mustImport(t, []byte(after))).Cells()
	if diff := cmp.Diff(old, now[1:]); diff != "" {
		t.Errorf("ids changed when a cell came before (-before +after):\n%s", diff)
	}
}

func TestIP6ImportSaysWhatTheFileHas(t *testing.T) {
	const file = `{"nbformat":4,"nbformat_minor":5,
		"metadata":{"title":"T","kernelspec":{"name":"python3"},"gone":null},"cells":[
		{"cell_type":"code","id":"a","source":["1\n","2"],"execution_count":3,
		 "metadata":{"tags":["t"],"collapsed":true,"jupyter":{"source_hidden":true},"quire":{"kind":"sql","language":"duckdb","hideContext":true}},
		 "outputs":[{"output_type":"execute_result","execution_count":3,"metadata":{"m":1},"data":{"text/plain":["a\n","b"],"application/json":[1]}},
			{"output_type":"error","ename":"E","evalue":"v","traceback":["x\ny","z"]}]}]}`
	hide := new(bool)
	want := []event.Payload{
		&event.NotebookTitled{Title: "T"},
		&event.NotebookMetadataSet{Key: "kernelspec", Value: json.RawMessage(`{"name":"python3"}`)},
		&event.NotebookMetadataSet{Key: "ipynb", Value: json.RawMessage(`{"metadata":{"gone":null}}`)},
		&event.CellCreated{Cell: "a", Kind: event.KindSQL, Language: "duckdb", Order: "R", Source: "1\n2"},
		&event.CellVisibilitySet{Cell: "a", Source: hide, Outputs: hide, Context: hide},
		&event.CellMetadataSet{Cell: "a", Key: "collapsed", Value: json.RawMessage(`true`)},
		&event.CellMetadataSet{Cell: "a", Key: "tags", Value: json.RawMessage(`["t"]`)},
		&event.OutputsImported{Cell: "a", Count: 3, Outputs: []event.Output{
			{
				Kind: event.OutputResult, Count: 3, Metadata: map[string]json.RawMessage{"m": json.RawMessage(`1`)},
				Data: map[string]json.RawMessage{"text/plain": json.RawMessage(`"a\nb"`), "application/json": json.RawMessage(`[1]`)},
			},
			{
				Kind: event.OutputError, Error: &event.Error{Name: "E", Message: "v", Trace: []string{"x", "y", "z"}},
				Metadata: map[string]json.RawMessage{"ipynb": json.RawMessage(`{"traceback":[2,1]}`)},
			},
		}},
	}
	if diff := cmp.Diff(want, mustImport(t, []byte(file))); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestIP6AttachmentsLieInTheMetadataOfTheirCell(t *testing.T) {
	n := fold(t, mustImport(t, read(t, "attachments.ipynb")))
	var kept struct {
		Attachments map[string]map[string]any
	}
	if err := json.Unmarshal(n.Cell("a1").Metadata["ipynb"], &kept); err != nil {
		t.Fatal(err)
	}
	if got, want := kept.Attachments["zwei teile.svg"]["image/svg+xml"], any("<svg>\n</svg>\n"); got != want {
		t.Errorf("got the attachment %q, want %q", got, want)
	}
}

// damage is a damaged file, and the beginning of its error.
type damage struct{ file, want string }

func mustRefuse(t *testing.T, tests []damage) {
	t.Helper()
	for i, test := range tests {
		t.Run(fmt.Sprintf("%d %s", i, test.want), func(t *testing.T) {
			payloads, err := Import([]byte(test.file))
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got the error %v, want one that begins %q", err, test.want)
			}
			if payloads != nil {
				t.Errorf("got %d events with the error, want none", len(payloads))
			}
		})
	}
}

func TestIP10AFileThatIsNoNotebookIsAnErrorThatSaysSo(t *testing.T) {
	mustRefuse(t, []damage{
		{"", "line 1: the file ends before the notebook does"},
		{"{\n\"nbformat\": 4,\n", "line 3: the file ends before the notebook does"},
		{"{\n\"nbformat\": 4,}", "line 2, column 15: this is not JSON"},
		{"{\"nbformat\": 4}\n\n{}", "line 3: more follows the end of the notebook"},
		{"{\"nbformat\": 4,\n\"x\": \"\xff\"}", "line 2: the file is not UTF-8 text"},
		{"PK\x03\x04", "line 1, column 1: this is not JSON"},
		{"[]", "want a notebook, which is an object, got a list"},
		{"null", "want a notebook, which is an object, got null"},
		{`{"cells":[]}`, "nbformat: it is missing, so this is not a Jupyter notebook"},
		{`{"nbformat":"4"}`, "nbformat: want a whole number or null, got a string"},
		{`{"nbformat":1}`, "nbformat: 1 is too old"},
		{"this is text", "line 1, column 1: this is not JSON, as a Jupyter notebook is"},
		{"{\n \"é\": nope}", "line 2, column 7: this is not JSON"},
		{`{"nbformat":5}`, "nbformat: 5 is newer than 4"},
		{`{"nbformat":4,"nbformat_minor":-1}`, "nbformat_minor: want a whole number from 0, got -1"},
		{`{"nbformat":4,"metadata":[]}`, "metadata: want an object, got a list"},
		{`{"nbformat":4,"cells":{}}`, "cells: want a list, got an object"},
		{`{"nbformat":4,"cells":[1]}`, "cells[0]: want an object, got a number"},
		{`{"nbformat":4,"x":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}`, "the file nests deeper than 1016 levels"},
	})
}

func TestIP10ADamagedCellIsAnErrorWithItsPlace(t *testing.T) {
	cell := func(members string) string {
		return `{"nbformat":4,"nbformat_minor":5,"cells":[{"cell_type":"raw","source":""},{` + members + `}]}`
	}
	output := func(members string) string {
		return cell(`"cell_type":"code","outputs":[{"output_type":"stream"},{` + members + `}]`)
	}
	mustRefuse(t, []damage{
		{cell(``), "cells[1].cell_type: it is missing or empty"},
		{cell(`"cell_type":1`), "cells[1].cell_type: want a string, got a number"},
		{cell(`"cell_type":"raw","source":{}`), "cells[1].source: want a string or a list of strings, got an object"},
		{cell(`"cell_type":"raw","source":["a",1]`), "cells[1].source: want a string or a list of strings, got a list"},
		{cell(`"cell_type":"raw","metadata":true`), "cells[1].metadata: want an object, got true or false"},
		{cell(`"cell_type":"code","execution_count":1.5`), "cells[1].execution_count: want a whole number from 0, got 1.5"},
		{cell(`"cell_type":"code","execution_count":-1`), "cells[1].execution_count: want a whole number from 0, got -1"},
		{cell(`"cell_type":"code","execution_count":9007199254740992`), "cells[1].execution_count: want a whole number from 0"},
		{`{"nbformat":` + strings.Repeat("9", 200_000) + `}`, "nbformat: want a whole number from 0, got " + strings.Repeat("9", 60) + "…"},
		{cell(`"cell_type":"markdown","attachments":{"` + strings.Repeat("x", 200_000) + `":1}`), `cells[1].attachments["` + strings.Repeat("x", 60) + `…"]: want an object, got a number`},
		{cell(`"cell_type":"code","execution_count":"1"`), "cells[1].execution_count: want a whole number or null, got a string"},
		{cell(`"cell_type":"code","outputs":{}`), "cells[1].outputs: want a list, got an object"},
		{cell(`"cell_type":"code","outputs":[null]`), "cells[1].outputs[0]: want an object, got null"},
		{cell(`"cell_type":"markdown","attachments":[]`), "cells[1].attachments: want an object, got a list"},
		{cell(`"cell_type":"markdown","attachments":{"a b.png":1}`), `cells[1].attachments["a b.png"]: want an object, got a number`},
		{output(``), "cells[1].outputs[1].output_type: it is missing or empty"},
		{output(`"output_type":"stream","text":1`), "cells[1].outputs[1].text: want a string or a list of strings, got a number"},
		{output(`"output_type":"stream","name":1`), "cells[1].outputs[1].name: want a string, got a number"},
		{output(`"output_type":"display_data","data":[]`), "cells[1].outputs[1].data: want an object, got a list"},
		{output(`"output_type":"display_data","metadata":1`), "cells[1].outputs[1].metadata: want an object, got a number"},
		{output(`"output_type":"execute_result","execution_count":"x"`), "cells[1].outputs[1].execution_count: want a whole number or null, got a string"},
		{output(`"output_type":"error","ename":1`), "cells[1].outputs[1].ename: want a string, got a number"},
		{output(`"output_type":"error","evalue":[]`), "cells[1].outputs[1].evalue: want a string, got a list"},
		{output(`"output_type":"error","traceback":"x"`), "cells[1].outputs[1].traceback: want a list, got a string"},
		{output(`"output_type":"error","traceback":["x",null]`), "cells[1].outputs[1].traceback[1]: want a string, got null"},
	})
}

func TestIP10ADamagedCellOfNbformat3IsAnErrorWithItsPlace(t *testing.T) {
	old := func(members string) string {
		return `{"nbformat":3,"worksheets":[{},{"cells":[{` + members + `}]}]}`
	}
	mustRefuse(t, []damage{
		{`{"nbformat":3,"worksheets":{}}`, "worksheets: want a list, got an object"},
		{`{"nbformat":3,"worksheets":[{"cells":1}]}`, "worksheets[0].cells: want a list, got a number"},
		{old(`"cell_type":"code","input":1`), "worksheets[1].cells[0].input: want a string or a list of strings, got a number"},
		{old(`"cell_type":"code","prompt_number":"*"`), "worksheets[1].cells[0].prompt_number: want a whole number or null, got a string"},
		{old(`"cell_type":"code","language":1`), "worksheets[1].cells[0].language: want a string, got a number"},
		{old(`"cell_type":"code","outputs":[1]`), "worksheets[1].cells[0].outputs[0]: want an object, got a number"},
		{old(`"cell_type":"code","outputs":[{"output_type":"pyout","metadata":1}]`), "worksheets[1].cells[0].outputs[0].metadata: want an object, got a number"},
		{old(`"cell_type":"heading","level":"1"`), "worksheets[1].cells[0].level: want a whole number or null, got a string"},
		{old(`"cell_type":"heading","source":1`), "worksheets[1].cells[0].source: want a string or a list of strings, got a number"},
	})
}

func TestIP10AByteOrderMarkIsNoDamage(t *testing.T) {
	if _, err := Import([]byte("\ufeff" + `{"nbformat":4}`)); err != nil {
		t.Errorf("got the error %v, want none", err)
	}
}

func TestIP12WhatANewerFormatHasIsKeptAndShownAsFarAsItCanBe(t *testing.T) {
	n := fold(t, mustImport(t, read(t, "newer.ipynb")))
	if got, want := n.Cell("n1").Kind, event.KindRaw; got != want {
		t.Errorf("got the kind %q for a cell of an unknown type, want %q", got, want)
	}
	if got, want := n.Cell("n1").Source(), "data\n"; got != want {
		t.Errorf("got the source %q, want %q", got, want)
	}
	o := n.Output(n.Cell("n2").Outputs[0]).Value()
	if got, want := string(o.Data["text/plain"]), `"[output of the type \"hologram\", which cannot be shown]"`; got != want {
		t.Errorf("got the text %s for an output of an unknown type, want %s", got, want)
	}
	apply(t, n, &event.CellKindChanged{Cell: "n1", Kind: event.KindMarkdown})
	cells := listOf(mapOf(decodeAny(t, mustExport(t, n)))["cells"])
	if got, want := mapOf(cells[0])["cell_type"], any("markdown"); got != want {
		t.Errorf("got the type %q for the cell that is Markdown now, want %q", got, want)
	}
}

func TestIP4NotebooksOfNbformat2AreRead(t *testing.T) {
	const file = `{"nbformat":2,"metadata":{"name":"Old"},"worksheets":[{"cells":[
		{"cell_type":"markdown","source":"# Title"},
		{"cell_type":"code","collapsed":false,"input":"1+1","language":"python","prompt_number":1,"outputs":[
			{"output_type":"pyout","output_text":"2","text":"2","prompt_number":1}]}]}]}`
	payloads, err := Import([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	var sources []string
	outputs := 0
	for _, p := range payloads {
		switch p := p.(type) {
		case *event.CellCreated:
			sources = append(sources, string(p.Kind)+": "+p.Source)
		case *event.OutputsImported:
			outputs += len(p.Outputs)
		}
	}
	if diff := cmp.Diff([]string{"markdown: # Title", "code: 1+1"}, sources); diff != "" || outputs != 1 {
		t.Errorf("got %d outputs, and cells (-want +got):\n%s", outputs, diff)
	}
}
