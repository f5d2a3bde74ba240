package ipynb

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTheExamplesAreTidyFilesWithoutOutputs(t *testing.T) {
	paths, err := filepath.Glob("../../examples/*.ipynb")
	if err != nil || len(paths) == 0 {
		t.Fatalf("got %d examples and the error %v, want some", len(paths), err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			mustBeValid(t, want)
			if diff := cmp.Diff(string(want), string(through(t, want))); diff != "" {
				t.Errorf("exported file (-want +got):\n%s", diff)
			}
			n := fold(t, mustImport(t, want))
			for _, id := range n.Cells() {
				if c := n.Cell(id); len(c.Outputs) > 0 || c.Count > 0 {
					t.Errorf("cell %s has outputs or an execution count, want neither in an example", id)
				}
			}
			if n.Title() == "" {
				t.Error("the example has no title")
			}
			if bytes.Contains(want, []byte("import IPython")) || bytes.Contains(want, []byte("from IPython")) {
				t.Error("the example needs IPython, want the standard library only")
			}
		})
	}
}
