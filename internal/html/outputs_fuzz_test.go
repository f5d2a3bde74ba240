package html

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/quirehq/quire/core/event"
)

// FuzzNothingActiveIsLeftOfOutputs checks that a page has no active content and no untrusted
// content outside its places, for any displays, text and errors of a program, and any attachments
// of a cell.
func FuzzNothingActiveIsLeftOfOutputs(f *testing.F) {
	for _, seed := range [][3]string{
		{"image/svg+xml", `<svg onload="alert(1)"><script>alert(1)</script></svg>`, `{"image/svg+xml":{"width":1e99}}`},
		{"image/png", dot, `{"image/png":{"width":12.5,"height":"x"}}`},
		{"image/png", `x" onerror="alert(1)`, `{"image/png":{"width":"1\" onload=x"}}`},
		{"text/latex", `$$\href{javascript:alert(1)}{x}\unknown{<script>}$$`, `{}`},
		{"text/markdown", "![x](attachment:a.png) [y](javascript:x)\n\n<img src=x onerror=y>", `null`},
		{"text/html", `<table><td background=x><script>1</script>`, `{"isolated":true}`},
		{"application/json", `{"</pre><script>":"\u2028"}`, `{}`},
		{"text/plain", "\x1b]8;;javascript:alert(1)\x07x\x1b[31m<b>\x1b[38;5;999m", `[]`},
		{"application/vnd.jupyter.widget-view+json", `{"model_id":"<script>"}`, `{}`},
		{`"><script>alert(1)</script>`, "x", `{}`},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, mime, value, metadata string) {
		if !utf8.ValidString(mime + value + metadata) {
			return // not possible in an event
		}
		raw, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(mime, "json") {
			raw = json.RawMessage(value)
		}
		shown := event.Output{Kind: event.OutputDisplay, Data: map[string]json.RawMessage{mime: raw}}
		_ = json.Unmarshal([]byte(metadata), &shown.Metadata) // invalid metadata is none
		outputs := []event.Output{
			{Kind: event.OutputStream, Stream: event.Stdout, Text: value},
			{Kind: event.OutputError, Error: &event.Error{Name: mime, Message: value, Trace: []string{value, metadata}}},
			{Kind: event.OutputMarkdown, Text: value},
		}
		if (&event.OutputsImported{Cell: "B", Outputs: []event.Output{shown}}).Check() == nil {
			outputs = append(outputs, shown)
		}
		if (&event.OutputsImported{Cell: "B", Outputs: outputs}).Check() != nil || (&event.NotebookTitled{Title: mime}).Check() != nil {
			return
		}
		attached, err := json.Marshal(map[string]any{"attachments": map[string]any{"a.png": map[string]any{mime: value, "image/png": value}}})
		if err != nil {
			t.Fatal(err)
		}
		page := mustExport(t, book(t, mime,
			cell{kind: event.KindCode, source: value, outputs: outputs},
			cell{kind: event.KindMarkdown, source: "![](attachment:a.png)\n" + value, metadata: map[string]string{"ipynb": string(attached)}},
			cell{kind: event.KindRaw, source: value},
		))
		root, err := html.Parse(strings.NewReader(page))
		if err != nil {
			t.Skip("it nests deeper than the parser of this test goes")
		}
		sections := 0
		for n := range root.Descendants() {
			for _, fault := range faults(n) {
				t.Errorf("got %s", fault)
			}
			if n.Type == html.ElementNode && n.Data == "section" {
				sections++
				if n.Parent.Data != "main" {
					t.Errorf("got a section in a %s", n.Parent.Data)
				}
			}
		}
		if want := strings.Count(page, "<section class=\"q-cell"); sections != want || sections > 3 {
			t.Errorf("got %d sections, want %d", sections, want)
		}
	})
}
