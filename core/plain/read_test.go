package plain

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

// short formats each cell of a notebook as "kind language {metadata} source".
func short(t *testing.T, n *notebook.Notebook) []string {
	t.Helper()
	var list []string
	for _, id := range n.Cells() {
		c := n.Cell(id)
		parts := []string{string(c.Kind)}
		if c.Language != "" {
			parts = append(parts, c.Language)
		}
		if len(c.Metadata) > 0 {
			data, err := json.Marshal(c.Metadata)
			if err != nil {
				t.Fatal(err)
			}
			parts = append(parts, string(data))
		}
		if c.HideSource || c.HideOutputs || c.HideContext {
			parts = append(parts, "hidden")
		}
		list = append(list, strings.Join(parts, " ")+": "+c.Source())
	}
	return list
}

func formNamed(t testing.TB, name string) form {
	t.Helper()
	for _, f := range forms {
		if f.name == name {
			return f
		}
	}
	t.Fatalf("there is no form %s", name)
	return form{}
}

type reading struct {
	name, file string
	want       []string
}

func mustReadAs(t *testing.T, form string, tests []reading) {
	t.Helper()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := formNamed(t, form)
			n := f.mustRead(t, test.file)
			if diff := cmp.Diff(test.want, short(t, n)); diff != "" {
				t.Errorf("cells (-want +got):\n%s", diff)
			}
			again := f.mustRead(t, f.mustWrite(t, n))
			if diff := cmp.Diff(rows(n), rows(again)); diff != "" {
				t.Errorf("cells that were written and read again (-first +second):\n%s", diff)
			}
		})
	}
}

