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
	for path, want := range map[string]Config{
		filepath.Dir(manifest): {Command: []string{"python3", filepath.Join(dir, "echo/engine.py"), "-v"}, Pipes: Descriptors},
		manifest:               {Command: []string{"python3", filepath.Join(dir, "echo/engine.py"), "-v"}, Pipes: Descriptors},
		program:                {Command: []string{program}},
	} {
		got, err := Described(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if diff := cmp.Diff(want.Command, got.Command); diff != "" || got.Pipes != want.Pipes || got.Info.Language == "" {
			t.Errorf("%s: got %+v (-want +got):\n%s", path, got, diff)
		}
	}
	if got, err := Described(program); err != nil || got.Info.Language != "loud" {
		t.Errorf("got the language %q, %v, want loud", got.Info.Language, err)
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "missing"): "there is no engine",
		dir:                           "there is no " + filepath.Join(dir, ManifestName),
		write("text", "x", 0o644):     "make it executable",
		write("a/engine.json", `{"language":"x"}`, 0o644):                             `it needs "command"`,
		write("b/engine.json", `{"command":["x"]}`, 0o644):                            `it needs "language"`,
		write("c/engine.json", `{"language":"x","command":["x"],"pipe":1}`, 0o644):    "unknown field",
		write("d/engine.json", `{"language":"x","command":["x"],"pipes":"y"}`, 0o644): "it must be stdio or fds",
		write("e/engine.json", `{"language":"x","command":["x"]} {}`, 0o644):          "more than one",
	} {
		if _, err := Described(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", path, err, want)
		}
	}
}
