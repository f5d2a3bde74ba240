package wasi

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	experimental "github.com/tetratelabs/wazero/experimental/sys"
)

// granted returns a folder with a file, a folder, and links that lead out, and the file that they lead to.
func granted(t *testing.T, writable bool) (f *folder, dir, secret string) {
	t.Helper()
	base := t.TempDir()
	dir, secret = filepath.Join(base, "granted"), filepath.Join(base, "secret")
	err := errors.Join(
		os.WriteFile(secret, []byte("secret"), 0o644), os.Mkdir(dir, 0o755), os.Mkdir(filepath.Join(dir, "sub"), 0o755),
		os.WriteFile(filepath.Join(dir, "file"), []byte("hello"), 0o644),
		os.Symlink(secret, filepath.Join(dir, "absolute")), os.Symlink("../secret", filepath.Join(dir, "relative")),
		os.Symlink("..", filepath.Join(dir, "up")), os.Symlink("file", filepath.Join(dir, "within")),
	)
	if err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return &folder{root: root, writable: writable}, dir, secret
}

func TestAGrantedFolderIsReadAndWritten(t *testing.T) {
	f, dir, _ := granted(t, true)
	file, wrong := f.OpenFile("sub/new", experimental.O_RDWR|experimental.O_CREAT|experimental.O_EXCL, 0o644)
	if wrong != 0 {
		t.Fatal(wrong)
	}
	if n, wrong := file.Write([]byte("one two")); n != 7 || wrong != 0 {
		t.Errorf("write: %d, %v", n, wrong)
	}
	if _, wrong := file.Pwrite([]byte("TWO"), 4); wrong != 0 {
		t.Error(wrong)
	}
	if at, wrong := file.Seek(4, 0); at != 4 || wrong != 0 {
		t.Errorf("seek: %d, %v", at, wrong)
	}
	buf := make([]byte, 10)
	if n, wrong := file.Read(buf); string(buf[:n]) != "TWO" || wrong != 0 {
		t.Errorf("read: %q, %v", buf[:n], wrong)
	}
	if n, wrong := file.Read(buf); n != 0 || wrong != 0 {
		t.Errorf("read at the end: %d, %v", n, wrong)
	}
	if wrong := file.Truncate(3); wrong != 0 {
		t.Error(wrong)
	}
	if wrong := file.Close(); wrong != 0 {
		t.Error(wrong)
	}
	for _, step := range []struct {
		name string
		do   func() experimental.Errno
	}{
		{"mkdir", func() experimental.Errno { return f.Mkdir("more", 0o777) }},
		{"rename", func() experimental.Errno { return f.Rename("sub/new", "more/old") }},
		{"rmdir", func() experimental.Errno { return f.Rmdir("sub") }},
		{"chmod", func() experimental.Errno { return f.Chmod("file", 0o600) }},
		{"utimens", func() experimental.Errno { return f.Utimens("file", 1e9, experimental.UTIME_OMIT) }},
		{"unlink", func() experimental.Errno { return f.Unlink("within") }},
	} {
		if wrong := step.do(); wrong != 0 {
			t.Errorf("%s: %v", step.name, wrong)
		}
	}
	if data, err := os.ReadFile(filepath.Join(dir, "more", "old")); string(data) != "one" || err != nil {
		t.Errorf("got %q, %v", data, err)
	}
	if isThere(filepath.Join(dir, "sub")) || isThere(filepath.Join(dir, "within")) || !isThere(filepath.Join(dir, "file")) {
		t.Error("a folder or a link is left, or more than the link was removed")
	}
}

func TestNothingLeadsOutOfAGrantedFolder(t *testing.T) {
	f, dir, secret := granted(t, true)
	for _, path := range []string{"../secret", "sub/../../secret", "absolute", "relative", "up/secret", secret, "/" + secret, "up", "sub/../../granted/../secret"} {
		for _, flag := range []experimental.Oflag{experimental.O_RDONLY, experimental.O_WRONLY, experimental.O_RDWR | experimental.O_CREAT, experimental.O_WRONLY | experimental.O_TRUNC} {
			if file, wrong := f.OpenFile(path, flag, 0o644); wrong == 0 {
				t.Errorf("%s was opened with %x: %v", path, flag, file)
			}
		}
		for name, wrong := range map[string]experimental.Errno{
			"mkdir": f.Mkdir(path+"/x", 0o755), "unlink": f.Unlink("../secret"), "rename from": f.Rename("../secret", "mine"), "rename to": f.Rename("file", "../secret"),
			"chmod": f.Chmod(path, 0o600), "utimens": f.Utimens(path, 0, 0),
		} {
			if wrong == 0 {
				t.Errorf("%s %s was done", name, path)
			}
		}
		if _, wrong := f.Stat(path); wrong == 0 {
			t.Errorf("%s was described", path)
		}
	}
	if wrong := f.Symlink(secret, "made"); wrong != experimental.EPERM {
		t.Errorf("a link: %v", wrong)
	}
	if wrong := f.Link("file", "made"); wrong != experimental.EPERM {
		t.Errorf("a hard link: %v", wrong)
	}
	if data, err := os.ReadFile(secret); string(data) != "secret" || err != nil {
		t.Errorf("the file outside: %q, %v", data, err)
	}
	if file, wrong := f.OpenFile("within", experimental.O_RDONLY, 0); wrong != 0 {
		t.Errorf("a link within the folder: %v", wrong)
	} else {
		file.Close()
	}
	if entries, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(entries) != 2 {
		t.Errorf("beside the folder: %v, %v", entries, err)
	}
}

func TestAFolderThatIsGrantedToReadStaysAsItIs(t *testing.T) {
	f, dir, _ := granted(t, false)
	for _, flag := range []experimental.Oflag{experimental.O_WRONLY, experimental.O_RDWR, experimental.O_CREAT, experimental.O_TRUNC, experimental.O_APPEND} {
		if _, wrong := f.OpenFile("file", flag, 0o644); wrong != experimental.EROFS {
			t.Errorf("open with %x: %v", flag, wrong)
		}
	}
	for name, wrong := range map[string]experimental.Errno{
		"mkdir": f.Mkdir("x", 0o755), "rmdir": f.Rmdir("sub"), "unlink": f.Unlink("file"), "rename": f.Rename("file", "x"), "chmod": f.Chmod("file", 0o600), "utimens": f.Utimens("file", 0, 0),
	} {
		if wrong != experimental.EROFS {
			t.Errorf("%s: %v", name, wrong)
		}
	}
	file, wrong := f.OpenFile("file", experimental.O_RDONLY, 0)
	if wrong != 0 {
		t.Fatal(wrong)
	}
	defer file.Close()
	if _, wrong := file.Write([]byte("x")); wrong == 0 {
		t.Error("it was written")
	}
	if info, err := os.Stat(filepath.Join(dir, "file")); err != nil || info.Size() != 5 || info.Mode() != fs.FileMode(0o644) {
		t.Errorf("the file is %v, %v", info, err)
	}
}
