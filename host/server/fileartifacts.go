package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/quirehq/quire/core/artifact"
	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/ipynb"
)

// shelf is the artifacts of one notebook, for what is written to files and read from
// them. It implements artifact.Store and artifact.Source.
type shelf struct {
	all      *artifacts
	notebook string
}

var (
	_ artifact.Store  = shelf{}
	_ artifact.Source = shelf{}
)

// Put implements artifact.Store.
func (s shelf) Put(ctx context.Context, r io.ReadSeeker) (event.Artifact, error) {
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return event.Artifact{}, err
	}
	return s.all.put(ctx, s.notebook, r)
}

// Open implements artifact.Source.
func (s shelf) Open(ctx context.Context, a event.Artifact) (io.ReadCloser, error) {
	if s.all.Bytes == nil {
		return nil, fs.ErrNotExist
	}
	found, err := s.all.Index.Artifact(ctx, s.notebook, a.Hash)
	if errors.Is(err, directory.ErrNotFound) {
		return nil, fs.ErrNotExist
	}
	if err != nil {
		return nil, err
	}
	content, size, err := s.all.Bytes.Open(ctx, found.Hash)
	if err != nil {
		return nil, fmt.Errorf("artifact %s: %w", found.Hash, err)
	}
	if size != found.Size || size != a.Size {
		return nil, errors.Join(fmt.Errorf("artifact %s: got %d bytes, want %d", found.Hash, size, found.Size), content.Close())
	}
	return content, nil
}

// stow puts what a file has that is too large for a log among the artifacts of the
// notebook that the file becomes.
func (s *Server) stow(payloads []event.Payload) func(context.Context, string) error {
	return func(ctx context.Context, notebook string) error {
		if s.artifacts.Bytes == nil {
			return nil
		}
		return ipynb.Offload(ctx, payloads, shelf{s.artifacts, notebook})
	}
}
