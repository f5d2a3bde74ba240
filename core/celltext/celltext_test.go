package celltext_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/quirehq/quire/core/celltext"
	"github.com/quirehq/quire/core/event"
)

func TestAS11AFoldedTextHasItsEndsAndSaysWhatIsLeftOut(t *testing.T) {
	long := strings.Repeat("0123456789\n", 1000)
	got := celltext.Fold("begin\n"+long+"end", 200)
	if !strings.HasPrefix(got, "begin\n") || !strings.HasSuffix(got, "\nend") || !strings.Contains(got, "lines, ") {
		t.Errorf("got %q", got)
	}
	for most := range 300 {
		for _, text := range []string{long, strings.Repeat("🌊", 500), "", "a"} {
			if got := celltext.Fold(text, most); !utf8.ValidString(got) || len(got) > most+80 && len(text) > most {
				t.Fatalf("fold of %d bytes to %d: got %d bytes, valid %v", len(text), most, len(got), utf8.ValidString(got))
			}
		}
	}
	if got := celltext.Fold("whole", 5); got != "whole" {
		t.Errorf("got %q", got)
	}
}

func TestAS11OutputsAreTextForModels(t *testing.T) {
	raw := func(v any) json.RawMessage {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for _, test := range []struct {
		name string
		v    event.Output
		want string
	}{
		{"control sequences", event.Output{Kind: event.OutputStream, Text: "\x1b[1mbold\x1b[0m\n"}, "bold\n"},
		{"trace", event.Output{Kind: event.OutputError, Error: &event.Error{Name: "E", Message: "m", Trace: []string{"line 1", "\x1b[31mE: m\x1b[0m"}}}, "line 1\nE: m"},
		{"no trace", event.Output{Kind: event.OutputError, Error: &event.Error{Name: "E", Message: "m", Line: 3}}, "E: m (line 3)"},
		{"text before HTML", event.Output{Kind: event.OutputResult, Data: map[string]json.RawMessage{"text/html": raw("<b>x</b>"), "text/plain": raw("x  y")}}, "x  y"},
		{"a table in HTML", event.Output{Kind: event.OutputDisplay, Data: map[string]json.RawMessage{
			"text/html": raw("<style>p{}</style><table><tr><th>a</th><th>b</th></tr>\n<tr><td>1 &lt; 2</td><td>2</td></tr></table>"),
		}}, "a | b\n1 < 2 | 2"},
		{"JSON", event.Output{Kind: event.OutputDisplay, Data: map[string]json.RawMessage{"application/json": json.RawMessage(`{"a":1}`)}}, "{\n \"a\": 1\n}"},
		{"stored elsewhere", event.Output{Kind: event.OutputStream, Text: "x", Artifacts: map[string]event.Artifact{"text/plain": {Size: 9}}}, "x\n[stored in full outside the notebook: text/plain, 9 bytes]"},
	} {
		if got, _ := celltext.Output(&test.v); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
	_, image := celltext.Output(&event.Output{Kind: event.OutputDisplay, Data: map[string]json.RawMessage{"image/png": raw("aGk=\n")}})
	if image == nil || image.MIME != "image/png" || string(image.Data) != "hi" {
		t.Errorf("got the image %+v", image)
	}
}