func TestPL3ProgramsAreCutAtMarkers(t *testing.T) {
	mustReadAs(t, "python", []reading{
		{"nothing", "", nil},
		{"only line ends", "\n\n\r\n", nil},
		{"types as VS Code and PyCharm write them", "#%%[markdown]\n# a\n#%% md\n# b\n#%% raw\n# c\n# %%[code]\nd", []string{"markdown: a", "markdown: b", "raw: c", "code: d"}},
		{"a frozen cell", "# %% run_control={\"frozen\": true}\n# # no\n# x = 1\n", []string{`code {"run_control":{"frozen":true}}: # no` + "\nx = 1"}},
		{"a cell for notebooks alone", "# %% tags=[\"active-ipynb\"]\n# x = 1\n\n# %% active=\"ipynb,py\"\n# y", []string{`code {"tags":["active-ipynb"]}: x = 1`, `code {"active":"ipynb,py"}: # y`}},
		{"no marker", "\nx = 1\n\ny = 2\n\n", []string{"code: x = 1\n\ny = 2"}},
		{"code before the first marker", "import os\n\n# %%\nx\n", []string{"code: import os", "code: x"}},
		{"other spellings", "#%%\na\n#  %%\nb\n# %%\tc\nd", []string{"code: a", "code: b", `code {"title":"c"}: d`}},
		{"what only looks like one", "# %%time\nx %% y\n  # %%\n#%s\n", []string{"code: %%time\nx %% y\n  # %%\n%s"}},
		{"markdown", "# %% [markdown]\n# # Title\n#\n#no space\n#  two\n", []string{"markdown: # Title\n\nno space\n two"}},
		{"short markdown", "# %% [md]\n# a\n", []string{"markdown: a"}},
		{"raw with its type", "# %% [raw] raw_mimetype=\"text/latex\"\n# $x$", []string{`raw {"raw_mimetype":"text/latex"}: $x$`}},
		{"text in quotes", "# %% [markdown]\n\"\"\"\nA *text*\n\nof lines\n\"\"\"\n", []string{`markdown {"cell_marker":"\"\"\""}: A *text*` + "\n\nof lines"}},
		{"text in raw quotes", "# %% [markdown]\nr'''$\\x$'''\n", []string{`markdown {"cell_marker":"r'''"}: $\x$`}},
		{"text that is no comment", "# %% [markdown]\nnot a comment\n", []string{"markdown: not a comment"}},
		{"title and type", "# %% Some title [markdown]\n# x", []string{`markdown {"title":"Some title"}: x`}},
		{"tags", "# %% tags=[\"parameters\", \"x\"]\na = 1", []string{`code {"tags":["parameters","x"]}: a = 1`}},
		{"options", "# %% A title a=1 b=two c='three' d=True e={\"f\": null}\nx", []string{`code {"a":1,"b":"two","c":"three","d":true,"e":{"f":null},"title":"A title"}: x`}},
		{"options as an object", "# %% {\"tags\": [\"a\"]}\nx", []string{`code {"tags":["a"]}: x`}},
		{"options that are none", "# %% a=[1 b\nx", []string{`code {"title":"a=[1 b"}: x`}},
		{"depth", "# %%%% Deep\nx", []string{`code {"cell_depth":2,"title":"Deep"}: x`}},
		{"hidden", "# %% jupyter={\"source_hidden\": true}\nx", []string{"code hidden: x"}},
		{"magics", "# %%\n# %matplotlib inline\n# !ls -l\n# x = !pwd\n# ?help\nprint('%d')\n", []string{"code: %matplotlib inline\n!ls -l\nx = !pwd\n?help\nprint('%d')"}},
		{"no magics in strings", "# %%\nx = \"\"\"\n# %time\n\"\"\"\n# %time\n", []string{"code: x = \"\"\"\n# %time\n\"\"\"\n%time"}},
		{"comments that look like magics", "# %%\n# # %time\n", []string{"code: # %time"}},
		{"another language by its magic", "# %% language=\"bash\" magic_args=\"-e\"\n# ls\n#\n# pwd\n", []string{"code: %%bash -e\nls\n\npwd"}},
		{"another language of ours", "# %% language=\"r\" quire={\"language\": \"r\"}\n# x <- 1\n", []string{"code r: x <- 1"}},
		{"SQL", "# %% language=\"sql\" quire={\"kind\": \"sql\", \"language\": \"duckdb\"}\n# select 1\n", []string{"sql duckdb: select 1"}},
		{"an assistant's", "# %% [markdown] quire={\"kind\": \"ai\"}\n# Explain.\n", []string{"ai: Explain."}},
		{"line ends of Windows", "# %%\r\nx\r\ny\r\n", []string{"code: x\ny"}},
		{"mixed line ends", "# %%\r\nx\r\ny\n", []string{"code: x\r\ny"}},
		{"a byte order mark", "\ufeff# %%\nx", []string{"code: x"}},
	})
}

func TestPL3OtherLanguagesHaveTheirOwnComments(t *testing.T) {
	mustReadAs(t, "javascript", []reading{
		{"markers", "// %% [markdown]\n// # Hi\n\n// %%\n# %% x\n%time\n", []string{"markdown: # Hi", "code: # %% x\n%time"}},
	})
	mustReadAs(t, "sql", []reading{
		{"markers", "-- %% [markdown]\n-- Hi\n\n-- %%\nselect 1\n", []string{"markdown: Hi", "code: select 1"}},
	})
	n := formNamed(t, "javascript").mustRead(t, "// %%\nx\n")
	if got, want := string(n.Metadata()["language_info"]), `{"name":"javascript"}`; got != want {
		t.Errorf("got the language %s, want %s", got, want)
	}
	if s, ok := ScriptOf(".R"); !ok || s.Language != "r" {
		t.Errorf("got %v %v for .R, want r", s, ok)
	}
	if s, ok := ScriptOf(".docx"); ok {
		t.Errorf("got %v for .docx, want none", s)
	}
}

