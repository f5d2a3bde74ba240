//go:build unix

package file

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// descriptor returns the descriptor of this process that a path names.
func descriptor(path string) (int, bool) {
	path = filepath.Clean(path)
	for i, name := range [...]string{"/dev/stdin", "/dev/stdout", "/dev/stderr"} {
		if path == name {
			return i, true
		}
	}
	for _, dir := range [...]string{"/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"} {
		if digits, ok := strings.CutPrefix(path, dir); ok {
			fd, err := strconv.Atoi(digits)
			return fd, err == nil && fd >= 0
		}
	}
	return 0, false
}

// duplicate duplicates a descriptor of this process, with its position.
func duplicate(fd int, name string) (*os.File, error) {
	again, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(again), name), nil
}

// linked reports whether a file has other names.
func linked(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink > 1
}

// copyMetadata gives a new file the owner, the mode and the attributes of the old one.
func copyMetadata(tmp *os.File, path string, info fs.FileInfo) error {
	was, ok := info.Sys().(*syscall.Stat_t)
	now, err := tmp.Stat()
	if err != nil {
		return err
	}
	is, same := now.Sys().(*syscall.Stat_t)
	if ok && same && (was.Uid != is.Uid || was.Gid != is.Gid) {
		if err := tmp.Chown(int(was.Uid), int(was.Gid)); err != nil {
			return err
		}
	}
	return errors.Join(tmp.Chmod(info.Mode().Perm()), copyAttributes(tmp, path))
}

// syncDir makes a new name durable. A failure is ignored: the name exists anyway.
func syncDir(dir string) {
	if d, err := os.Open(cmp.Or(dir, ".")); err == nil {
		_ = errors.Join(d.Sync(), d.Close())
	}
}

// locks says that folders can be locked.
const locks = true

// lockDir locks a folder until this process ends, or until unlock. It reports false if another
// process has the lock or the folder is removed.
func lockDir(dir string) (unlock func() error, ok bool) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, false
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	}
	now, gone := os.Lstat(dir)
	if err != nil || gone != nil || !os.SameFile(now, info) {
		_ = f.Close()
		return nil, false
	}
	return f.Close, true
}
