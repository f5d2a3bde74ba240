//go:build unix

package launch

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzRecords reads the records of an earlier launcher: those of no
// process that runs are removed, and nothing else is touched.
func FuzzRecords(f *testing.F) {
	f.Add("b1", "r1", []byte(`{"notebook":"b1","runtime":"r1","pid":1,"born":"x"}`))
	f.Add("b1", "r1", []byte(`{"notebook":"../b1","runtime":"r1","pid":-1,"born":""}`))
	f.Add("x", "y", []byte(`{"notebook":"x","runtime":"y","pid":99999999999999999999}`))
	f.Add("b1", "r1", []byte(`{"notebook":"b1","runtime":"r1","program":"1 x"}`))
	dir := f.TempDir()
	beside := filepath.Join(dir, "beside.json")
	if err := os.WriteFile(beside, []byte("{}"), 0o600); err != nil {
		f.Fatal(err)
	}
	within := filepath.Join(dir, "runtimes")
	if err := os.Mkdir(within, 0o700); err != nil {
		f.Fatal(err)
	}
	l := quick(f, dir)
	f.Fuzz(func(t *testing.T, notebook, runtime string, data []byte) {
		name := record{Notebook: notebook}.file(within)
		if filepath.Dir(name) != within || len(filepath.Base(name)) > 200 || os.WriteFile(name, data, 0o600) != nil {
			return
		}
		found, err := l.readRecords()
		if err != nil {
			t.Fatal(err)
		}
		left, err := filepath.Glob(filepath.Join(within, "*.json"))
		if err != nil || len(left) != len(found) {
			t.Fatalf("got the files %q (%v) of %+v", left, err, found)
		}
		for _, r := range found {
			if !l.isAlive(r) {
				t.Fatalf("got %+v, which does not run", r)
			}
			if err := os.Remove(r.file(within)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := os.Stat(beside); err != nil {
			t.Fatal(err)
		}
	})
}
