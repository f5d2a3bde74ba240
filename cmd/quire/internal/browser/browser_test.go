package browser

import (
	"errors"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/quirehq/quire/cmd/quire/internal/datadir"
)

// fakeOpener puts a program in place of the system's opener that writes the address to
// open into a file, and ends with a code.
func fakeOpener(t *testing.T, code string) (asked string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a script is no program here")
	}
	dir := t.TempDir()
	asked = filepath.Join(dir, "asked")
	name, _ := opener(runtime.GOOS)
	script := "#!/bin/sh\necho \"$*\" >" + asked + "\nexit " + code + "\n"
	if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	return asked
}

func TestTheBrowserIsLedToTheLinkByAFileThatNobodyElseCanRead(t *testing.T) {
	asked, dir := fakeOpener(t, "3"), t.TempDir()
	const link = "http://127.0.0.1:8642/login?token=SECRET&x=\"<"
	ended := make(chan error)
	if err := Open(dir, link, func(err error) { ended <- err }); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil || strings.Contains(err.Error(), "SECRET") {
		t.Errorf("got %v, want that the program failed, without the link", err)
	}
	args, err := os.ReadFile(asked)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, datadir.OpenFile)
	if got, want := strings.TrimSpace(string(args)), "file://"+path; got != want {
		t.Errorf("got %q opened, want %q", got, want)
	}
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := `content="0;url=` + html.EscapeString(link) + `"`; !strings.Contains(string(page), want) || strings.Contains(string(page), link) {
		t.Errorf("got %s, want %s in it", page, want)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v and %v, want a file for its owner only", info.Mode(), err)
	}
	for range 2 {
		if err := RemovePage(dir); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want no file", err)
	}
}

func TestWithoutABrowserNoLinkIsLeftBehind(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{"", ".", "relative"} {
		t.Setenv("PATH", path)
		if err := Open(dir, "http://127.0.0.1:8642/", nil); err == nil {
			t.Errorf("PATH %q: got no error", path)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("got %v and %v, want nothing", left, err)
	}
}

func TestAnOpenerInTheCurrentDirectoryIsNotTrusted(t *testing.T) {
	dir := t.TempDir()
	name, _ := opener(runtime.GOOS)
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, path := range []string{".", ""} {
		t.Setenv("PATH", path)
		if err := Open(t.TempDir(), "http://127.0.0.1:8642/", nil); !errors.Is(err, exec.ErrDot) && !errors.Is(err, exec.ErrNotFound) {
			t.Errorf("PATH %q: got %v, want that there is none", path, err)
		}
	}
}

func TestEverySystemHasAnOpener(t *testing.T) {
	for system, want := range map[string]string{
		"linux": "xdg-open", "freebsd": "xdg-open", "darwin": "open", "windows": "rundll32 url.dll,FileProtocolHandler",
	} {
		name, args := opener(system)
		if got := strings.Join(append([]string{name}, args...), " "); got != want {
			t.Errorf("%s: got %q, want %q", system, got, want)
		}
	}
	if got, want := fileURL("/a b/#é.html"), "file:///a%20b/%23%C3%A9.html"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := fileURL("C:/a/b.html"), "file:///C:/a/b.html"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
