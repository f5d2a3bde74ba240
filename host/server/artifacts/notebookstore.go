package artifacts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/quirehq/quire/core/artifact"
	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
)

// Notebook has the artifacts of one notebook, for programs that write or read its files.
type Notebook struct {
	all *Service
	id  string
}

// Of returns the artifacts of a notebook.
func (s *Service) Of(notebook string) Notebook { return Notebook{s, notebook} }

var (
	_ artifact.Store  = Notebook{}
	_ artifact.Source = Notebook{}
)

// Put implements [artifact.Store].
func (n Notebook) Put(ctx context.Context, r io.ReadSeeker) (event.Artifact, error) {
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return event.Artifact{}, err
	}
	return n.all.Put(ctx, n.id, r)
}

// Open implements [artifact.Source].
func (n Notebook) Open(ctx context.Context, a event.Artifact) (io.ReadCloser, error) {
	storage := n.all.cfg.Storage
	if storage.Bytes == nil {
		return nil, fs.ErrNotExist
	}
	found, err := storage.Index.Artifact(ctx, n.id, a.Hash)
	if errors.Is(err, directory.ErrNotFound) {
		return nil, fs.ErrNotExist
	}
	if err != nil {
		return nil, err
	}
	content, size, err := storage.Bytes.Open(ctx, found.Hash)
	if err != nil {
		return nil, fmt.Errorf("artifact %s: %w", found.Hash, err)
	}
	if size != found.Size || size != a.Size {
		return nil, errors.Join(fmt.Errorf("artifact %s: got %d bytes, want %d", found.Hash, size, found.Size), content.Close())
	}
	return content, nil
}
