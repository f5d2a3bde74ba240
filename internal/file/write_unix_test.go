//go:build unix

package file_test

import (
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/quirehq/quire/internal/file"
)

func modeOf(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Lstat(path)
	must(t, err)
	return info.Mode()
}

func TestTheModeOfAFileStays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(path, []byte("old"), 0o600))
	for _, mode := range []fs.FileMode{0o600, 0o640, 0o755, 0o622} {
		must(t, os.Chmod(path, mode))
		must(t, put(path, "new"))
		if got := modeOf(t, path); got != mode {
			t.Errorf("got mode %v, want %v", got, mode)
		}
	}
}

func TestALinkLeadsToTheFileThatIsWritten(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	real := filepath.Join(elsewhere, "real")
	must(t, os.WriteFile(real, []byte("old"), 0o600))
	must(t, os.Symlink(real, filepath.Join(dir, "link")))
	must(t, os.Symlink("link", filepath.Join(dir, "again")))
	must(t, put(filepath.Join(dir, "again"), "new"))
	want(t, real, "new")
	onlyIn(t, dir, "link", "again")
	if modeOf(t, filepath.Join(dir, "link"))&fs.ModeSymlink == 0 || modeOf(t, filepath.Join(dir, "again"))&fs.ModeSymlink == 0 {
		t.Error("a link was replaced")
	}
}

func TestALinkToNothingMakesItsFile(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	must(t, os.Mkdir(filepath.Join(elsewhere, "sub"), 0o700))
	must(t, os.Symlink(filepath.Join(elsewhere, "sub"), filepath.Join(dir, "sub")))
	must(t, os.Symlink("sub/../new", filepath.Join(dir, "link"))) // beside the target of sub
	must(t, put(filepath.Join(dir, "link"), "text"))
	want(t, filepath.Join(elsewhere, "new"), "text", "sub")
	if modeOf(t, filepath.Join(dir, "link"))&fs.ModeSymlink == 0 {
		t.Error("the link was replaced")
	}
}

func TestLinksInACircleAreAnError(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Symlink("b", filepath.Join(dir, "a")))
	must(t, os.Symlink("a", filepath.Join(dir, "b")))
	if err := put(filepath.Join(dir, "a"), "x"); err == nil {
		t.Error("got no error")
	}
	onlyIn(t, dir, "a", "b")
}

func TestTheOtherNamesOfAFileSeeWhatIsWritten(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	must(t, os.WriteFile(a, []byte("a long old content"), 0o600))
	must(t, os.Link(a, b))
	must(t, put(a, "short"))
	want(t, a, "short", "b")
	want(t, b, "short", "a")
}

func TestAPipeIsWrittenThrough(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	must(t, syscall.Mkfifo(path, 0o600))
	got := make(chan string)
	go func() {
		data, _ := os.ReadFile(path)
		got <- string(data)
	}()
	must(t, file.Check(path))
	must(t, put(path, "text"))
	if text := <-got; text != "text" {
		t.Errorf("got %q", text)
	}
	if modeOf(t, path)&fs.ModeNamedPipe == 0 || file.Regular(path) {
		t.Error("the pipe was replaced")
	}
	onlyIn(t, filepath.Dir(path), "pipe")
}

func TestASocketIsRefused(t *testing.T) {
	dir, err := os.MkdirTemp("", "sock") // for a short path
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "s")
	l, err := net.Listen("unix", path)
	must(t, err)
	defer l.Close()
	if err := put(path, "x"); err == nil {
		t.Error("got no error")
	}
	if modeOf(t, path)&fs.ModeSocket == 0 {
		t.Error("the socket was replaced")
	}
}

func TestADescriptorIsWrittenWhereItIs(t *testing.T) {
	r, w, err := os.Pipe()
	must(t, err)
	dir := t.TempDir()
	f, err := os.OpenFile(filepath.Join(dir, "log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	must(t, err)
	defer f.Close()
	_, err = f.WriteString("before ")
	must(t, err)
	link := filepath.Join(dir, "link")
	must(t, os.Symlink("/dev/fd/"+itoa(f.Fd()), link))
	must(t, put("/dev/fd/"+itoa(f.Fd()), "one "))
	must(t, put(link, "two"))
	want(t, filepath.Join(dir, "log"), "before one two", "link")
	must(t, put("/dev/fd/"+itoa(w.Fd()), "piped"))
	must(t, w.Close())
	if got, _ := io.ReadAll(r); string(got) != "piped" {
		t.Errorf("got %q", got)
	}
}

func itoa(fd uintptr) string {
	if fd >= 10 {
		return itoa(fd/10) + itoa(fd%10)
	}
	return string(rune('0' + fd))
}

func TestANewFileKeepsToTheUmask(t *testing.T) {
	old := unix.Umask(0o077)
	defer unix.Umask(old)
	path := filepath.Join(t.TempDir(), "file")
	must(t, file.Write(path, 0o666, func(io.Writer) error { return nil }))
	if got := modeOf(t, path); got != 0o600 {
		t.Errorf("got mode %v, want 0600", got)
	}
}
