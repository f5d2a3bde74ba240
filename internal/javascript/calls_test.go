package javascript

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/engineproto"
	"github.com/quirehq/quire/core/engineproto/engineprototest"
	"github.com/quirehq/quire/core/lang"
)

func TestNamesAreCompleted(t *testing.T) {
	h := engineprototest.Start(t, New(Config{}))
	h.Run("let counter = 1; const tool = {hammer: 1, drill() {}, inner: {deep: 1}}; class Cat {}")
	for _, c := range []struct {
		source string
		start  int
		want   []lang.Candidate
	}{
		{"1 + coun", 4, []lang.Candidate{{Text: "counter", Kind: "variable"}}},
		{"'🐎'; coun", 6, []lang.Candidate{{Text: "counter", Kind: "variable"}}},
		{"tool.", 5, nil},
		{"tool.ha", 5, []lang.Candidate{{Text: "hammer", Kind: "property"}, {Text: "hasOwnProperty", Kind: "function"}}},
		{"tool.inner.d", 11, []lang.Candidate{{Text: "deep", Kind: "property"}}},
		{"nope.x", 5, []lang.Candidate{}},
		{"f().x", 4, []lang.Candidate{}},
		{"swi", 0, []lang.Candidate{{Text: "switch", Kind: "keyword"}}},
		{"Ca", 0, []lang.Candidate{{Text: "Cat", Kind: "class"}}},
	} {
		var got lang.Completion
		if failed := h.Call(engineproto.Call{Method: engineproto.Complete, Source: c.source + "\n", Cursor: len([]rune(c.source)) + strings.Count(c.source, "🐎")}, &got); failed != nil {
			t.Fatal(failed)
		}
		if c.want == nil && len(got.Items) > 3 {
			got.Items, c.want = nil, nil
		}
		if diff := cmp.Diff(c.want, got.Items); diff != "" || got.Start != c.start {
			t.Errorf("%s: start %d, want %d (-want +got):\n%s", c.source, got.Start, c.start, diff)
		}
	}
}

func TestNamesAreInspected(t *testing.T) {
	h := engineprototest.Start(t, New(Config{}))
	h.Run("function area(width, height) {\n  // says what it does\n  return width * height\n}\nlet n = 42")
	for source, want := range map[string]string{"area": "function area(width, height)", "area(": "function area(width, height)", "n": "n: number", "Math.max": "function max()", "nope": ""} {
		var got lang.Inspection
		if failed := h.Call(engineproto.Call{Method: engineproto.Inspect, Source: source, Cursor: len(source)}, &got); failed != nil {
			t.Fatal(failed)
		}
		if got.Found != (want != "") || got.Signature != want {
			t.Errorf("%s: got %+v, want %s", source, got, want)
		}
	}
}

func TestVariablesAreListed(t *testing.T) {
	h := engineprototest.Start(t, New(Config{}))
	list := func() (got []lang.Variable) {
		if failed := h.Call(engineproto.Call{Method: engineproto.Variables}, &got); failed != nil {
			t.Fatal(failed)
		}
		return got
	}
	if got := list(); len(got) != 0 {
		t.Errorf("got %+v of a fresh program, want none", got)
	}
	h.Run("let n = 42, list = [1, 2]; const m = new Map([[1, 2]]); function f() {}; bare = 'x'; var v = null; class C {}\nlet unready = nope")
	want := []lang.Variable{
		{Name: "C", Type: "class", Preview: "[class C]"},
		{Name: "bare", Type: "string", Preview: "'x'"},
		{Name: "f", Type: "function", Preview: "[Function: f]"},
		{Name: "list", Type: "Array", Shape: "2 items", Preview: "[ 1, 2 ]"},
		{Name: "m", Type: "Map", Shape: "1 items", Preview: "Map(1) { 1 => 2 }"},
		{Name: "n", Type: "number", Preview: "42"},
		{Name: "unready", Type: "undefined", Preview: "undefined"},
		{Name: "v", Type: "null", Preview: "null"},
	}
	if diff := cmp.Diff(want, list()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	h.Run("let trap = new Proxy({}, {ownKeys() { for (;;); }})") // it ends by its bound
	var none []lang.Variable
	if failed := h.Call(engineproto.Call{Method: engineproto.Variables}, &none); failed == nil {
		t.Error("an endless proxy was listed")
	}
	if lines, failed := h.Run("n"); failed != nil || lines[0] != "result: text/plain 42" {
		t.Errorf("got %q, %v afterwards", lines, failed)
	}
}

func TestVariablesAreExchangedAndForgotten(t *testing.T) {
	h := engineprototest.Start(t, New(Config{}))
	h.Run("let point = {x: 1, y: [2]}; function f() {}")
	var got json.RawMessage
	if failed := h.Call(engineproto.Call{Method: engineproto.Get, Name: "point"}, &got); failed != nil || string(got) != `{"x":1,"y":[2]}` {
		t.Errorf("got %s, %v", got, failed)
	}
	for name, want := range map[string]string{"nope": "there is no variable nope", "f": "f is a function"} {
		if failed := h.Call(engineproto.Call{Method: engineproto.Get, Name: name}, nil); failed == nil || !strings.Contains(failed.Message, want) {
			t.Errorf("%s: got %v, want %s", name, failed, want)
		}
	}
	if failed := h.Call(engineproto.Call{Method: engineproto.Set, Name: "given", Value: json.RawMessage(`{"a":[1,null]}`)}, nil); failed != nil {
		t.Error(failed)
	}
	if failed := h.Call(engineproto.Call{Method: engineproto.Set, Name: "a b", Value: json.RawMessage(`1`)}, nil); failed == nil {
		t.Error("a name with a space was set")
	}
	if lines, failed := h.Run("given.a.length + point.x"); failed != nil || lines[0] != "result: text/plain 3" {
		t.Errorf("got %q, %v", lines, failed)
	}
	if failed := h.Call(engineproto.Call{Method: engineproto.Reset}, nil); failed != nil {
		t.Error(failed)
	}
	if lines, _ := h.Run("typeof point + typeof given"); lines[0] != "result: text/plain 'undefinedundefined'" {
		t.Errorf("got %q after a reset", lines)
	}
}
