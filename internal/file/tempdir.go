package file

import (
	"errors"
	"os"
	"path/filepath"
)

// TempDir makes a folder for temporary files whose name begins with a prefix, and removes those
// with the prefix that processes have left which were killed. The folder is in use for as
// long as this process lives, or until release, which removes it.
func TempDir(prefix string) (dir string, release func() error, err error) {
	tidy(prefix)
	for {
		if dir, err = os.MkdirTemp("", prefix+"*"); err != nil {
			return "", nil, withoutPath(err)
		}
		unlock, ok := lockDir(dir)
		if ok {
			return dir, func() error {
				return errors.Join(os.RemoveAll(dir), unlock())
			}, nil
		}
		// Another process has removed it, which took it for one that was left.
	}
}

// tidy removes the folders that nothing uses. One that cannot be removed, such as that of
// another user, stays.
func tidy(prefix string) {
	if !locks {
		return
	}
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), prefix+"*")) // the pattern is right
	for _, dir := range left {
		if unlock, ok := lockDir(dir); ok {
			_ = errors.Join(os.RemoveAll(dir), unlock())
		}
	}
}
