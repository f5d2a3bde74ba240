package file

import (
	"errors"
	"os"
	"path/filepath"
)

// TempDir creates a folder for temporary files whose name begins with a prefix, and removes folders
// with the prefix that killed processes have left. The folder is in use until this process ends, or
// until release, which removes it.
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
		// Another process mistook it for an unused one and removed it.
	}
}

// tidy removes unused folders. One that cannot be removed, such as that of another user, stays.
func tidy(prefix string) {
	if !locks {
		return
	}
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), prefix+"*")) // the pattern is valid
	for _, dir := range left {
		if unlock, ok := lockDir(dir); ok {
			_ = errors.Join(os.RemoveAll(dir), unlock())
		}
	}
}
