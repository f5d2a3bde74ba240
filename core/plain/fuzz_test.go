package plain

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// seeds adds the files of testdata, and texts with a meaning in some form.
func seeds(f *testing.F) {
	names, err := filepath.Glob("testdata/*.*")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, text := range []string{
		"", "\ufeff", "x\r\ny\r\n", "# ---\n# title: x\n# ---\n# %% [markdown]\n\"\"\"a\"\"\"\n", "#!x\n# %% a [raw] b={\"c\": 'd'}\n# %time\n",
		"---\na: b\n---\n```py\nx\n```\n", "~~~~{r x=1}\n```\n~~~~~\n<!-- #region -->\n<!-- \\#endregion -->\n<!-- #endregion -->\n",
	} {
		f.Add([]byte(text))
	}
}

// checkReading checks the properties of every file in a form: it is read unless it is not text, and its contents are
// written and read back unchanged.
func checkReading(t *testing.T, f form, data []byte) {
	payloads, err := f.read(data)
	if utf8.Valid(data) != (err == nil) {
		t.Fatalf("got the error %v", err)
	}
	if err != nil {
		return
	}
	n := fold(t, payloads)
	again := f.mustRead(t, f.mustWrite(t, n))
	if diff := cmp.Diff(rows(n), rows(again)); diff != "" {
		t.Errorf("cells that were written and read again (-first +second):\n%s", diff)
	}
	if n.Title() != again.Title() || headerOf(n).kernel != headerOf(again).kernel {
		t.Errorf("got the title %q and kernel %v, want %q and %v", again.Title(), headerOf(again).kernel, n.Title(), headerOf(n).kernel)
	}
}

func FuzzPL8APercentProgramLosesNothing(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, name := range []string{"python", "sql"} {
			checkReading(t, formNamed(t, name), data)
		}
		text, err := decode(data)
		if err != nil {
			return
		}
		preamble, head, parts := Python.cut(text)
		all := preamble + head
		for _, p := range parts {
			all += p.marker + p.body + p.end
		}
		if all != text {
			t.Errorf("the parts together are %q, want %q", all, text)
		}
	})
}

func FuzzPL8AMarkdownFileLosesNothing(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		checkReading(t, formNamed(t, "markdown"), data)
		text, err := decode(data)
		if err != nil {
			return
		}
		all, sources := cutFront(text), 0
		head := readHeader("", frontYAML(all))
		d := head.dialect(text)
		for _, p := range d.cut(text[len(all):]) {
			all += p.raw
			if c, ok := p.cell(d); ok {
				sources += len(strings.TrimSpace(c.source))
			} else if strings.TrimSpace(p.raw) != "" {
				t.Errorf("%q became no cell", p.raw)
			}
		}
		if all != text || sources > len(text) {
			t.Errorf("the pieces together are %q, want %q", all, text)
		}
	})
}
