package file

import (
	"os"
	"path/filepath"
)

// Same reports whether two names lead to one regular file, existing or not. Devices and pipes do
// not count: a write to one replaces nothing.
func Same(a, b string) bool {
	s, errS := find(a)
	t, errT := find(b)
	switch {
	case errS != nil || errT != nil || s.kind != regular || t.kind != regular:
		return false
	case s.old != nil && t.old != nil:
		return os.SameFile(s.old, t.old)
	case s.old != nil || t.old != nil:
		return false
	}
	return filepath.Base(s.path) == filepath.Base(t.path) && sameDir(s.dir(), t.dir())
}

func sameDir(a, b string) bool {
	s, errS := os.Stat(a + ".")
	t, errT := os.Stat(b + ".")
	return errS == nil && errT == nil && os.SameFile(s, t)
}
