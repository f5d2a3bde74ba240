package file

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// kind is the way a target is written.
type kind int

// The kinds of targets.
const (
	regular kind = iota // replaced atomically
	through             // written in place
)

// target is the file that a name leads to.
type target struct {
	path    string
	kind    kind
	old     fs.FileInfo // nil if there is no file yet
	inPlace bool        // only the given name leads to the file
	fd      int         // an open descriptor of this process, -1 for none
}

// Reasons that a name cannot be written.
var (
	errDirectory = errors.New("it is a directory")
	errSocket    = errors.New("it is a socket, which is no file to write to")
	errLinks     = errors.New("its links lead nowhere: they are too many, or go in a circle")
	errEmpty     = errors.New("the name is empty")
)

// maxLinks bounds the links in a name, as in Linux.
const maxLinks = 40

// find follows the links of a name to the target, which need not exist. Descriptors of this
// process, such as /dev/stdout, are links on some systems; they mean the open file and not the file
// that has the name now.
func find(name string) (*target, error) {
	if name == "" {
		return nil, errEmpty
	}
	if os.IsPathSeparator(name[len(name)-1]) {
		return nil, errDirectory
	}
	path := name
	for range maxLinks {
		if fd, ok := descriptor(path); ok {
			return &target{path: path, kind: through, fd: fd}, nil
		}
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return missing(name, path)
		}
		if err != nil {
			return nil, err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			return existing(name, path, info)
		}
		to, err := os.Readlink(path)
		if err != nil {
			return nil, err
		}
		if !filepath.IsAbs(to) {
			to = folder(path) + to
		}
		path = to
	}
	return nil, errLinks
}

// missing is the target of a name without a file, unless the system finds one behind a link that is
// no path, such as that of a removed file that is still open.
func missing(name, path string) (*target, error) {
	if info, err := os.Stat(name); err == nil {
		return existing(name, name, info)
	}
	if os.IsPathSeparator(path[len(path)-1]) {
		return nil, errDirectory
	}
	return &target{path: path, fd: -1}, nil
}

// existing is the target of a name with a file.
func existing(name, path string, info fs.FileInfo) (*target, error) {
	t := &target{path: path, old: info, fd: -1}
	switch mode := info.Mode(); {
	case mode.IsDir():
		return nil, errDirectory
	case mode&fs.ModeSocket != 0:
		return nil, errSocket
	case !mode.IsRegular():
		t.kind = through
		return t, nil
	}
	if now, err := os.Stat(name); err != nil || !os.SameFile(now, info) {
		return nil, errLinks
	}
	if at, err := os.Lstat(path); err != nil || !os.SameFile(at, info) {
		t.inPlace = true
	}
	return t, nil
}

// dir returns the folder of the target, as a prefix for names in it.
func (t *target) dir() string { return folder(t.path) }

// folder returns the folder of a path. It is not cleaned: a folder that is a link is followed
// before "..".
func folder(path string) string {
	i := len(path)
	for i > 0 && !os.IsPathSeparator(path[i-1]) {
		i--
	}
	return path[:i]
}

// check checks that the target can be opened, without waiting for the reader of a pipe.
func (t *target) check() error {
	switch {
	case t.kind == through:
		return nil
	case t.old != nil:
		f, err := os.OpenFile(t.path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return f.Close()
	}
	f, err := temporary(t.dir(), 0o600)
	if err != nil {
		return err
	}
	return discard(f)
}

// open opens a target that is written in place.
func (t *target) open() (*os.File, error) {
	if t.fd >= 0 {
		return duplicate(t.fd, t.path)
	}
	return os.OpenFile(t.path, os.O_WRONLY, 0)
}
