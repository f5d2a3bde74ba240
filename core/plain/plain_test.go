package plain

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/order"
)

var update = flag.Bool("update", false, "write the golden files")

// tb is what *testing.T, *testing.F and *rapid.T have in common.
type tb interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// fold folds payloads as a room would number them, each after encoding and decoding.
func fold(t tb, payloads []event.Payload) *notebook.Notebook {
	t.Helper()
	n := notebook.New()
	for i, p := range payloads {
		if err := p.Check(); err != nil {
			t.Fatalf("%s is malformed: %v", p.Type(), err)
		}
		data, err := event.Append(nil, &event.Event{
			Seq: event.Seq(i + 1), ID: event.ID{Client: "test", N: uint64(i + 1)}, Actor: "person:ada", Time: 1, Payload: p,
		})
		if err != nil {
			t.Fatalf("encode %s: %v", p.Type(), err)
		}
		e, err := event.Decode(data)
		if err != nil {
			t.Fatalf("decode %s: %v", p.Type(), err)
		}
		if _, err := n.Apply(&e, nil); err != nil {
			t.Fatalf("%s folds to nothing: %v", p.Type(), err)
		}
	}
	return n
}

// form is one of the forms of files, in a language.
type form struct {
	name   string
	read   func([]byte) ([]event.Payload, error)
	write  func(*notebook.Notebook) ([]byte, error)
	golden string
}

var forms = []form{
	percentForm("python", ".py"), percentForm("javascript", ".js"), percentForm("scheme", ".scm"), percentForm("sql", ".sql"), percentForm("lua", ".lua"),
	{"markdown", ImportMarkdown, ExportMarkdown, ".md"},
}

func percentForm(name, ext string) form {
	s, _ := ScriptOf(ext)
	return form{
		name, func(data []byte) ([]event.Payload, error) { return ImportPercent(data, s) },
		func(n *notebook.Notebook) ([]byte, error) { return ExportPercent(n, s) }, ext,
	}
}

func (f form) mustRead(t tb, file string) *notebook.Notebook {
	t.Helper()
	payloads, err := f.read([]byte(file))
	if err != nil {
		t.Fatalf("read: %v", err)
	}
	return fold(t, payloads)
}

func (f form) mustWrite(t tb, n *notebook.Notebook) string {
	t.Helper()
	file, err := f.write(n)
	if err != nil {
		t.Fatalf("write: %v", err)
	}
	return string(file)
}

// row is the part of a cell that a form keeps.
type row struct {
	Kind                 event.CellKind
	Language             string // also that of the notebook
	Source               string
	Tags                 string
	Source0, Out0, Hide0 bool
}

// rows returns the parts of a notebook that a form keeps.
func rows(n *notebook.Notebook) []row {
	h := headerOf(n)
	var list []row
	for _, id := range n.Cells() {
		c := n.Cell(id)
		r := row{Kind: c.Kind, Language: c.Language, Source: c.Source(), Tags: string(c.Metadata["tags"])}
		r.Source0, r.Out0, r.Hide0 = c.HideSource, c.HideOutputs, c.HideContext
		if r.Language == "" && c.Kind == event.KindCode {
			r.Language = h.defaultLanguage()
		}
		list = append(list, r)
	}
	return list
}

func TestPL1ANotebookThatIsWrittenAndReadHasTheSameCells(t *testing.T) {
	for _, f := range forms {
		t.Run(f.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				n := fold(t, genNotebook().Draw(t, "book"))
				file := f.mustWrite(t, n)
				again := f.mustRead(t, file)
				if diff := cmp.Diff(rows(n), rows(again)); diff != "" {
					t.Fatalf("cells (-written +read):\n%s\nof the file\n%s", diff, file)
				}
				if n.Title() != again.Title() || headerOf(n).kernel != headerOf(again).kernel {
					t.Fatalf("got the title %q and kernel %v, want %q and %v, of the file\n%s",
						again.Title(), headerOf(again).kernel, n.Title(), headerOf(n).kernel, file)
				}
				if second := f.mustWrite(t, again); second != file {
					t.Fatalf("the file changes when it is read and written (-first +second):\n%s", cmp.Diff(file, second))
				}
			})
		})
	}
}

// genNotebook generates notebooks whose cells have texts with a meaning in the forms.
func genNotebook() *rapid.Generator[[]event.Payload] {
	return rapid.Custom(func(t *rapid.T) []event.Payload {
		var list []event.Payload
		if title := rapid.SampledFrom([]string{"", "A title", "yes", "a: b # c", "zwei\nZeilen", `"q" 'q'`, "日本"}).Draw(t, "title"); title != "" {
			list = append(list, &event.NotebookTitled{Title: title})
		}
		if spec := rapid.SampledFrom([]string{
			"", `{"name":"c","language":"C++17"}`, `{"name":"w","language":"Wolfram Language"}`, `{"name":"python3","language":"python","display_name":"Python 3 (ipykernel)"}`,
			`{"name":"ir","language":"R","display_name":"R"}`, `{"name":"ihaskell","language":"haskell","display_name":"'"}`,
		}).Draw(t, "kernel"); spec != "" {
			list = append(list, &event.NotebookMetadataSet{Key: "kernelspec", Value: json.RawMessage(spec)})
		}
		const keys = "BCDEF"
		for i := range rapid.IntRange(0, 5).Draw(t, "cells") {
			id := event.CellID("c" + keys[i:i+1])
			list = append(list, genCell(t, id, keys[i:i+1])...)
		}
		return list
	})
}

