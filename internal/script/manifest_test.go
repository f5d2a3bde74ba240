package script

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEP27AnEngineIsDescribedByItsPath(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	manifest := write("echo/engine.json", `{"language":"echo","command":["python3","./engine.py","-v"],"pipes":"fds"}`, 0o644)
	program := write("Loud.sh", "#!/bin/sh\n", 0o755)
	for path, want := range map[string]Manifest{
		filepath.Dir(manifest): {Command: []string{"python3", filepath.Join(dir, "echo/engine.py"), "-v"}, Pipes: "fds"},
		manifest:               {Command: []string{"python3", filepath.Join(dir, "echo/engine.py"), "-v"}, Pipes: "fds"},
		program:                {Command: []string{program}},
	} {
		got, err := Described(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if diff := cmp.Diff(want.Command, got.Command); diff != "" || got.Pipes != want.Pipes || got.Language == "" {
			t.Errorf("%s: got %+v (-want +got):\n%s", path, got, diff)
		}
	}
	if got, err := Described(program); err != nil || got.Language != "loud" {
		t.Errorf("got the language %q, %v, want loud", got.Language, err)
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "missing"): "there is no engine",
		dir:                           "there is no " + filepath.Join(dir, ManifestName),
		write("text", "x", 0o644):     "make it executable",
		write("a/engine.json", `{"language":"x"}`, 0o644):                                   `it needs "command"`,
		write("b/engine.json", `{"command":["x"]}`, 0o644):                                  `it needs "language"`,
		write("c/engine.json", `{"language":"x","command":["x"],"pipe":1}`, 0o644):          "unknown field",
		write("d/engine.json", `{"language":"x","command":["x"],"pipes":"y"}`, 0o644):       "it must be stdio or fds",
		write("e/engine.json", `{"language":"x","command":["x"]} {}`, 0o644):                "more than one",
		write("f/engine.json", `{"language":"x","command":["x"],"aliases":["a b"]}`, 0o644): "its names have letters",
		write("g/engine.json", `{"language":"x","command":["x"],"extension":"x"}`, 0o644):   "begins with a dot",
	} {
		if _, err := Described(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", path, err, want)
		}
	}
}

func TestEP30AFolderOfEnginesHasEachByItsManifest(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "mine [1]")
	for name, text := range map[string]string{
		"a": `{"language":"Calc","title":"Calculator","aliases":["Sums"],"extension":".calc","command":["bin/run","./x","y/z"]}`,
		"b": `{"name":"loud","language":"echo","command":["python3"]}`,
		"c": "",
	} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if text == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name, ManifestName), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	want := []Description{
		{Path: a, Manifest: Manifest{
			Name: "calc", Language: "calc", Title: "Calculator", Aliases: []string{"sums"}, Extension: ".calc",
			Command: []string{filepath.Join(a, "bin/run"), filepath.Join(a, "x"), "y/z"},
		}},
		{Path: b, Manifest: Manifest{Name: "loud", Language: "echo", Command: []string{"python3"}}},
	}
	got, err := DescribedIn(dir)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("got %v (-want +got):\n%s", err, diff)
	}
	if got, err := DescribedIn(a); err != nil || len(got) != 1 || got[0].Path != a {
		t.Errorf("got %+v, %v, want the engine of the folder itself", got, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "c", ManifestName), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := DescribedIn(dir); err == nil {
		t.Errorf("got %+v, want the error of the manifest", got)
	}
}
