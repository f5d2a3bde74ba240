package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
)

// files are the files of a database at its opening. SQLite continues to use a file that was removed
// or replaced, and all that it stores there is lost with the process.
type files struct {
	all  []file
	gone atomic.Bool
}

type file struct {
	path string
	info os.FileInfo
}

// errRemoved says that an opened file was removed or replaced.
var errRemoved = errors.New("it was removed or replaced")

// filesOf records the files of a directory whose database is open.
func filesOf(dir string) (*files, error) {
	f := &files{}
	for _, name := range []string{fileName, fileName + "-wal", lockName} {
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		f.all = append(f.all, file{path: path, info: info})
	}
	return f, nil
}

// check returns an error permanently once a file was removed or replaced: even if it comes back,
// later writes may be missing in it. A failure to check is an error for this call only.
func (f *files) check() error {
	for _, file := range f.all {
		info, err := os.Stat(file.path)
		switch {
		case f.gone.Load():
		case err == nil && os.SameFile(info, file.info):
			continue
		case err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
			return fmt.Errorf("see whether %s is still there: %w", filepath.Base(file.path), err)
		}
		f.gone.Store(true)
		return &Error{Kind: Removed, Err: fmt.Errorf("%s: %w", filepath.Base(file.path), errRemoved)}
	}
	return nil
}