func genCell(t *rapid.T, id event.CellID, key string) []event.Payload {
	kinds := []event.CellKind{event.KindCode, event.KindCode, event.KindMarkdown, event.KindMarkdown, event.KindSQL, event.KindAI, event.KindRaw}
	languages := []string{"", "", "", "python", "r", "sql", "sh", "haskell", "zwei Worte", "javascript"}
	created := &event.CellCreated{Cell: id, Order: order.Key(key), Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), Source: genSource().Draw(t, "source")}
	if created.Kind == event.KindRaw && rapid.Bool().Draw(t, "header") {
		created.Source = "---\n" + rapid.SampledFrom([]string{"a: b", "author:\n  - ada\n- x", "title: x", "x", "jupyter: x", "\na: b", "a: b\n---\nc: d", "# a", "toc: 1\n\n# b"}).Draw(t, "yaml") + "\n---"
	}
	created.Language = rapid.SampledFrom(languages).Draw(t, "language")
	list := []event.Payload{created}
	if rapid.Bool().Draw(t, "hides") {
		hide := func(name string) *bool { return hidden(rapid.Bool().Draw(t, name)) }
		list = append(list, &event.CellVisibilitySet{Cell: id, Source: hide("source"), Outputs: hide("outputs"), Context: hide("context")})
	}
	for _, m := range rapid.SliceOfN(rapid.SampledFrom([][2]string{
		{"tags", `["parameters"]`},
		{"tags", `["a b", "c-->", "` + "```" + `", "=", "\\\""]`},
		{"title", `"Two words"`},
		{"title", `"a [raw] b=1"`},
		{"title", `"coding: utf-7"`},
		{"title", `3`},
		{"cell_depth", `2`},
		{"cell_depth", `"x"`},
		{"cell_marker", `"\"\"\""`},
		{"info", `"py"`},
		{"info", `"a\nb"`},
		{"language", `"r"`},
		{"quire", `{"kind":"ai","own":1}`},
		{"quire", `5`},
		{"jupyter", `{"source_hidden":true,"x":null}`},
		{"a b", `1`},
		{"ipynb", `{"keys":{}}`},
		{"slideshow", `{"slide_type":"slide"}`},
		{"n", `1e400`},
		{"collapsed", `true`},
		{"run_control", `{"frozen":true}`},
		{"active", `"ipynb"`},
		{"active", `""`},
		{"tags", `["active-ipynb"]`},
	}), 0, 3).Draw(t, "metadata") {
		list = append(list, &event.CellMetadataSet{Cell: id, Key: m[0], Value: json.RawMessage(m[1])})
	}
	return list
}

// genSource generates sources of lines with a meaning in some form.
func genSource() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		line := rapid.SampledFrom([]string{
			"", "", " ", "x = 1", "# %%", "#%% x", "# # %%", "// %% a", "%% a", `\%% a`, "  %%", "-- %%", ";; %% [raw]", "# %% [markdown]",
			"%time x", "# %time x", "  %time x", "  # %time x", "#%time", "!ls", "?x", "x?", "y = !ls", "# y = %who", "%%time", "%%bash", "%%bash -e ", "%%R  x",
			`"""`, "'''", `s = """ # `, `'\'''`, `"#" + '`, "# ---", "---", "...", "# title: x", "title: x", "#!/bin/sh", "# -*- coding: utf-8 -*-", "# 日本", "#", "//",
			"```", "```python", "```py {.x}", "````", "~~~", "~~~~r", "   ```js", "    ```js", "``` `", "<!-- #region -->", "<!-- #endregion -->", `<!-- \#endregion -->`,
			"#%%[markdown]", "#%% md", "# In[1]:", "# In [ ]:", "# <codecell>", "# +", "# + [raw]", "# -", "a: b", "- c", "jupyter:", "  kernelspec:", "kernelspec:", "    x", "\tx",
			"+++", "+++ {\"a\": 1}", "```{code-cell}", "```{code-cell} r", "```{raw-cell}", ":tags: [a]", "```R magic_args=\"-i d\"", "```html", "```python .noeval", "%%html",
			"<!-- #raw -->", "<!-- #endraw -->", "<!-- #region x=1 -->", "> ```", "\\", "\ufeff", "\x00\f\u2028", "a\u2028b", "\u2029# %%", "\v# x\u0085", "\x1c\x1d\x1e// a\u2028\u2028", "# coding: utf-7",
		})
		end := rapid.SampledFrom([]string{"\n", "\n", "\n", "\n\n", "\r\n", "\r"})
		var b strings.Builder
		for i := range rapid.IntRange(0, 5).Draw(t, "lines") {
			if i > 0 {
				b.WriteString(end.Draw(t, "end"))
			}
			b.WriteString(line.Draw(t, "line"))
		}
		return b.String()
	})
}

// golden compares a text with a golden file, or writes that.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}
