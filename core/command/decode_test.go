package command_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/command"
	"github.com/quirehq/quire/core/event"
)

// decoded has one command of each kind with its JSON.
var decoded = []struct {
	json string
	want command.Command
}{
	{
		`{"kind":"addCell","cellKind":"code","language":"r","source":"1","after":"a"}`,
		&command.AddCell{CellKind: event.KindCode, Language: "r", Source: "1", After: "a"},
	},
	{`{"kind":"deleteCells","cells":["a","b"]}`, &command.DeleteCells{Cells: ids{"a", "b"}}},
	{`{"cells":["a"],"kind":"restoreCells"}`, &command.RestoreCells{Cells: ids{"a"}}},
	{`{"kind":"moveCells","cells":["a"],"before":"b"}`, &command.MoveCells{Cells: ids{"a"}, Before: "b"}},
	{
		`{"kind":"changeKind","cells":["a"],"cellKind":"raw"}`,
		&command.ChangeKind{Cells: ids{"a"}, CellKind: event.KindRaw},
	},
	{`{"kind":"changeLanguage","cells":["a"],"language":""}`, &command.ChangeLanguage{Cells: ids{"a"}}},
	{
		`{"kind":"setVisibility","cells":["a"],"source":true,"outputs":false}`,
		&command.SetVisibility{Cells: ids{"a"}, Source: new(true), Outputs: new(false)},
	},
	{`{"kind":"splitCell","cell":"a","at":[1,2]}`, &command.SplitCell{Cell: "a", At: []int{1, 2}}},
	{`{"kind":"mergeCells","cells":["a","b"]}`, &command.MergeCells{Cells: ids{"a", "b"}}},
	{
		`{"kind":"pasteCells","items":[{"cellKind":"code","count":1,"outputs":[{"kind":"stream","stream":"stdout","text":"1"}],` +
			`"metadata":{"a":[1]}}]}`,
		&command.PasteCells{Items: []command.Copied{{
			CellKind: event.KindCode, Count: 1, Outputs: []event.Output{printed("1")},
			Metadata: map[string]json.RawMessage{"a": json.RawMessage(`[1]`)},
		}}},
	},
	{
		`{"kind":"replaceText","pieces":[{"cell":"a","at":1,"was":"b","text":""}]}`,
		&command.ReplaceText{Pieces: []command.Piece{{Cell: "a", At: 1, Was: "b"}}},
	},
	{
		`{"kind":"attach","cell":"a","key":"k","value":{"x":1},"at":2,"text":"t"}`,
		&command.Attach{Cell: "a", Key: "k", Value: json.RawMessage(`{"x":1}`), At: 2, Text: "t"},
	},
	{`{"kind":"setTitle","title":"é"}`, &command.SetTitle{Title: "é"}},
	{
		`{"kind":"setMetadata","key":"k","value":{"a":1}}`,
		&command.SetMetadata{Key: "k", Value: json.RawMessage(`{"a":1}`)},
	},
	{`{"kind":"runCells","keepGoing":true}`, &command.RunCells{KeepGoing: true}},
	{`{"kind":"cancelRuns"}`, &command.CancelRuns{}},
	{`{"kind":"answerInput","input":"i","value":"v"}`, &command.AnswerInput{Input: "i", Value: "v"}},
	{`{"kind":"clearOutputs","cells":["a"]}`, &command.ClearOutputs{Cells: ids{"a"}}},
	{`{"kind":"undo"}`, &command.Undo{}},
	{`{"kind":"redo","cell":"a"}`, &command.Redo{Cell: "a"}},
}

func TestEachKindOfCommandIsDecoded(t *testing.T) {
	for _, test := range decoded {
		got, err := command.Decode([]byte(test.json))
		if err != nil {
			t.Errorf("%s: %v", test.json, err)
			continue
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.json, diff)
		}
	}
}

func TestWhatIsNoCommandIsAnErrorThatNamesIt(t *testing.T) {
	tests := []struct{ json, want string }{
		{``, "command is not a JSON object"},
		{`[]`, "command is not a JSON object"},
		{`null`, "command has no kind"},
		{`{}`, "command has no kind"},
		{`{"kind":1}`, "command has no kind that is a string"},
		{`{"kind":"fly"}`, `there is no command "fly"`},
		{`{"kind":"undo","cells":[]}`, `command undo: json: unknown field "cells"`},
		{`{"kind":"pasteCells","items":[{"color":1}]}`, `command pasteCells: json: unknown field "color"`},
		{`{"kind":"moveCells","cells":"a"}`, "command moveCells: json: cannot unmarshal string"},
		{`{"kind":"undo"}{}`, "command undo: there is more behind its JSON object"},
		{`{"kind":"undo",}`, "command is not a JSON object"},
		{`{"kind":"redo","cell":"a"`, "command redo: unexpected EOF"},
		{`{"kind":"un`, "command is not a JSON object"},
	}
	for _, test := range tests {
		if _, err := command.Decode([]byte(test.json)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got error %v, want %s", test.json, err, test.want)
		}
	}
}

// FuzzDecode requires an error for any bytes, or a command that can be executed.
func FuzzDecode(f *testing.F) {
	for _, seed := range decoded {
		f.Add([]byte(seed.json))
	}
	f.Add([]byte(`{"kind":"splitCell","cell":"d","at":[1,0,1]}`))
	f.Add([]byte(`{"kind":"mergeCells","cells":["a","d","x","a"]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := command.Decode(data)
		if err != nil {
			return
		}
		body, err := json.Marshal(c)
		if err != nil {
			t.Fatalf("encode %#v: %v", c, err)
		}
		kind := reflect.TypeOf(c).Elem().Name()
		kind = strings.ToLower(kind[:1]) + kind[1:]
		again, err := command.Decode(bytes.Replace(body, []byte(`{`), []byte(`{"kind":"`+kind+`",`), 1))
		if string(body) == `{}` {
			again, err = command.Decode([]byte(`{"kind":"` + kind + `"}`))
		}
		if err != nil {
			t.Fatalf("decode what was encoded of %#v: %v", c, err)
		}
		if a, b := mustJSON(t, c), mustJSON(t, again); a != b {
			t.Errorf("got %s, want %s", b, a)
		}
		doAnything(t, c)
	})
}

func mustJSON(t *testing.T, c command.Command) string {
	t.Helper()
	data, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// doAnything executes a command, which may be nonsense, and requires it to be undone whole.
func doAnything(t *testing.T, c command.Command) {
	t.Helper()
	p := begun(t)
	before := show(p.view())
	done, err := p.Do(c)
	if err != nil {
		p.wantShown(before)
		return
	}
	if p.CanUndo() {
		p.do(&command.Undo{})
		p.wantShown(before)
	} else if len(done.Edits) > 0 {
		t.Errorf("%#v: edits cannot be undone", c)
	}
}
