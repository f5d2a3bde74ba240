package lua

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/engineproto"
	"github.com/quirehq/quire/core/engineproto/engineprototest"
	"github.com/quirehq/quire/core/lang"
)

func TestNamesAreCompletedAndInspected(t *testing.T) {
	h := engineprototest.Start(t, New(Config{}))
	h.Run("counter = 1\ntool = {hammer = 1, inner = {deep = true}}\n-- says what it does\nfunction area(width, ...)\n  return width\nend\nname = 'x'")
	for source, want := range map[string][]lang.Candidate{
		"1 + coun":     {{Text: "counter", Kind: "number"}},
		"'🐎'; coun":    {{Text: "counter", Kind: "number"}},
		"tool.ha":      {{Text: "hammer", Kind: "number"}},
		"tool.inner.d": {{Text: "deep", Kind: "boolean"}},
		"name:upp":     {{Text: "upper", Kind: "function"}},
		"string.rev":   {{Text: "reverse", Kind: "function"}},
		"wh":           {{Text: "while", Kind: "keyword"}},
		"nope.x":       {},
		"f().x":        {},
	} {
		var got lang.Completion
		if failed := h.Call(engineproto.Call{Method: engineproto.Complete, Source: source + "\n", Cursor: len([]rune(source)) + strings.Count(source, "🐎")}, &got); failed != nil {
			t.Fatal(failed)
		}
		if diff := cmp.Diff(want, got.Items); diff != "" {
			t.Errorf("%s (-want +got):\n%s", source, diff)
		}
	}
	for source, want := range map[string]string{"area": "function area(width, ...)", "area(": "function area(width, ...)", "counter": "counter: number", "math.max": "function math.max(...)", "nope": ""} {
		var got lang.Inspection
		if failed := h.Call(engineproto.Call{Method: engineproto.Inspect, Source: source, Cursor: len(source)}, &got); failed != nil {
			t.Fatal(failed)
		}
		if got.Found != (want != "") || got.Signature != want || source == "area" && !strings.Contains(string(got.Data["text/plain"]), "says what it does") {
			t.Errorf("%s: got %+v, want %s", source, got, want)
		}
	}
}

func TestVariablesAreListedExchangedAndForgotten(t *testing.T) {
	h := engineprototest.Start(t, New(Config{}))
	var got []lang.Variable
	if failed := h.Call(engineproto.Call{Method: engineproto.Variables}, &got); failed != nil || len(got) != 0 {
		t.Errorf("got %+v, %v of a fresh program, want none", got, failed)
	}
	h.Run("n = 42; list = {1, 2}; text = 'x'")
	want := []lang.Variable{
		{Name: "list", Type: "table", Shape: "2 items", Preview: "{1, 2}"}, {Name: "n", Type: "number", Preview: "42"}, {Name: "text", Type: "string", Preview: `"x"`},
	}
	if failed := h.Call(engineproto.Call{Method: engineproto.Variables}, &got); failed != nil {
		t.Fatal(failed)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var value json.RawMessage
	if failed := h.Call(engineproto.Call{Method: engineproto.Get, Name: "list"}, &value); failed != nil || string(value) != "[1,2]" {
		t.Errorf("got %s, %v", value, failed)
	}
	for _, name := range []string{"nope", "print"} {
		if failed := h.Call(engineproto.Call{Method: engineproto.Get, Name: name}, nil); failed == nil || !strings.Contains(failed.Message, name) {
			t.Errorf("%s: got %v, want an error that names it", name, failed)
		}
	}
	if failed := h.Call(engineproto.Call{Method: engineproto.Set, Name: "given", Value: json.RawMessage(`{"a":[1,null,"x"]}`)}, nil); failed != nil {
		t.Error(failed)
	}
	if failed := h.Call(engineproto.Call{Method: engineproto.Set, Name: "a b", Value: json.RawMessage(`1`)}, nil); failed == nil {
		t.Error("a name with a space was set")
	}
	if lines, _ := h.Run("given.a"); lines[0] != `result: application/json [1,false,"x"] text/plain {1, false, "x"}` {
		t.Errorf("got %q", lines)
	}
	if failed := h.Call(engineproto.Call{Method: engineproto.Reset}, nil); failed != nil {
		t.Error(failed)
	}
	if lines, _ := h.Run("n, given"); lines[0] != "result: text/plain nil\tnil" {
		t.Errorf("got %q after a reset", lines)
	}
}
