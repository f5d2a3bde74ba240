package html

import (
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang/names"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/order"
)

var update = flag.Bool("update", false, "write the golden files")

// cell is a cell of a test's notebook, with its outputs.
type cell struct {
	kind     event.CellKind
	language string
	source   string
	count    int
	outputs  []event.Output
	metadata map[string]string
	hide     bool
}

// book returns a notebook with a title and cells.
func book(t testing.TB, title string, cells ...cell) *notebook.Notebook {
	t.Helper()
	var list []event.Payload
	if title != "" {
		list = append(list, &event.NotebookTitled{Title: title})
	}
	const keys = "BCDEFGHIJKLMNOPQ"
	for i, c := range cells {
		id := event.CellID(keys[i : i+1])
		list = append(list, &event.CellCreated{Cell: id, Kind: c.kind, Language: c.language, Source: c.source, Order: order.Key(keys[i : i+1])})
		if c.hide {
			list = append(list, &event.CellVisibilitySet{Cell: id, Source: new(bool), Outputs: new(bool)})
		}
		for key, value := range c.metadata {
			list = append(list, &event.CellMetadataSet{Cell: id, Key: key, Value: json.RawMessage(value)})
		}
		list = append(list, &event.OutputsImported{Cell: id, Outputs: c.outputs, Count: c.count})
	}
	n := notebook.New()
	for i, p := range list {
		if err := p.Check(); err != nil {
			t.Fatalf("%s is malformed: %v", p.Type(), err)
		}
		e := &event.Event{Seq: event.Seq(i + 1), ID: event.ID{Client: "test", N: uint64(i + 1)}, Payload: p}
		if _, err := n.Apply(e, nil); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

func mustExport(t testing.TB, n *notebook.Notebook) string {
	t.Helper()
	page, err := Export(n, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// display returns an output with data, each value of which is a text or JSON.
func display(data map[string]string) event.Output {
	o := event.Output{Kind: event.OutputDisplay, Data: map[string]json.RawMessage{}}
	for mime, value := range data {
		if !strings.HasSuffix(mime, "json") {
			quoted, _ := json.Marshal(value)
			value = string(quoted)
		}
		o.Data[mime] = json.RawMessage(value)
	}
	return o
}

const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

func TestAPageHasEverythingThatANotebookShows(t *testing.T) {
	n := book(t, "Everything & <more>",
		cell{
			kind: event.KindMarkdown, source: "Some *text* with `code`.\n\n- [x] done\n\n```python\nx = 1\n```\n\n![dot](attachment:a%20b.png)\n\n![far](https://example.org/x.png)",
			metadata: map[string]string{"ipynb": `{"attachments":{"a b.png":{"image/png":"` + dot + `"}}}`},
		},
		cell{kind: event.KindCode, source: "def f(x):\n    return \"<&>\"  # why", count: 3, outputs: []event.Output{
			{Kind: event.OutputStream, Stream: event.Stdout, Text: "10%\r50%\r100%\n\x1b[1;31mred\x1b[0m <plain>\n"},
			{Kind: event.OutputStream, Stream: event.Stderr, Text: "a warning\n"},
			{Kind: event.OutputError, Error: &event.Error{Name: "E", Message: "no <b>", Trace: []string{"\x1b[31mE\x1b[0m: no <b>", "line"}}},
			{Kind: event.OutputError, Error: &event.Error{Name: "E", Message: "no trace"}},
		}},
		cell{kind: event.KindCode, source: "df", outputs: []event.Output{
			display(map[string]string{"text/html": "<table class=\"dataframe\" border=\"1\"><tr><td style=\"color: red; position: fixed\">1</td></tr></table>", "text/plain": "left"}),
			display(map[string]string{"image/png": dot + "\n", "text/plain": "<Figure>"}),
			display(map[string]string{"image/svg+xml": "<svg xmlns='http://www.w3.org/2000/svg'/>"}),
			display(map[string]string{"text/latex": "$x < y$", "text/plain": "left"}),
			display(map[string]string{"application/json": `{"a":[1,null]}`}),
			display(map[string]string{"text/markdown": "**strong**"}),
			display(map[string]string{"text/plain": "plain\x1b]8;;https://example.org\x07link\x1b]8;;\x07"}),
			display(map[string]string{"text/html": "<script>draw()</script><div></div>", "text/plain": "A chart"}),
			display(map[string]string{"application/x-own": "z", "application/javascript": "run()"}),
			{Kind: event.OutputDisplay, Artifacts: map[string]event.Artifact{"image/png": {Hash: strings.Repeat("ab", 32), Size: 7}}},
		}},
		cell{kind: event.KindSQL, source: "select 1", count: 4},
		cell{kind: event.KindAI, source: "Explain.", outputs: []event.Output{{Kind: event.OutputMarkdown, Text: "It is *so*."}}},
		cell{kind: event.KindRaw, source: "\\raw <tag>"},
		cell{kind: event.KindCode, language: "javascript", source: "let x = `${y}`", hide: true, outputs: []event.Output{{Kind: event.OutputStream, Stream: event.Stdout, Text: "hidden"}}},
		cell{kind: event.KindCode},
		cell{kind: event.KindMarkdown, source: " \n"})
	page := mustExport(t, n)
	page = strings.Replace(page, style, "STYLE\n", 1)
	if *update {
		if err := os.WriteFile("testdata/page.html", []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/page.html")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), page); diff != "" {
		t.Errorf("page (-want +got):\n%s", diff)
	}
}

func TestTheTitleIsSaidOnce(t *testing.T) {
	heading := cell{kind: event.KindMarkdown, source: "# Waves\n\ntext"}
	for _, test := range []struct {
		name, title string
		cells       []cell
		options     Options
		want        string
		headings    int
	}{
		{"by the page", "Waves", nil, Options{}, "Waves", 1},
		{"by the notebook", "waves.ipynb", []cell{heading}, Options{}, "waves.ipynb", 1},
		{"by the options", "", nil, Options{Title: "From outside"}, "From outside", 1},
		{"not at all", "", nil, Options{}, "Untitled", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			page, err := Export(book(t, test.title, test.cells...), test.options)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Count(string(page), "<h1"); got != test.headings {
				t.Errorf("got %d headings of the first level, want %d", got, test.headings)
			}
			if !strings.Contains(string(page), "<title>"+test.want+"</title>") {
				t.Errorf("got no title %q", test.want)
			}
		})
	}
}

func TestEveryLanguageIsColoured(t *testing.T) {
	for language, source := range map[string]string{
		"python": "def f(): return 1", "javascript": "const x = 1", "typescript": "let x: number = 1", "ruby": "def f; end", "php": "<?php echo 1;",
		"lua": "local x = 1", "r": "x <- TRUE", "perl": "my $x = 1;", "scheme": "(define x 1)", "bash": "if true; then echo; fi",
		"json": `{"a": 1}`, "julia": "function f() end", "html": "<p>x</p>", "css": "p { color: red }", "yaml": "a: true", "xml": "<a/>",
		"ipython3": "def f(): return 1", "shell": "if true; then echo; fi", "diff": "+a\n", "latex": `\section{x} % c`, "sql": "select 1",
	} {
		h, err := newHighlighter()
		if err != nil {
			t.Fatal(err)
		}
		got := h.highlight(source, language)
		if !strings.Contains(got, "<span class=") {
			t.Errorf("%s: got %q without a colour", language, got)
		}
		if text := textIn(t, got); text != source {
			t.Errorf("%s: got the text %q, want %q", language, text, source)
		}
	}
}

func TestEachLanguageOfCellsHasALexer(t *testing.T) {
	h, err := newHighlighter()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range names.All() {
		for _, name := range append([]string{l.ID}, l.Aliases...) {
			if lexer := h.lexer(name); lexer == nil || !strings.EqualFold(lexer.Config().Name, l.Title) {
				t.Errorf("%s: got the lexer %v, want that of %s", name, lexer, l.Title)
			}
		}
	}
}

func TestACellWithoutALanguageIsColouredInThatOfTheNotebook(t *testing.T) {
	n := book(t, "", cell{kind: event.KindCode, source: "lambda"})
	for i, p := range []event.Payload{
		&event.NotebookMetadataSet{Key: "kernelspec", Value: json.RawMessage(`{"name":"ir","language":"R"}`)},
		&event.NotebookMetadataSet{Key: "language_info", Value: json.RawMessage(`{"name":"Python"}`)},
	} {
		if _, err := n.Apply(&event.Event{Seq: n.Seq() + 1, ID: event.ID{Client: "kernel", N: uint64(i + 1)}, Payload: p}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if page := mustExport(t, n); !strings.Contains(page, `<span class="k">lambda</span>`) {
		t.Errorf("got no keyword of Python in\n%s", page)
	}
}

func TestColouringIsBounded(t *testing.T) {
	h, err := newHighlighter()
	if err != nil {
		t.Fatal(err)
	}
	if got := h.highlight("x = 1 < 2", "klingon"); got != "x = 1 &lt; 2" {
		t.Errorf("got %q for a language that nobody knows", got)
	}
	long := strings.Repeat("x = 1\n", maxCode/6+1)
	if got := h.highlight(long, "python"); strings.Contains(got, "<span") {
		t.Error("a text that is too long is coloured")
	}
	h.left = 1
	_ = h.highlight("x = 1", "python")
	if got := h.highlight("x = 1", "python"); h.left > 0 || got != "x = 1" {
		t.Errorf("got %q with %v left, want plain text when the time is over", got, h.left)
	}
}

// textIn returns the text of HTML.
func textIn(t *testing.T, source string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader("<pre>\n" + source + "</pre>"))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
	}
	return b.String()
}

func TestAPictureHasTheSizeThatItsProgramAskedFor(t *testing.T) {
	o := display(map[string]string{"image/png": dot})
	o.Metadata = map[string]json.RawMessage{"image/png": json.RawMessage(`{"width":320,"height":200}`), "x": json.RawMessage(`[1]`)}
	if page := mustExport(t, book(t, "", cell{kind: event.KindCode, source: "x", outputs: []event.Output{o}})); !strings.Contains(page, ` width="320"`) {
		t.Error("got a picture without its width")
	}
}

func BenchmarkExport(b *testing.B) {
	var cells []cell
	for range 16 {
		cells = append(cells, cell{kind: event.KindCode, source: strings.Repeat("x = f(1, 'a')  # c\n", 20), outputs: []event.Output{
			display(map[string]string{"text/html": "<table>" + strings.Repeat("<tr><td>1</td></tr>", 50) + "</table>"}),
		}})
	}
	n := book(b, "x", cells...)
	for b.Loop() {
		_ = mustExport(b, n)
	}
}
