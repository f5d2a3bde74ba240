package plain

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/order"
)

// tour returns a notebook that uses every feature.
func tour(t *testing.T) []event.Payload {
	t.Helper()
	list := []event.Payload{
		&event.NotebookTitled{Title: "A tour"},
		&event.NotebookMetadataSet{Key: "kernelspec", Value: json.RawMessage(`{"name":"python3","language":"python","display_name":"Python 3"}`)},
	}
	cells := []event.CellCreated{
		{Kind: event.KindMarkdown, Source: "# A tour\n\nof *everything*:\n\n%% is no marker"},
		{Kind: event.KindCode, Source: "n = 3\nwho = \"ada\""},
		{Kind: event.KindCode, Source: "%matplotlib inline\nfiles = !ls\n# %time is a comment\ntext = \"\"\"\n%s\n\"\"\"\n\n# %% not a cell"},
		{Kind: event.KindMarkdown, Source: "First."},
		{Kind: event.KindMarkdown, Source: "Second, with code:\n\n```python\nx\n```"},
		{Kind: event.KindCode, Source: "%%bash\nls\n\npwd"},
		{Kind: event.KindCode, Language: "r", Source: "x <- 1"},
		{Kind: event.KindSQL, Language: "duckdb", Source: "select *\nfrom t"},
		{Kind: event.KindAI, Source: "Explain `t`."},
		{Kind: event.KindRaw, Source: "\\newpage"},
		{Kind: event.KindCode, Source: "x\n\n"},
		{Kind: event.KindCode},
	}
	const keys = "BCDEFGHIJKLM"
	for i := range cells {
		cells[i].Cell, cells[i].Order = event.CellID(keys[i:i+1]), order.Key(keys[i:i+1])
		list = append(list, &cells[i])
	}
	return append(list,
		&event.CellMetadataSet{Cell: "C", Key: "tags", Value: json.RawMessage(`["parameters"]`)},
		&event.CellMetadataSet{Cell: "E", Key: "title", Value: json.RawMessage(`"The first"`)},
		&event.CellMetadataSet{Cell: "K", Key: "raw_mimetype", Value: json.RawMessage(`"text/latex"`)},
		&event.CellVisibilitySet{Cell: "D", Source: new(bool)},
		&event.OutputsImported{Cell: "C", Count: 1, Outputs: []event.Output{{Kind: event.OutputStream, Stream: event.Stdout, Text: "left"}}},
	)
}

func TestPL4PL5ANotebookIsWrittenAsAProgram(t *testing.T) {
	n := fold(t, tour(t))
	for _, name := range []string{"python", "javascript"} {
		f := formNamed(t, name)
		golden(t, "tour"+f.golden, f.mustWrite(t, n))
	}
}

func TestPL7ANotebookIsWrittenAsMarkdown(t *testing.T) {
	f := formNamed(t, "markdown")
	golden(t, "tour.md", f.mustWrite(t, fold(t, tour(t))))
}

func TestPL5LongStringsHideMagics(t *testing.T) {
	for _, test := range []struct{ line, open, want string }{
		{`x = 1`, "", ""},
		{`x = """`, "", `"""`},
		{`x = """a""" + '''`, "", `'''`},
		{`# """`, "", ""},
		{`x = "#" """`, "", `"""`},
		{`x = "\"""`, "", ""},
		{`x = 'it"""'`, "", ""},
		{`a \""" b`, `"""`, `"""`},
		{`'''`, `"""`, `"""`},
		{`""" # x`, `"""`, ""},
		{`"`, "", ""},
		{`\`, "", ""},
	} {
		if got := scanQuotes(test.line, test.open); got != test.want {
			t.Errorf("behind %q with %q open: got %q, want %q", test.line, test.open, got, test.want)
		}
	}
}

func TestPL5TheLanguageOfTheSourcesComesBeforeThatOfTheKernel(t *testing.T) {
	n := fold(t, []event.Payload{
		&event.NotebookMetadataSet{Key: "kernelspec", Value: json.RawMessage(`{"name":"sagemath","language":"sage","display_name":"SageMath"}`)},
		&event.NotebookMetadataSet{Key: "language_info", Value: json.RawMessage(`{"name":"python"}`)},
		&event.CellCreated{Cell: "a", Kind: event.KindCode, Order: "B", Source: "factor(12)"},
	})
	file, err := ExportPercent(n, Python)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(file), "\n# %%\nfactor(12)\n") {
		t.Errorf("the cell is not code of the program:\n%s", file)
	}
	payloads, err := ImportPercent(file, Python)
	if err != nil {
		t.Fatal(err)
	}
	if got := notebook.Language(fold(t, payloads).Metadata()); got != "python" {
		t.Errorf("read again: got the language %q, want python:\n%s", got, file)
	}
}
