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

// files are the files of an open database as they were when it was opened. SQLite goes
// on with a file that was removed, and with one that another took the place of; all that
// it stores there is gone with the process.
type files struct {
	all  []file
	gone atomic.Bool
}

type file struct {
	path string
	info os.FileInfo
}

// errRemoved says that a file is not the one any more that was opened.
var errRemoved = errors.New("it was removed or replaced")

// filesOf remembers the files of a directory whose database is open.
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

// check returns an error once a file was removed or replaced, and ever after: what was
// stored meanwhile may not be in the files, should they come back. When it cannot be told whether
// a file is still there, that is an error for now only: nothing follows from it.
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
