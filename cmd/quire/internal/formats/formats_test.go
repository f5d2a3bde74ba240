package formats

import (
	"errors"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/host/terminal"
)

func exported(t *testing.T, file string, n *notebook.Notebook) (string, error) {
	t.Helper()
	var b strings.Builder
	err := Export(t.Context(), &b, file, n, nil)
	return b.String(), err
}

func TestTheNameOfAFileSaysItsFormat(t *testing.T) {
	const book = `{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[{"cell_type":"code","id":"a","metadata":{},"source":"x","outputs":[],"execution_count":null}]}`
	for _, test := range []struct{ file, text, want string }{
		{"a.ipynb", book, `"source": [`},
		{"-", book, `"source": [`},
		{"dir.d/A.IPYNB", book, `"source": [`},
		{"a.py", "# %%\nx\n", "# %%\nx\n"},
		{"a.R", "# %%\nx\n", "# %%\nx\n"},
		{"a.mjs", "// %%\nx\n", "// %%\nx\n"},
		{"a.md", "```python\nx\n```\n", "```python\nx\n```\n"},
		{"a.markdown", "```python\nx\n```\n", "```python\nx\n```\n"},
	} {
		payloads, err := Import(test.file, []byte(test.text))
		if err != nil {
			t.Errorf("import %s: %v", test.file, err)
			continue
		}
		got, err := exported(t, test.file, folded(t, payloads))
		if err != nil || !strings.HasSuffix(got, test.want) && !strings.Contains(got, test.want) {
			t.Errorf("export %s: got %q and %v, want %q", test.file, got, err, test.want)
		}
	}
	page, err := exported(t, "a.html", notebook.New())
	if err != nil || !strings.HasPrefix(page, "<!doctype html>") {
		t.Errorf("export a.html: got %.40q and %v, want a page", page, err)
	}
}

func TestAFormatThatThereIsNotIsAMistakeOfUsage(t *testing.T) {
	for _, file := range []string{"a.docx", "a.", "a.html"} {
		if _, err := Import(file, nil); !isUsage(err) {
			t.Errorf("import %s: got %v, want an error of usage", file, err)
		}
	}
	if _, err := exported(t, "a.docx", notebook.New()); !isUsage(err) {
		t.Errorf("export a.docx: got %v, want an error of usage", err)
	}
}

func isUsage(err error) bool {
	var e *terminal.Error
	return errors.As(err, &e) && e.Kind == terminal.Usage
}

func folded(t *testing.T, payloads []event.Payload) *notebook.Notebook {
	t.Helper()
	n, err := Fold(payloads)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
