package scheme

import (
	"io"
	"io/fs"
)

// rootOnly are files of which there is a folder alone.
type rootOnly struct{}

func (rootOnly) Open(name string) (io.ReadCloser, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

func (rootOnly) Create(name string) (io.WriteCloser, error) {
	return nil, &fs.PathError{Op: "create", Path: name, Err: fs.ErrPermission}
}

func (rootOnly) Remove(name string) error {
	return &fs.PathError{Op: "remove", Path: name, Err: fs.ErrNotExist}
}
func (rootOnly) Exists(name string) bool { return name == "." }
