//go:build unix

package file_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/quirehq/quire/internal/file"
)

func TestNamesOfOneFileAreTheSame(t *testing.T) {
	t.Chdir(t.TempDir())
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.WriteFile("a", nil, 0o600))
	must(os.WriteFile("b", nil, 0o600))
	must(os.Mkdir("dir", 0o700))
	must(os.Symlink("a", "link"))
	must(os.Symlink("link", "further"))
	must(os.Symlink("dir", "way"))
	must(os.Symlink("new", "dangling"))
	must(os.Link("a", "hard"))
	here, err := os.Getwd()
	must(err)
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"a", "a", true},
		{"a", "./dir/../a", true},
		{"a", filepath.Join(here, "a"), true},
		{"a", "further", true},
		{"a", "hard", true},
		{"a", "b", false},
		{"a", "new", false},
		{"new", "dir/../new", true},
		{"new", "dangling", true},
		{"dir/new", "way/new", true},
		{"dir/new", "new", false},
		{"dir/new", "dir/other", false},
		{"dir", "dir", false},
		{"", "", false},
		{os.DevNull, os.DevNull, false},
	} {
		if got := file.Same(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: got %v, want %v", c.a, c.b, got, c.want)
		}
		if got := file.Same(c.b, c.a); got != c.want {
			t.Errorf("%q and %q: got %v, want %v", c.b, c.a, got, c.want)
		}
	}
}
