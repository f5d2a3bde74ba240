package file_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/quirehq/quire/internal/file"
)

func root(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can do this")
	}
}

// device creates a device like /dev/null in a folder of the test.
func device(t *testing.T) string {
	t.Helper()
	root(t)
	path := filepath.Join(t.TempDir(), "null")
	if err := unix.Mknod(path, unix.S_IFCHR|0o666, int(unix.Mkdev(1, 3))); err != nil {
		t.Skipf("no device can be made here: %v", err)
	}
	if f, err := os.OpenFile(path, os.O_WRONLY, 0); err != nil {
		t.Skipf("no device can be used here: %v", err)
	} else {
		must(t, f.Close())
	}
	return path
}

func TestADeviceIsWrittenThrough(t *testing.T) {
	path := device(t)
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(path, link))
	must(t, file.Check(path))
	must(t, put(path, "x"))
	must(t, put(link, "x"))
	if modeOf(t, path)&fs.ModeCharDevice == 0 {
		t.Error("the device was replaced")
	}
	onlyIn(t, filepath.Dir(path), "null")
	onlyIn(t, filepath.Dir(link), "link")
}

func TestTheOwnerOfAFileStays(t *testing.T) {
	root(t)
	path := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(path, []byte("old"), 0o640))
	must(t, os.Chown(path, 1234, 2345))
	must(t, put(path, "new"))
	info, err := os.Stat(path)
	must(t, err)
	if s := info.Sys().(*syscall.Stat_t); s.Uid != 1234 || s.Gid != 2345 || info.Mode() != 0o640 {
		t.Errorf("got %d:%d %v, want 1234:2345 0640", s.Uid, s.Gid, info.Mode())
	}
}

func TestTheAttributesOfAFileStay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(path, nil, 0o600))
	if err := unix.Setxattr(path, "user.origin", []byte("here"), 0); err != nil {
		t.Skipf("no attributes here: %v", err)
	}
	must(t, put(path, "new"))
	value := make([]byte, 10)
	if n, err := unix.Getxattr(path, "user.origin", value); err != nil || string(value[:n]) != "here" {
		t.Errorf("got %q, %v", value[:max(n, 0)], err)
	}
}

// TestWithoutRights runs again as a user who is not root.
func TestWithoutRights(t *testing.T) {
	if os.Getenv("FILE_TEST_DIR") != "" {
		withoutRights(t, os.Getenv("FILE_TEST_DIR"))
		return
	}
	root(t)
	dir, err := os.MkdirTemp("", "rights")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	for name, mode := range map[string]fs.FileMode{"closed": 0o755, "sticky": 0o777 | fs.ModeSticky, "open": 0o777} {
		sub := filepath.Join(dir, name)
		must(t, os.Mkdir(sub, 0o700))
		must(t, os.WriteFile(filepath.Join(sub, "theirs"), []byte("old"), 0o600))
		must(t, os.WriteFile(filepath.Join(sub, "readonly"), []byte("old"), 0o600))
		must(t, os.Chmod(filepath.Join(sub, "theirs"), 0o666))
		must(t, os.Chmod(filepath.Join(sub, "readonly"), 0o444))
		must(t, os.Chmod(sub, mode))
	}
	must(t, os.Mkdir(filepath.Join(dir, "room"), 0o700))
	must(t, os.Chmod(filepath.Join(dir, "room"), 0o777))
	must(t, os.Chmod(dir, 0o755))
	test := filepath.Join(dir, "file.test")
	program, err := os.ReadFile("/proc/self/exe")
	must(t, err)
	must(t, os.WriteFile(test, program, 0o755))
	cmd := exec.Command(test, "-test.run=^TestWithoutRights$")
	cmd.Dir, cmd.Env = "/", []string{"FILE_TEST_DIR=" + dir, "TMPDIR=" + filepath.Join(dir, "room")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func withoutRights(t *testing.T, dir string) {
	for _, name := range []string{"closed", "sticky", "open"} {
		theirs := filepath.Join(dir, name, "theirs")
		if err := put(theirs, "new"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		want(t, theirs, "new", "readonly")
		info, err := os.Stat(theirs)
		must(t, err)
		if info.Sys().(*syscall.Stat_t).Uid != 0 {
			t.Errorf("%s: the file has another owner now", name)
		}
		readonly := filepath.Join(dir, name, "readonly")
		if err := put(readonly, "new"); !errors.Is(err, fs.ErrPermission) || err.Error() != "write "+readonly+": permission denied" {
			t.Errorf("%s: got %v, want that a file to read only is not written", name, err)
		}
		want(t, readonly, "old", "theirs")
	}
	if err := file.Check(filepath.Join(dir, "closed", "new")); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v, want that no file can be made", err)
	}
}

func TestAFullDiskLeavesTheOldContent(t *testing.T) {
	root(t)
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=256k"); err != nil {
		t.Skipf("no small disk can be made here: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, 0) })
	path := filepath.Join(dir, "file")
	must(t, put(path, "old"))
	large := bytes.Repeat([]byte("x"), 1<<20)
	fill := func(w io.Writer) error {
		_, err := w.Write(large)
		return err
	}
	if err := file.Write(path, 0o644, fill); !errors.Is(err, unix.ENOSPC) || err.Error() != "write "+path+": no space left on device" {
		t.Errorf("got %v", err)
	}
	want(t, path, "old")
	must(t, os.Link(path, filepath.Join(dir, "other"))) // forces an overwrite
	large = large[:200<<10]                             // space for one and not for two
	if err := file.Write(path, 0o644, fill); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("got %v", err)
	}
	want(t, path, "old", "other")
}
