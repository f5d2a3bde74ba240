package file_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quirehq/quire/internal/file"
)

// put writes a text.
func put(name, text string) error {
	return file.Write(name, 0o644, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// want fails unless a file holds a text and nothing else is in its folder but others.
func want(t *testing.T, path, text string, others ...string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != text {
		t.Errorf("%s: got %q, %v, want %q", path, got, err, text)
	}
	onlyIn(t, filepath.Dir(path), append(others, filepath.Base(path))...)
}

func onlyIn(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.Contains(" "+strings.Join(names, " ")+" ", " "+e.Name()+" ") {
			t.Errorf("%s was left in %s", e.Name(), dir)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestAFileIsMadeAndReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), strings.Repeat("n", 250))
	must(t, put(path, "one"))
	want(t, path, "one")
	must(t, put(path, "two"))
	want(t, path, "two")
	t.Chdir(filepath.Dir(path))
	must(t, put("here", "three"))
	want(t, "here", "three", filepath.Base(path))
}

func TestAFailureLeavesTheOldContentAndNothingElse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	broken := errors.New("broken")
	fail := func(w io.Writer) error {
		_, _ = io.WriteString(w, "half")
		return broken
	}
	if err := file.Write(path, 0o644, fail); !errors.Is(err, broken) || err.Error() != "write "+path+": broken" {
		t.Errorf("got %v, want the reason behind the name", err)
	}
	onlyIn(t, filepath.Dir(path))
	must(t, put(path, "old"))
	if err := file.Write(path, 0o644, fail); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	want(t, path, "old")
}

func TestWhatCannotBeWrittenIsSaidOfTheNameThatWasGiven(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "plain"), nil, 0o600))
	for name, reason := range map[string]string{
		dir:                                 "it is a directory",
		dir + "/":                           "it is a directory",
		filepath.Join(dir, "no") + "/":      "it is a directory",
		filepath.Join(dir, "no", "file"):    "there is no directory " + filepath.Join(dir, "no") + "/",
		filepath.Join(dir, "plain", "file"): "a part of its path is a file and no directory",
		filepath.Join(dir, strings.Repeat("n", 300)): "file name too long",
		"": "the name is empty",
	} {
		for what, err := range map[string]error{"Write": put(name, "x"), "Check": file.Check(name)} {
			if err == nil || err.Error() != "write "+name+": "+reason {
				t.Errorf("%s %q: got %v, want %q", what, name, err, reason)
			}
		}
	}
	onlyIn(t, dir, "plain")
}

func TestCheckChangesNothing(t *testing.T) {
	dir := t.TempDir()
	must(t, file.Check(filepath.Join(dir, "new")))
	onlyIn(t, dir)
	old := filepath.Join(dir, "old")
	must(t, put(old, "text"))
	must(t, file.Check(old))
	want(t, old, "text")
}
