//go:build unix

package ownership_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quirehq/quire/internal/ownership"
)

// folder creates a folder with a mode, independent of the umask.
func folder(t *testing.T, mode os.FileMode, names ...string) string {
	t.Helper()
	dir := filepath.Join(names...)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, mode); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestAWayThatOthersCanChangeIsAFault(t *testing.T) {
	top := folder(t, 0o755, t.TempDir())
	inOpen := folder(t, 0o700, folder(t, 0o777, top, "open"), "data")
	inSticky := folder(t, 0o700, folder(t, 0o777|os.ModeSticky, top, "sticky"), "data")
	link := func(name, to string) string {
		path := filepath.Join(top, name)
		if err := os.Symlink(to, path); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for path, want := range map[string]string{
		folder(t, 0o700, top, "mine"):                    "",
		folder(t, 0o755, top, "shown"):                   "",
		filepath.Join(top, "none", "yet"):                "",
		inSticky:                                         "",
		inOpen:                                           "open can be changed",
		filepath.Join(top, "open", "none"):               "open can be changed",
		folder(t, 0o777, top, "all"):                     "all can be changed",
		folder(t, 0o777|os.ModeSticky, top, "stuck"):     "stuck can be changed",
		folder(t, 0o772, top, "written"):                 "written can be changed",
		link("straight", "mine"):                         "",
		"/dev/null":                                      "", // advice to change its mode would break the machine
		link("crooked", inOpen):                          "open can be changed",
		link("relative", "open/data"):                    "open can be changed",
		link("loop", "loop"):                             "",
		filepath.Join(link("above", "open"), "data"):     "open can be changed",
		filepath.Join(top, "mine", "..", "open", "data"): "open can be changed",
	} {
		got := ownership.Way(path)
		if want == "" && got != nil || want != "" && (got == nil || !strings.Contains(got.Error(), want) || !strings.Contains(got.Error(), "chmod go-w")) {
			t.Errorf("%s: got %v, want %q", path, got, want)
		}
	}
}

func TestWhatIsAnotherUsersIsAFault(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	top := folder(t, 0o755, t.TempDir())
	theirs := folder(t, 0o700, top, "theirs")
	below := folder(t, 0o700, theirs, "mine")
	link := filepath.Join(top, "link")
	if err := os.Symlink(folder(t, 0o700, top, "own"), link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{theirs, link} {
		if err := os.Lchown(path, 12345, 12345); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{theirs, below, link} {
		if ownership.Way(path) == nil {
			t.Errorf("%s: got nothing, want a fault", path)
		}
	}
	if got := ownership.Private(theirs); got == nil || !strings.Contains(got.Error(), "another user (12345)") {
		t.Errorf("got %v, want that it is another user's", got)
	}
}

func TestAPrivateFileIsNeitherReadNorChangedByOthers(t *testing.T) {
	for mode, want := range map[os.FileMode]string{
		0o600: "", 0o400: "", 0o644: "can be read", 0o640: "can be read", 0o602: "can be changed", 0o666: "can be changed",
	} {
		path := filepath.Join(t.TempDir(), "secret")
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		got := ownership.Private(path)
		if want == "" && got != nil || want != "" && (got == nil || !strings.Contains(got.Error(), want)) {
			t.Errorf("%o: got %v, want %q", mode, got, want)
		}
		if got != nil && got.Readable() {
			if err := ownership.Tighten(path); err != nil || ownership.Private(path) != nil {
				t.Errorf("%o: got %v and %v, want it tightened", mode, err, ownership.Private(path))
			}
		}
	}
}
