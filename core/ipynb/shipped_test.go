package ipynb

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// systemPython is the Python of Debian's packages of Jupyter, some of which include notebooks.
const (
	systemPython = "/usr/bin/python3"
	packages     = "/usr/lib/python3/dist-packages"
)

// invalid are the names of shipped notebooks that have members which the format forbids, and keep them.
var invalid = []string{"Output.ipynb"} // its kernelspec is empty

// shipped returns the paths of notebooks by other authors: a few are with the tests, and those of system packages are
// read in place.
func shipped(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/nbclient/*.ipynb")
	if err != nil || len(paths) == 0 {
		t.Fatalf("got %d notebooks and the error %v, want some", len(paths), err)
	}
	err = filepath.WalkDir(packages, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".ipynb") {
			paths = append(paths, path)
		}
		return nil // an unreadable one counts as absent
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func TestIP2NotebooksThatOthersShipComeBack(t *testing.T) {
	for _, path := range shipped(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			file, err := os.ReadFile(path)
			if err != nil {
				t.Skipf("it cannot be read: %v", err)
			}
			exported := through(t, file)
			if !slices.Contains(invalid, filepath.Base(path)) {
				mustBeValid(t, exported)
			}
			if mapOf(decodeAny(t, file))["nbformat"] != json.Number("3") {
				same(t, file, exported)
			}
		})
	}
}

// nbformatProgram validates each notebook at the given paths against Jupyter's own schema, and writes it again in
// Jupyter's form beside it.
const nbformatProgram = `
import sys, nbformat
for path in sys.argv[1:]:
    text = open(path, encoding="utf-8", newline="").read()
    book = nbformat.reads(text, as_version=nbformat.NO_CONVERT)
    try:
        nbformat.validate(book)
    except nbformat.ValidationError as e:
        print(path, e.message[:300])
    with open(path + ".saved", "w", encoding="utf-8", newline="") as out:
        nbformat.write(book, out)
`

func TestIP1IP3JupyterFindsWhatIsExportedValidAndSavesItAlike(t *testing.T) {
	if out, err := exec.CommandContext(t.Context(), systemPython, "-c", "import nbformat").CombinedOutput(); err != nil {
		t.Skipf("%s has no nbformat: %v %s", systemPython, err, out)
	}
	dir := t.TempDir()
	var paths []string
	add := func(file []byte) string {
		path := filepath.Join(dir, strconv.Itoa(len(paths))+".ipynb")
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
		return path
	}
	alike := []string{add(mustExport(t, ran(t)))}
	for _, name := range corpus(t) {
		if name != "wild.ipynb" && name != "newer.ipynb" && name != "colab.ipynb" { // they have members that the format forbids
			alike = append(alike, add(through(t, read(t, name))))
		}
	}
	for _, path := range shipped(t) {
		if file, err := os.ReadFile(path); err == nil && !slices.Contains(invalid, filepath.Base(path)) {
			alike = append(alike, add(through(t, file)))
		}
	}
	for seed := range 100 { // their numbers are too wild for Python to write them unchanged
		add(through(t, []byte(genFile(valid).Example(seed))))
	}
	out, err := exec.CommandContext(t.Context(), systemPython, append([]string{"-c", nbformatProgram}, paths...)...).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("nbformat ended with %v and says:\n%s", err, out)
	}
	for _, path := range alike {
		ours, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		saved, err := os.ReadFile(path + ".saved")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(saved), string(ours)); diff != "" {
			t.Errorf("Jupyter saves another file than ours (-Jupyter +ours):\n%s", diff)
		}
	}
}
