package ipynb

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

// golden compares a file with a golden one, or writes that one.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(string(read(t, name)), string(got)); diff != "" {
		t.Errorf("exported file (-%s +got):\n%s", name, diff)
	}
}

// ran returns a notebook with a cell of each kind that uses every member, as users and runtimes made it.
func ran(t *testing.T) *notebook.Notebook {
	t.Helper()
	hide := new(bool)
	text := func(s string) json.RawMessage { return raw(s) }
	n := notebook.New()
	apply(t, n,
		&event.NotebookTitled{Title: "All there is"},
		&event.NotebookMetadataSet{Key: "kernelspec", Value: json.RawMessage(`{"name":"python3","display_name":"Python 3"}`)},
		&event.CellCreated{Cell: "md", Kind: event.KindMarkdown, Order: "R", Source: "# Hello\nworld"},
		&event.CellCreated{Cell: "py", Kind: event.KindCode, Order: "Z", Source: "f()"},
		&event.CellCreated{Cell: "sql", Kind: event.KindSQL, Language: "duckdb", Order: "b", Source: "select 1"},
		&event.CellCreated{Cell: "ai", Kind: event.KindAI, Order: "d", Source: "Explain."},
		&event.CellCreated{Cell: "raw", Kind: event.KindRaw, Order: "e", Source: "---"},
		&event.CellCreated{Cell: "gone", Kind: event.KindCode, Order: "f", Source: "x"},
		&event.CellDeleted{Cell: "gone"},
		&event.CellVisibilitySet{Cell: "py", Source: hide, Outputs: hide},
		&event.CellVisibilitySet{Cell: "ai", Context: hide},
		&event.CellMetadataSet{Cell: "py", Key: "tags", Value: json.RawMessage(`["a"]`)},
		&event.RuntimeStarted{Runtime: "rt", Takes: event.TakesCode},
		&event.RunRequested{Runs: []event.RunOf{{Run: "r1", Cell: "py"}}},
		&event.RunAssigned{Run: "r1", Epoch: 1},
		&event.RunStarted{Run: "r1", Epoch: 1},
	)
	for i, o := range []event.Output{
		{Kind: event.OutputStream, Stream: event.Stdout, Text: "one\ntw"},
		{Kind: event.OutputDisplay, DisplayID: "d", Data: map[string]json.RawMessage{"text/html": text("<b>\n</b>")}},
		{
			Kind: event.OutputDisplay, Artifacts: map[string]event.Artifact{"image/png": {Hash: strings.Repeat("ab", 32), Size: 70_000}},
			Metadata: map[string]json.RawMessage{"ipynb": json.RawMessage(`{"keys":{"output_type":"x","extra":1}}`)},
		},
		{Kind: event.OutputStream, Stream: event.Stderr, Text: "head\n", Artifacts: map[string]event.Artifact{"text/plain": {Hash: strings.Repeat("cd", 32), Size: 1 << 40}}},
		{Kind: event.OutputResult, Count: 4, Data: map[string]json.RawMessage{"text/plain": text("5"), "application/json": json.RawMessage(`{"b":1,"a":[]}`)}},
		{Kind: event.OutputError, Error: &event.Error{Name: "ValueError", Message: "no", Line: 1, Trace: []string{"Traceback", "ValueError: no"}}},
	} {
		apply(t, n, &event.OutputAdded{Output: event.OutputID("o" + string(rune('0'+i))), Run: "r1", Epoch: 1, Value: o})
	}
	apply(t, n,
		&event.OutputAppended{Output: "o0", Run: "r1", Epoch: 1, Text: "o\n"},
		&event.RunFinished{Run: "r1", Epoch: 1, Status: event.StatusError, Count: 4},
		&event.OutputsImported{Cell: "ai", Outputs: []event.Output{{Kind: event.OutputMarkdown, Text: "It *says*\nhello."}}},
	)
	return n
}

func TestIP7ANotebookThatRanExportsAsJupyterWouldHaveSavedIt(t *testing.T) {
	got := mustExport(t, ran(t))
	mustBeValid(t, got)
	golden(t, "ran.golden", got)
}

// cellView is the visible part of a cell.
type cellView struct {
	Kind             event.CellKind
	Language, Source string

	HideSource, HideOutputs, HideContext bool

	Count    int
	Metadata map[string]json.RawMessage
	Outputs  []event.Output
}

func view(n *notebook.Notebook) map[event.CellID]cellView {
	cells := map[event.CellID]cellView{}
	for _, id := range n.Cells() {
		c := n.Cell(id)
		v := cellView{c.Kind, c.Language, c.Source(), c.HideSource, c.HideOutputs, c.HideContext, c.Count, c.Metadata, nil}
		for _, o := range c.Outputs {
			v.Outputs = append(v.Outputs, n.Output(o).Value())
		}
		cells[id] = v
	}
	return cells
}

func TestIP7OurOwnNotebooksComeBackWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := notebook.New()
		for i := range rapid.IntRange(0, 4).Draw(t, "cells") {
			id := event.CellID("c" + string(rune('0'+i)))
			key, err := n.Between(i)
			if err != nil {
				t.Fatal(err)
			}
			kind := rapid.SampledFrom([]event.CellKind{event.KindCode, event.KindMarkdown, event.KindSQL, event.KindAI, event.KindRaw}).Draw(t, "kind")
			see := func(what string) *bool { b := rapid.Bool().Draw(t, what); return &b }
			apply(t, n,
				&event.CellCreated{
					Cell: id, Kind: kind, Order: key, Source: genString().Draw(t, "source"),
					Language: rapid.SampledFrom([]string{"", "r", "julia"}).Draw(t, "language"),
				},
				&event.CellVisibilitySet{Cell: id, Source: see("source"), Outputs: see("outputs"), Context: see("context")},
				&event.CellMetadataSet{Cell: id, Key: "tags", Value: json.RawMessage(`["x"]`)},
			)
			if typeOf(kind) == typeCode {
				outputs := rapid.SliceOfN(genOwnOutput(), 0, 4).Draw(t, "outputs")
				apply(t, n, &event.OutputsImported{Cell: id, Count: rapid.IntRange(0, 3).Draw(t, "count"), Outputs: outputs})
			}
		}
		exported := mustExport(t, n)
		mustBeValid(t, exported)
		got := fold(t, mustImport(t, exported))
		if diff := cmp.Diff(view(n), view(got), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("the notebook that comes back (-exported +imported):\n%s", diff)
		}
	})
}

func genOwnOutput() *rapid.Generator[event.Output] {
	return rapid.Custom(func(t *rapid.T) event.Output {
		data := map[string]json.RawMessage{}
		for mime, v := range genBundle(valid).Draw(t, "data") {
			b, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			value := decodeAny(t, b)
			if s, ok := joined(value); ok && !isJSON(mime) {
				value = s
			}
			data[mime] = raw(value)
		}
		metadata := map[string]json.RawMessage{"m": json.RawMessage(`{"isolated":true}`)}
		return rapid.SampledFrom([]event.Output{
			{Kind: event.OutputStream, Stream: event.Stderr, Text: genString().Draw(t, "text")},
			{Kind: event.OutputMarkdown, Text: genString().Draw(t, "text"), Metadata: metadata},
			{Kind: event.OutputDisplay, Data: data, Metadata: metadata},
			{Kind: event.OutputResult, Data: data, Count: rapid.IntRange(0, 9).Draw(t, "count")},
			{Kind: event.OutputError, Error: &event.Error{Name: genString().Draw(t, "name"), Message: genString().Draw(t, "message"), Trace: []string{"a", "b"}}},
		}).Draw(t, "output")
	})
}

