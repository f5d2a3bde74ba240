package file

import (
	"errors"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// accessList is the extended attribute of a file's access list.
const accessList = "system.posix_acl_access"

// copyAttributes copies the extended attributes that users set: the user namespace and the access
// list.
func copyAttributes(to *os.File, from string) error {
	names, err := attributes(from)
	if err != nil {
		return err
	}
	fd := int(to.Fd())
	_ = unix.Fremovexattr(fd, accessList) // inherited from the folder; there may be none
	for _, name := range names {
		if name != accessList && !strings.HasPrefix(name, "user.") {
			continue
		}
		value := make([]byte, 64<<10) // the maximum of Linux
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

// reserve allocates space, where the file system supports that: a full disk must not truncate the
// old content.
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
