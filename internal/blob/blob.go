// Package blob stores the bytes of artifacts: in a folder, or in a store with the
// protocol of Amazon S3.
//
// Both name bytes by their SHA-256, so equal bytes are stored once, and both have the
// same contract, which the suite blobtest checks: after Put has returned the bytes are
// stored completely, also after a power failure; an interrupted Put leaves nothing; and
// memory does not grow with the size. The host decides which notebook has an artifact,
// who may read it and when it is deleted, and must not delete bytes during their Put.
package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"syscall"

	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/internal/file"
)

// ownerName is the file, or object, that names the owner of the store. A server deletes artifacts
// that it does not know, so two must not share a store.
const ownerName = "owner"

// isHash reports whether a name is a valid hash.
func isHash(name string) bool {
	return len(name) == 64 && strings.Trim(name, "0123456789abcdef") == ""
}

// errNone is the error of a hash without bytes.
func errNone(hash string) error { return fmt.Errorf("artifact %q: %w", hash, fs.ErrNotExist) }

// errOwned says that a store belongs to another server.
func errOwned(place string) error {
	return fmt.Errorf("%s keeps the artifacts of another server: choose another place, or remove %q there if that server is gone", place, ownerName)
}

// explain adds the remedy to an error of the disk. A temporary one is also room.ErrUnavailable.
func explain(dir string, err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("the disk of the artifacts in %s is full, free some space to go on: %w", dir, errors.Join(err, room.ErrUnavailable))
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("the folder %s of the artifacts cannot be written, allow this user to write it or choose another: %w", dir, file.Reason(dir, err))
	}
	return err
}

// stop ends a copy when its context ends.
type stop struct {
	ctx context.Context
	to  io.Writer
}

// Write implements [io.Writer].
func (s stop) Write(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.to.Write(p)
}
