package native

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/quirehq/quire/core/event"
)

// Folder stores artifacts as files that are named by their hash, for a notebook that lives in one
// process. It implements artifact.Store and artifact.Source; its methods may be called from any
// goroutine. The files are not synced.
type Folder struct{ dir string }

// NewFolder returns a folder of artifacts in an existing directory.
func NewFolder(dir string) *Folder { return &Folder{dir} }

// Put implements artifact.Store.
func (f *Folder) Put(_ context.Context, r io.ReadSeeker) (event.Artifact, error) {
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return event.Artifact{}, fmt.Errorf("store an artifact: %w", err)
	}
	a, err := f.take(r)
	if err != nil {
		return a, fmt.Errorf("store an artifact: %w", err)
	}
	return a, nil
}

func (f *Folder) take(r io.Reader) (a event.Artifact, err error) {
	file, err := os.CreateTemp(f.dir, "new-*")
	if err != nil {
		return a, err
	}
	sum := sha256.New()
	a.Size, err = io.Copy(io.MultiWriter(file, sum), r)
	a.Hash = hex.EncodeToString(sum.Sum(nil))
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), filepath.Join(f.dir, a.Hash))
	}
	if err != nil {
		return a, errors.Join(err, os.Remove(file.Name()))
	}
	return a, nil
}

// Open implements artifact.Source.
func (f *Folder) Open(_ context.Context, a event.Artifact) (io.ReadCloser, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	file, err := os.Open(filepath.Join(f.dir, a.Hash))
	if err != nil {
		return nil, fmt.Errorf("open an artifact: %w", err)
	}
	return file, nil
}