func TestIP8WhatIsHiddenIsWrittenWhereJupyterLooks(t *testing.T) {
	show, hide := true, false
	tests := []struct {
		name, before string
		set          event.CellVisibilitySet
		want         string
	}{
		{"hide the source", `{}`, event.CellVisibilitySet{Source: &hide}, `{"jupyter":{"source_hidden":true}}`},
		{"hide the outputs", `{"jupyter":{"x":1}}`, event.CellVisibilitySet{Outputs: &hide}, `{"jupyter":{"outputs_hidden":true,"x":1}}`},
		{"hide from assistants", `{"quire":{"x":1}}`, event.CellVisibilitySet{Context: &hide}, `{"quire":{"hideContext":true,"x":1}}`},
		{"hide what the file shows", `{"jupyter":{"source_hidden":false}}`, event.CellVisibilitySet{Source: &hide}, `{"jupyter":{"source_hidden":true}}`},
		{"show the source", `{"jupyter":{"source_hidden":true}}`, event.CellVisibilitySet{Source: &show}, `{}`},
		{"show the outputs", `{"jupyter":{"outputs_hidden":true,"x":1}}`, event.CellVisibilitySet{Outputs: &show}, `{"jupyter":{"x":1}}`},
		{"show outputs hidden the old way", `{"collapsed":true}`, event.CellVisibilitySet{Outputs: &show}, `{}`},
		{"show outputs hidden both ways", `{"collapsed":true,"jupyter":{"outputs_hidden":true}}`, event.CellVisibilitySet{Outputs: &show}, `{}`},
		{"hide outputs shown the old way", `{"collapsed":false}`, event.CellVisibilitySet{Outputs: &hide}, `{"collapsed":false,"jupyter":{"outputs_hidden":true}}`},
		{"change nothing", `{"collapsed":true,"jupyter":{"outputs_hidden":false,"source_hidden":true}}`, event.CellVisibilitySet{Context: &show}, `{"collapsed":true,"jupyter":{"outputs_hidden":false,"source_hidden":true}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			n := fold(t, mustImport(t, oneCell("code", test.before)))
			test.set.Cell = "a"
			apply(t, n, &test.set)
			if got := metadataOf(t, n); got != test.want {
				t.Errorf("got the metadata %s, want %s", got, test.want)
			}
		})
	}
}

func TestIP8OnlyACodeCellIsHiddenTheOldWay(t *testing.T) {
	for cellType, want := range map[string]bool{"code": true, "markdown": false, "raw": false} {
		n := fold(t, mustImport(t, oneCell(cellType, `{"collapsed":true}`)))
		if got := n.Cell("a").HideOutputs; got != want {
			t.Errorf("%s: got HideOutputs %v, want %v", cellType, got, want)
		}
	}
}

func TestIP7AKindOrLanguageThatChangesChangesItsMark(t *testing.T) {
	n := fold(t, mustImport(t, oneCell("code", `{"quire":{"kind":"sql","language":"duckdb"}}`)))
	apply(t, n, &event.CellKindChanged{Cell: "a", Kind: event.KindAI}, &event.CellLanguageChanged{Cell: "a"})
	if got, want := metadataOf(t, n), `{"quire":{"kind":"ai"}}`; got != want {
		t.Errorf("got the metadata %s, want %s", got, want)
	}
	apply(t, n, &event.CellKindChanged{Cell: "a", Kind: event.KindCode})
	if got, want := metadataOf(t, n), `{}`; got != want {
		t.Errorf("got the metadata %s, want %s", got, want)
	}
}

func TestIP9ACellThatIsNoCodeAnyMoreExportsWithoutOutputsAndOneThatIsNowCodeWithoutAttachments(t *testing.T) {
	n := fold(t, mustImport(t, read(t, "v4.5.ipynb")))
	apply(t, n, &event.CellKindChanged{Cell: "plot", Kind: event.KindMarkdown})
	mustBeValid(t, mustExport(t, n))

	n = fold(t, mustImport(t, read(t, "attachments.ipynb")))
	apply(t, n, &event.CellKindChanged{Cell: "a1", Kind: event.KindCode})
	mustBeValid(t, mustExport(t, n))
	apply(t, n, &event.CellKindChanged{Cell: "a1", Kind: event.KindMarkdown})
	if diff := cmp.Diff(string(read(t, "attachments.ipynb")), string(mustExport(t, n))); diff != "" {
		t.Errorf("the cell that is Markdown again (-file +exported):\n%s", diff)
	}
}

func oneCell(cellType, metadata string) []byte {
	return []byte(`{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[{"id":"a","cell_type":"` + cellType +
		`","metadata":` + metadata + `,"source":"","execution_count":null,"outputs":[]}]}`)
}

// metadataOf returns the metadata, in a file, of a notebook's only cell.
func metadataOf(t *testing.T, n *notebook.Notebook) string {
	t.Helper()
	exported := mustExport(t, n)
	mustBeValid(t, exported)
	c := mapOf(listOf(mapOf(decodeAny(t, exported))["cells"])[0])
	b, err := json.Marshal(c["metadata"])
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestExportOfWhatIsNotJSONIsAnErrorWithItsPlace(t *testing.T) {
	broken := map[string]json.RawMessage{"x": json.RawMessage(`{`)}
	tests := []struct {
		name string
		make event.Payload
		want string
	}{
		{"metadata of the notebook", &event.NotebookMetadataSet{Key: "x", Value: broken["x"]}, `metadata "x": `},
		{"metadata of a cell", &event.CellMetadataSet{Cell: "a", Key: "x", Value: broken["x"]}, `cell a: metadata "x": `},
		{"data", &event.OutputsImported{Cell: "a", Outputs: []event.Output{{Kind: event.OutputResult, Data: broken}}}, `cell a: output test-2-0: data "x": `},
		{"metadata of an output", &event.OutputsImported{Cell: "a", Outputs: []event.Output{{Kind: event.OutputResult, Metadata: broken}}}, `cell a: output test-2-0: metadata "x": `},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			n := fold(t, mustImport(t, oneCell("code", `{}`)))
			e := event.Event{Seq: 2, ID: event.ID{Client: "test", N: 2}, Payload: test.make}
			if _, err := n.Apply(&e, nil); err != nil {
				t.Fatal(err)
			}
			if _, err := Export(n); err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got the error %v, want one that begins %q", err, test.want)
			}
		})
	}
}
