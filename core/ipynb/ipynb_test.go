package ipynb

import (
	"bytes"
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
	apply(t, n, payloads...)
	return n
}

func apply(t tb, n *notebook.Notebook, payloads ...event.Payload) {
	t.Helper()
	for _, p := range payloads {
		if err := p.Check(); err != nil {
			t.Fatalf("%s is malformed: %v", p.Type(), err)
		}
		seq := n.Seq() + 1
		data, err := event.Append(nil, &event.Event{
			Seq: seq, ID: event.ID{Client: "test", N: uint64(seq)}, Actor: "person:ada", Time: event.Time(seq), Payload: p,
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
}

func mustImport(t tb, file []byte) []event.Payload {
	t.Helper()
	payloads, err := Import(file)
	if err != nil {
		t.Fatalf("import: %v", err)
	}
	return payloads
}

func mustExport(t tb, n *notebook.Notebook) []byte {
	t.Helper()
	file, err := Export(n)
	if err != nil {
		t.Fatalf("export: %v", err)
	}
	return file
}

// through imports a file and exports the result, and checks the properties of every file.
func through(t tb, file []byte) []byte {
	t.Helper()
	payloads := mustImport(t, file)
	exported := mustExport(t, fold(t, payloads))
	if diff := cmp.Diff(payloads, mustImport(t, exported)); diff != "" {
		t.Errorf("importing the export gives other events (-first +second):\n%s", diff)
	}
	return exported
}

// read reads a file of testdata.
func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// corpus returns the names of the notebooks in testdata.
func corpus(t testing.TB) []string {
	t.Helper()
	entries, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".ipynb") {
			names = append(names, e.Name())
		}
	}
	return names
}

func TestIP1AFileThatJupyterWroteComesBackByteForByte(t *testing.T) {
	for _, name := range []string{"v4.5.ipynb", "empty.ipynb", "attachments.ipynb", "widgets.ipynb", "languages.ipynb"} {
		t.Run(name, func(t *testing.T) {
			want := read(t, name)
			if diff := cmp.Diff(string(want), string(through(t, want))); diff != "" {
				t.Errorf("exported file (-want +got):\n%s", diff)
			}
		})
	}
}

func TestIP2EveryFileComesBackUpToWhatIsInsignificant(t *testing.T) {
	for _, name := range corpus(t) {
		if name == "v3.ipynb" {
			continue // TestIP4 covers it
		}
		t.Run(name, func(t *testing.T) {
			file := read(t, name)
			same(t, file, through(t, file))
		})
	}
}

func TestIP2GeneratedNotebooksComeBackUpToWhatIsInsignificant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		file := []byte(genFile(wild).Draw(t, "file"))
		same(t, file, through(t, file))
	})
}

func TestIP3WhatIsExportedIsValid(t *testing.T) {
	for _, name := range corpus(t) {
		if name == "wild.ipynb" || name == "newer.ipynb" || name == "colab.ipynb" {
			continue // they have members that the format forbids, and keep them
		}
		t.Run(name, func(t *testing.T) {
			mustBeValid(t, through(t, read(t, name)))
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		mustBeValid(t, through(t, []byte(genFile(valid).Draw(t, "file"))))
	})
}

func TestIP2AHugeOutputComesBack(t *testing.T) {
	line := strings.Repeat("x", 99) + `\n`
	file := []byte(`{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[{"cell_type":"code","id":"a","metadata":{},"source":"",` +
		`"execution_count":1,"outputs":[{"output_type":"stream","name":"stdout","text":"` + strings.Repeat(line, 50_000) + `"}]}]}`)
	same(t, file, through(t, file))
}

func TestIP5TwoImportsOfAFileAgree(t *testing.T) {
	for _, name := range corpus(t) {
		file := read(t, name)
		if diff := cmp.Diff(mustImport(t, file), mustImport(t, file)); diff != "" {
			t.Errorf("%s: the second import differs (-first +second):\n%s", name, diff)
		}
	}
}

func FuzzImport(f *testing.F) {
	for _, name := range corpus(f) {
		f.Add(read(f, name))
	}
	f.Add([]byte(`{"nbformat":4,"metadata":{"a":[NaN,-Infinity,"NaN\\"Infinity"]}}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		payloads, err := Import(file)
		if err != nil {
			if payloads != nil {
				t.Errorf("got %d events with the error %v", len(payloads), err)
			}
			return
		}
		exported := through(t, file)
		if !json.Valid(bytes.TrimPrefix(file, []byte("\ufeff"))) {
			return // it has Python's numbers, which the comparison cannot read
		}
		if mapOf(decodeAny(t, file))["nbformat"] != json.Number("3") {
			same(t, file, exported)
		}
	})
}

func BenchmarkImport(b *testing.B) {
	file := large(b, 2000)
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Import(file); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkExport(b *testing.B) {
	file := large(b, 2000)
	n := fold(b, mustImport(b, file))
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Export(n); err != nil {
			b.Fatal(err)
		}
	}
}

// large returns a notebook of many cells with outputs.
func large(b *testing.B, cells int) []byte {
	b.Helper()
	root, err := decodeFile(read(b, "v4.5.ipynb"))
	if err != nil {
		b.Fatal(err)
	}
	few, _ := root.m["cells"].([]any)
	many := make([]any, cells)
	for i := range many {
		c, _ := few[i%len(few)].(object)
		delete(c, "id")
		many[i] = c
	}
	root.m["cells"] = many
	return appendValue(nil, root.m, 0)
}
