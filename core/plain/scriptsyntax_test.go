package plain

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang/names"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/order"
)

// ends are the strings that may end a line for a parser of some language.
var ends = []string{"\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x1d", "\x1e", "\u0085", "\u2028", "\u2029"}

// escaping returns a notebook without code, whose texts all try to become code after a line end.
func escaping(t *testing.T, end, code string) *notebook.Notebook {
	t.Helper()
	text := "a" + end + code + end
	quoted, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	quire, err := json.Marshal(map[string]string{"preamble": "#!x" + end + code, "header": "title: x\nother: y" + end + code})
	if err != nil {
		t.Fatal(err)
	}
	list := []event.Payload{
		&event.NotebookTitled{Title: text},
		&event.NotebookMetadataSet{Key: "kernelspec", Value: json.RawMessage(`{"name":` + string(quoted) + `,"display_name":` + string(quoted) + `}`)},
		&event.NotebookMetadataSet{Key: "quire", Value: quire},
	}
	for i, kind := range []event.CellKind{event.KindMarkdown, event.KindRaw, event.KindAI, event.KindSQL} {
		id := event.CellID("BCDE"[i : i+1])
		list = append(list, &event.CellCreated{Cell: id, Kind: kind, Order: orderKey(i), Source: text},
			&event.CellMetadataSet{Cell: id, Key: "title", Value: quoted}, &event.CellMetadataSet{Cell: id, Key: "other", Value: quoted},
			&event.CellMetadataSet{Cell: id, Key: "cell_marker", Value: json.RawMessage(`"\"\"\""`)})
	}
	return fold(t, append(list,
		&event.CellCreated{Cell: "F", Kind: event.KindCode, Language: "haskell", Order: "F", Source: text},
		&event.CellCreated{Cell: "G", Kind: event.KindCode, Order: "G"}))
}

func orderKey(i int) order.Key { return order.Key("BCDEF"[i : i+1]) }

func TestPL11NoTextOfANotebookEndsAComment(t *testing.T) {
	for _, s := range scripts {
		for _, end := range ends {
			file, err := ExportPercent(escaping(t, end, "OWNED"), s)
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range pieces(quoted.ReplaceAllString(string(file), "")) {
				if code, _, _ := strings.Cut(line, s.comment); strings.Contains(code, "OWNED") {
					t.Errorf("in %s, behind %q, a text became code: %q in\n%s", s.Extension, end, line, file)
				}
			}
		}
	}
}

// quoted matches a string of many lines in Python, which a text may be written as.
var quoted = regexp.MustCompile(`(?s)""".*?"""`)

// pieces cuts a text after everything that ends a line for some parser.
func pieces(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(terminators+"\r\n", r) })
}

func TestPL11ParsersSeeNoCodeInTextsOfANotebook(t *testing.T) {
	for _, c := range []struct {
		ext, program, code string
		args               []string
	}{
		{".js", "node", "process.stdout.write('OWNED')", nil},
		{".py", "python3", "print('OWNED')", []string{"-I"}},
		{".sh", "sh", "echo OWNED", nil},
		{".pl", "perl", "print 'OWNED'", nil},
	} {
		program, err := exec.LookPath(c.program)
		if err != nil {
			t.Logf("%s is not here", c.program)
			continue
		}
		s, _ := ScriptOf(c.ext)
		for _, end := range ends {
			n := escaping(t, end, c.code)
			data, err := ExportPercent(n, s)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "x"+c.ext)
			if err := os.WriteFile(file, data, 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.CommandContext(t.Context(), program, append(c.args, file)...).CombinedOutput(); err != nil || bytes.Contains(out, []byte("OWNED")) {
				t.Errorf("%s behind %q: %v, %s\n%s", c.ext, end, err, out, data)
			}
		}
	}
}

func TestPL11NoTextOfANotebookIsTheEncodingOfItsProgram(t *testing.T) {
	for name, n := range map[string]*notebook.Notebook{
		"a text":   fold(t, []event.Payload{&event.CellCreated{Cell: "a", Kind: event.KindMarkdown, Order: "V", Source: "coding: unicode_escape\n\\u000aOWNED"}}),
		"a title":  fold(t, []event.Payload{&event.CellCreated{Cell: "a", Kind: event.KindMarkdown, Order: "V", Source: "\\u000aOWNED"}, &event.CellMetadataSet{Cell: "a", Key: "title", Value: json.RawMessage(`"coding: unicode_escape"`)}}),
		"a header": fold(t, []event.Payload{&event.NotebookTitled{Title: "coding: unicode_escape"}, &event.CellCreated{Cell: "a", Kind: event.KindMarkdown, Order: "V", Source: "\\u000aOWNED"}}),
		"a preamble": fold(t, []event.Payload{
			&event.NotebookMetadataSet{Key: "quire", Value: json.RawMessage(`{"preamble":"# coding: unicode_escape"}`)}, &event.CellCreated{Cell: "a", Kind: event.KindMarkdown, Order: "V", Source: "\\u000aOWNED"},
		}),
		"a preamble that is code": fold(t, []event.Payload{&event.NotebookMetadataSet{Key: "quire", Value: json.RawMessage(`{"preamble":"OWNED"}`)}}),
	} {
		file, err := ExportPercent(n, Python)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitN(string(file), "\n", 3)
		coding := ""
		for _, line := range lines[:min(2, len(lines))] {
			if at := codingLine.FindStringSubmatch(line); at != nil && coding == "" {
				coding = at[1]
			}
		}
		if coding != "" && coding != "utf-8" {
			t.Errorf("%s: the encoding is %q in\n%s", name, coding, file)
		}
		if strings.HasPrefix(string(file), "OWNED") {
			t.Errorf("%s became code:\n%s", name, file)
		}
		again := form{read: func(b []byte) ([]event.Payload, error) { return ImportPercent(b, Python) }}.mustRead(t, string(file))
		if diff := cmp.Diff(rows(n), rows(again)); diff != "" {
			t.Errorf("%s (-written +read):\n%s\n%s", name, diff, file)
		}
	}
}

func TestPL11WhatIsReadAgainIsTheSame(t *testing.T) {
	for _, f := range forms {
		for _, end := range ends[3:] {
			n := escaping(t, end, "OWNED")
			if _, err := n.Apply(&event.Event{ID: event.ID{Client: "b", N: 1}, Payload: &event.NotebookMetadataSet{Key: "quire", Value: json.RawMessage("null")}}, nil); err != nil { // whose header would be a cell
				t.Fatal(err)
			}
			file := f.mustWrite(t, n)
			if diff := cmp.Diff(rows(n), rows(f.mustRead(t, file))); diff != "" {
				t.Errorf("%s, %q (-written +read):\n%s\n%s", f.name, end, diff, file)
			}
		}
	}
}

func TestPL3EachLanguageHasAProgramOrAReason(t *testing.T) {
	for _, l := range names.All() {
		s, ok := ScriptOf(l.Extensions[0])
		if ok == (noProgram[l.ID] != "") || ok && (s.Language != l.ID || s.comment != l.Comment) {
			t.Errorf("%s: got %+v, %v", l.ID, s, ok)
		}
		if got := blockLanguage(l.ID); got != l.ID {
			t.Errorf("%s: got the block language %q", l.ID, got)
		}
	}
}
