package file

import (
	"errors"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// accessList is the attribute that has a file's access list.
const accessList = "system.posix_acl_access"

// copyAttributes gives a file the extended attributes of another that people set: their own
// and the access list.
func copyAttributes(to *os.File, from string) error {
	names, err := attributes(from)
	if err != nil {
		return err
	}
	fd := int(to.Fd())
	_ = unix.Fremovexattr(fd, accessList) // that of the folder; there may be none
	for _, name := range names {
		if name != accessList && !strings.HasPrefix(name, "user.") {
			continue
		}
		value := make([]byte, 64<<10) // the most that Linux has
		n, err := unix.Getxattr(from, name, value)
		if err == nil {
			err = unix.Fsetxattr(fd, name, value[:n], 0)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// attributes returns the names of the extended attributes of a file.
func attributes(path string) ([]string, error) {
	list := make([]byte, 64<<10)
	n, err := unix.Listxattr(path, list)
	if errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.ENOSYS) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(string(list[:n]), func(r rune) bool { return r == 0 }), nil
}

// reserve makes room for what a file is to hold, where the file system can: a full disk
// must not cut what is there.
func reserve(f *os.File, size int64) error {
	info, err := f.Stat()
	if err != nil || size <= info.Size() {
		return err
	}
	if err := unix.Fallocate(int(f.Fd()), 0, 0, size); errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) || errors.Is(err, unix.EFBIG) {
		return errors.Join(err, f.Truncate(info.Size()))
	}
	return nil
}