func TestPL6MarkdownIsCutAtFences(t *testing.T) {
	mustReadAs(t, "markdown", []reading{
		{"nothing", "\n \n", nil},
		{"text only", "# Hi\n\ntext\n", []string{"markdown: # Hi\n\ntext"}},
		{"text and code", "Hi\n\n```python\nx\n\ny\n```\n\nbye", []string{"markdown: Hi", "code: x\n\ny", "markdown: bye"}},
		{"other names", "```py\na\n```\n```R\nb\n```\n~~~ js\nc\n~~~\n", []string{`code {"info":"py"}: a`, `code r {"info":"R"}: b`, `code javascript {"info":"js"}: c`}},
		{"what is no cell", "```\na\n```\n```json\n{}\n```\n```text\n```python\n```\n", []string{"markdown: ```\na\n```\n```json\n{}\n```\n```text\n```python\n```"}},
		{"SQL", "```sql\nselect 1\n```\n", []string{"sql: select 1"}},
		{"longer fences", "````python\n```\nx\n~~~~\n````\n", []string{"code: ```\nx\n~~~~"}},
		{"indented fences", "  ```python\n  x\n    y\n z\n ```\n", []string{"code: x\n  y\nz"}},
		{"fences that are indented too far", "    ```python\n    x\n    ```\n", []string{"markdown:     ```python\n    x\n    ```"}},
		{"a fence without an end", "a\n\n```python\nx\n", []string{"markdown: a\n\n```python\nx"}},
		{"empty code", "```python\n```\n", []string{"code: "}},
		{"options", "```python tags=[\"parameters\"]\nx\n```\n", []string{`code {"tags":["parameters"]}: x`}},
		{"options in braces", "```python {tags=[\"a\", \"b\"]}\nx\n```\n", []string{`code {"info":"python {tags=[\"a\", \"b\"]}","tags":["a","b"]}: x`}},
		{"attributes", "``` {.python .numberLines}\nx\n```\n", []string{`code {"info":"{.python .numberLines}"}: x`}},
		{"knitr", "```{r, echo=FALSE}\nx\n```\n", []string{`code r {"echo":false,"info":"{r, echo=FALSE}"}: x`}},
		{"regions", "<!-- #region tags=[\"a\"] -->\na\n\n```python\nx\n```\n<!-- #endregion -->\nb\n<!-- #raw -->\nc\n<!-- #endraw -->\n", []string{`markdown {"tags":["a"]}: a` + "\n\n```python\nx\n```", "markdown: b", "raw: c"}},
		{"a region without an end", "<!-- #region -->\na\n", []string{"markdown: <!-- #region -->\na"}},
		{"an assistant's", "<!-- #region quire={\"kind\": \"ai\"} -->\nExplain.\n<!-- #endregion -->\n", []string{"ai: Explain."}},
		{"a rule is no front matter", "---\n\ntext\n", []string{"markdown: ---\n\ntext"}},
	})
}

const frontMatter = `title: "Of: trees"
author:
  - name: Ada
jupyter:
  jupytext:
    formats: ipynb,py:percent
  kernelspec:
    display_name: 'Python 3 (it''s)'
    language: python # yes
    name: python3`

func TestPL2AHeaderIsKeptAndItsTitleAndKernelAreUnderstood(t *testing.T) {
	python := "#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n# ---\n# " + strings.ReplaceAll(frontMatter, "\n", "\n# ") + "\n# ---\n\n# %%\nx\n"
	markdown := "---\n" + frontMatter + "\n---\n\n```python\nx\n```\n"
	for form, file := range map[string]string{"python": python, "markdown": markdown} {
		f := formNamed(t, form)
		n := f.mustRead(t, file)
		if got, want := n.Title(), "Of: trees"; got != want {
			t.Errorf("%s: got the title %q, want %q", form, got, want)
		}
		if got, want := string(n.Metadata()["kernelspec"]), `{"display_name":"Python 3 (it's)","language":"python","name":"python3"}`; got != want {
			t.Errorf("%s: got the kernel %s, want %s", form, got, want)
		}
		if diff := cmp.Diff(file, f.mustWrite(t, n)); diff != "" {
			t.Errorf("%s: the file that is written again (-want +got):\n%s", form, diff)
		}
	}
}

