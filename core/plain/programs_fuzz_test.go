package plain

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

// FuzzPL8AProgramOfAnyLanguageLosesNothing reads any file as a program of each language of the table, in the form that
// its lines indicate.
func FuzzPL8AProgramOfAnyLanguageLosesNothing(f *testing.F) {
	data, err := os.ReadFile("testdata/tour.py")
	if err != nil {
		f.Fatal(err)
	}
	samples := [][]byte{
		data, []byte("#!/usr/bin/env x\n# # A title\n#\n# text\n\nx = 1\n\nif x:\n\n    y = 2\n\n# +\nz = 3\n\n# -\n\n# + [markdown] tags=[\"a\"]\n# more\n"),
		[]byte("#!/usr/bin/env python\n# coding: utf-8\n\n# # Title\n\n# In[1]:\n\n\nprint(1)\n\n\n# In[ ]:\n\n\nget_ipython().run_line_magic('time', '')\n"),
		[]byte("# ---\n# jupyter:\n#   jupytext:\n#     text_representation:\n#       format_name: light\n#   kernelspec:\n#     name: x\n# ---\n\n# text\n\nx\n"),
		[]byte("# %% [markdown] key=\"v\"\n# a\n# \\%% b\n# %%%% not\n# %% {\"a\": 1} [raw]\n# raw\n"),
	}
	for i, s := range scripts {
		for _, sample := range samples {
			f.Add(bytes.ReplaceAll(sample, []byte("#"), []byte(s.comment)), uint8(i))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, which uint8) {
		s := scripts[int(which)%len(scripts)]
		form := form{
			name: s.Language, golden: s.Extension,
			read:  func(data []byte) ([]event.Payload, error) { return ImportPercent(data, s) },
			write: func(n *notebook.Notebook) ([]byte, error) { return ExportPercent(n, s) },
		}
		checkReading(t, form, data)
	})
}

// FuzzPL8OneFormIsWrittenInTheOther reads one form and writes another: all sources are in it, and the number of cells
// is the same.
func FuzzPL8OneFormIsWrittenInTheOther(f *testing.F) {
	seeds(f)
	for _, text := range []string{
		"---\njupytext:\n  text_representation:\n    format_name: myst\nkernelspec:\n  name: python3\n---\n\n# Title\n\n```{code-cell} ipython3\n:tags: [a, b]\n\nx = 1\n```\n\n+++ {\"k\": 1}\n\ntext\n\n```{raw-cell}\n---\na: b\n---\nraw\n```\n",
		"~~~\na\n```\nb\n~~~\n\n```python\n```\n", "# %%\n'''\n# %%\n'''\n", "a\rb\u2028c\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		markdown, python, sql := formNamed(t, "markdown"), formNamed(t, "python"), formNamed(t, "sql")
		for _, pair := range [][2]form{{markdown, python}, {python, markdown}, {markdown, sql}, {sql, python}} {
			payloads, err := pair[0].read(data)
			if err != nil {
				if !strings.HasPrefix(err.Error(), "line ") && !strings.Contains(err.Error(), "cell") {
					t.Fatalf("got %v, want where it is", err)
				}
				continue
			}
			n := fold(t, payloads)
			again := pair[1].mustRead(t, pair[1].mustWrite(t, n))
			for i, id := range n.Cells() {
				if i >= len(again.Cells()) || n.Cell(id).Source() != again.Cell(again.Cells()[i]).Source() {
					t.Fatalf("%s as %s: cell %d is another, of %d and %d", pair[0].name, pair[1].name, i+1, len(n.Cells()), len(again.Cells()))
				}
			}
		}
	})
}
