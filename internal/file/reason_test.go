package file_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/quirehq/quire/internal/file"
)

func TestAReasonIsInWordsAndKeepsItsCause(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(in("file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	read := func(name string) error {
		_, err := os.ReadFile(name)
		return err
	}
	gone := in("gone") + string(filepath.Separator)
	for _, c := range []struct{ name, want string }{
		{"", "the name is empty"},
		{in("none"), "no such file"},
		{gone + "x", "there is no directory " + gone},
	} {
		err := file.Reason(c.name, read(c.name))
		if err == nil || err.Error() != c.want {
			t.Errorf("%q: got %v, want %s", c.name, err, c.want)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: got %v, want its cause to be that there is nothing", c.name, err)
		}
	}
	if got := file.Reason(in("file"), read(in("file"))); got != nil {
		t.Errorf("got %v of a file that was read, want nothing", got)
	}
	other := errors.New("other")
	if got := file.Reason("x", &fs.PathError{Op: "open", Path: "x", Err: other}); got != other {
		t.Errorf("got %v, want what is not known as it is", got)
	}
}