func TestPL2AHeaderIsBroughtUpToDate(t *testing.T) {
	f := formNamed(t, "markdown")
	payloads, err := f.read([]byte("---\n" + frontMatter + "\n---\n\ntext\n"))
	if err != nil {
		t.Fatal(err)
	}
	n := fold(t, append(payloads,
		&event.NotebookTitled{Title: "Bushes"},
		&event.NotebookMetadataSet{Key: "kernelspec", Value: json.RawMessage(`{"name":"ir","language":"R","display_name":"R 4"}`)}))
	golden(t, "header.md", f.mustWrite(t, n))
}

func TestPL2WhatIsNoHeaderIsText(t *testing.T) {
	for _, test := range []struct{ form, file, want string }{
		{"python", "# ---\n# title: x\n", "code: # ---\n# title: x"},
		{"python", "# ---\nx = 1\n# ---\n", "code: # ---\nx = 1\n# ---"},
		{"markdown", "---\ntitle: x\n", "markdown: ---\ntitle: x"},
		{"markdown", "x\n---\ntitle: x\n---\n", "markdown: x\n---\ntitle: x\n---"},
	} {
		n := formNamed(t, test.form).mustRead(t, test.file)
		if diff := cmp.Diff([]string{test.want}, short(t, n)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.file, diff)
		}
	}
}

func TestPL8OnlyAFileThatIsNoTextIsRefused(t *testing.T) {
	for _, f := range forms {
		payloads, err := f.read([]byte("a\nb\xff\n"))
		if err == nil || err.Error() != "line 2: the file is not UTF-8 text" || payloads != nil {
			t.Errorf("%s: got %v and the error %v, want the line", f.name, payloads, err)
		}
	}
}

func TestPL1TwoReadingsAgreeAndACellKeepsItsID(t *testing.T) {
	f := formNamed(t, "python")
	before := f.mustRead(t, "# %%\na\n\n# %%\na\n\n# %%\nb\n").Cells()
	after := f.mustRead(t, "# %%\nnew\n\n# %%\na\n\n# %%\na\n\n# %%\nb\n").Cells()
	if diff := cmp.Diff(before, after[1:]); diff != "" {
		t.Errorf("ids changed when a cell came before (-before +after):\n%s", diff)
	}
}

func TestPL2OnlyYAMLBetweenRulesIsAHeader(t *testing.T) {
	mustReadAs(t, "markdown", []reading{
		{"a rule at the top, and another", "---\n\nFirst part\n\n```python\nfirst = 1\n```\n\n---\n\nSecond part\n", []string{"markdown: ---\n\nFirst part", "code: first = 1", "markdown: ---\n\nSecond part"}},
		{"sentences", "---\nNo YAML.\n---\nx\n", []string{"markdown: ---\nNo YAML.\n---\nx"}},
		{"nothing", "---\n---\nx\n", []string{"markdown: ---\n---\nx"}},
		{"comments alone", "---\n# x\n---\ny\n", []string{"markdown: ---\n# x\n---\ny"}},
		{"an empty line first", "---\n\na: b\n---\ny\n", []string{"markdown: ---\n\na: b\n---\ny"}},
		{"a member", "---\na: b\n---\ny\n", []string{"raw: ---\na: b\n---", "markdown: y"}},
		{"a member of our own", "---\ntitle: b\n---\ny\n", []string{"markdown: y"}},
	})
	mustReadAs(t, "python", []reading{
		{"a banner", "# ---\n# Load the data\n# ---\nx = 1\n", []string{"code: # ---\n# Load the data\n# ---\nx = 1"}},
		{"a banner before a marker", "# ---\n# Load the data\n# ---\n\n# %%\nx = 1\n", []string{"code: # ---\n# Load the data\n# ---", "code: x = 1"}},
	})
	mustReadAs(t, "lua", []reading{
		{"behind a line for the encoding", "-- -*- coding: utf-8 -*-\n-- ---\n-- jupyter:\n--   kernelspec:\n--     name: lua\n-- ---\n\n-- %% [markdown]\n-- a\n\n-- %%\nx\n", []string{"markdown: a", "code: x"}},
	})
}

func TestPL2MembersOfOthersAreTheFirstCell(t *testing.T) {
	const file = "---\ntitle: T\nauthor:\n  - ada\njupyter:\n  kernelspec:\n    name: ir\n    language: R\n---\n\ntext\n"
	f := formNamed(t, "markdown")
	payloads, err := f.read([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	n := fold(t, payloads)
	if diff := cmp.Diff([]string{"raw: ---\nauthor:\n  - ada\n---", "markdown: text"}, short(t, n)); diff != "" {
		t.Errorf("cells (-want +got):\n%s", diff)
	}
	for name, test := range map[string]struct {
		more []event.Payload
		want string
	}{
		"as it was":        {nil, file},
		"without the cell": {[]event.Payload{&event.CellDeleted{Cell: n.Cells()[0]}}, strings.Replace(file, "author:\n  - ada\n", "", 1)},
		"with a new title": {[]event.Payload{&event.NotebookTitled{Title: "U"}}, strings.Replace(file, "title: T", "title: U", 1)},
	} {
		if diff := cmp.Diff(test.want, f.mustWrite(t, fold(t, slices.Concat(payloads, test.more)))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestPL2AHeaderThatNoCellShowsIsKept(t *testing.T) {
	f := formNamed(t, "markdown")
	n := fold(t, []event.Payload{
		&event.NotebookMetadataSet{Key: "quire", Value: json.RawMessage(`{"header":"author: ada"}`)}, // an older stored form
		&event.CellCreated{Cell: "c", Order: "B", Kind: event.KindMarkdown, Source: "text"},
	})
	if got, want := f.mustWrite(t, n), "---\nauthor: ada\n---\n\ntext\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPL2TheFormThatIsWrittenIsNamed(t *testing.T) {
	const head = "# ---\n# jupyter:\n#   jupytext:\n#     text_representation:\n#       extension: .py\n#       format_name: FORM\n#       format_version: '1.5'\n#   kernelspec:\n#     name: python3\n# ---\n\n"
	f := formNamed(t, "python")
	got := f.mustWrite(t, f.mustRead(t, strings.Replace(head, "FORM", "light", 1)+"x = 1\n"))
	want := strings.Replace(strings.Replace(head, "FORM", "percent", 1), "#       format_version: '1.5'\n", "", 1) + "# %%\nx = 1\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the file (-want +got):\n%s", diff)
	}
}

func TestPL9ProgramsOfNbconvertAndLightOnesAreRead(t *testing.T) {
	const light = "# ---\n# jupyter:\n#   jupytext:\n#     text_representation:\n#       format_name: light\n# ---\n\n"
	mustReadAs(t, "python", []reading{
		{"of nbconvert", "#!/usr/bin/env python\n# coding: utf-8\n\n# # Title\n# \n# text\n\n# more\n\n# In[1]:\n\n\nx = 1\n\n# why\ny = 2\n\n\n# After.\n\n# In[ ]:\n\n\n\n\n", []string{"markdown: # Title\n\ntext", "markdown: more", "code: x = 1\n\n# why\ny = 2", "markdown: After.", "code: "}},
		{"of an old IPython", "# <markdowncell>\n\n# # Title\n\n# <codecell>\n\nx\n", []string{"markdown: # Title", "code: x"}},
		{"prompts beside markers", "# %%\n# In[1]:\nx\n", []string{"code: # In[1]:\nx"}},
		{"light", light + "# # Title\n#\n# text\n\nx = 1\ny = 2\n\ndef f():\n    a = 1\n\n    return a\n\n# + tags=[\"parameters\"]\nz = 1\n\nz\n# -\n\n# %matplotlib inline\n\n# after\n", []string{"markdown: # Title\n\ntext", "code: x = 1\ny = 2", "code: def f():\n    a = 1\n\n    return a", `code {"tags":["parameters"]}: z = 1` + "\n\nz", "code: %matplotlib inline", "markdown: after"}},
		{"light without its name", "# text\n\n# +\nx\n\ny\n# -\n", []string{"markdown: text", "code: x\n\ny"}},
		{"light text and raw", light + "# + [markdown]\n# a\n\n# b\n# -\n\n# + active=\"\"\n# c\n", []string{"markdown: a\n\nb", "raw: c"}},
		{"strings of many lines", light + "x = '''\n\n# + no\n'''\n", []string{"code: x = '''\n\n# + no\n'''"}},
		{"a program that is none of these", "# text\n\nx = 1\n", []string{"code: # text\n\nx = 1"}},
	})
}

func TestPL10MyST(t *testing.T) {
	mustReadAs(t, "markdown", []reading{
		{"a directive", "```{code-cell} python\nx\n```\n", []string{"code: x"}},
		{"without a language", "```{code-cell}\nx\n```\n", []string{"code: x"}},
		{"options", "```{code-cell} ipython3\n:tags: [a, \"b c\"]\n:hidden: true\n\nx\n```\n", []string{`code {"hidden":true,"tags":["a","b c"]}: x`}},
		{"options of YAML", "```{code-cell} ipython3\n---\ntags: [a]\nrun_control:\n  frozen: true\nlist:\n- 1\n- b\n---\nx\n```\n", []string{`code {"list":[1,"b"],"run_control":{"frozen":true},"tags":["a"]}: x`}},
		{"options that are not understood", "```{code-cell}\n---\na: |\n  b\nc.d e: f\n---\nx\n```\n", []string{`code {"quire":{"options":"a: |\n  b\nc.d e: f"}}: x`}},
		{"raw", "```{raw-cell}\n:raw_mimetype: text/html\n\n<b>\n```\n", []string{`raw {"raw_mimetype":"text/html"}: <b>`}},
		{"cells of text", "a\n\n\nb\n\n+++\n\nc\n\n+++ {\"tags\": [\"d\"]}\n\ne\n\n```{code-cell}\nx\n```\n", []string{"markdown: a\n\n\nb", "markdown: c", `markdown {"tags":["d"]}: e`, "code: x"}},
		{"blocks that are no directives", "```python\nx\n```\n\n```{code-cell}\ny\n```\n", []string{"markdown: ```python\nx\n```", "code: y"}},
		{"pluses elsewhere", "a\n\n+++\n\nb\n", []string{"markdown: a\n\n+++\n\nb"}},
	})
}

func TestPL6TwoEmptyLinesPartText(t *testing.T) {
	mustReadAs(t, "markdown", []reading{
		{"two cells", "a\n\nb\n\n\nc\n", []string{"markdown: a\n\nb", "markdown: c"}},
		{"within a block", "```text\na\n\n\nb\n```\n", []string{"markdown: ```text\na\n\n\nb\n```"}},
		{"within indented code", "a\n\n    b\n\n\n    c\n", []string{"markdown: a\n\n    b\n\n\n    c"}},
	})
}

func TestPL6MagicsOfJupytext(t *testing.T) {
	const head = "---\njupyter:\n  kernelspec:\n    name: python3\n    language: python\n---\n\n"
	mustReadAs(t, "markdown", []reading{
		{"options of a magic", head + "```R magic_args=\"-i df\"\nx\n```\n", []string{"code: %%R -i df\nx"}},
		{"HTML", head + "```html\n<b>\n```\n", []string{"code: %%html\n<b>"}},
		{"HTML in any file of Markdown", "```html\n<b>\n```\n", []string{"markdown: ```html\n<b>\n```"}},
		{"a block that is not to run", "```python .noeval\nx\n```\n", []string{"markdown: ```python .noeval\nx\n```"}},
		{"the notebook's language by another name", strings.Replace(head, "language: python", "language: C++17", 1) + "```c++\nx\n```\n", []string{`code {"info":"c++"}: x`}},
	})
}
