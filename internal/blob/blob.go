// Package blob keeps the bytes of artifacts: in a folder, or in a store that speaks
// the protocol of Amazon S3.
//
// Both name bytes by their SHA-256, so that the same bytes are kept once, and both
// promise the same, which blobtest checks with one suite: what Put has returned is
// there in whole, also after the machine was cut off; what was broken off leaves
// nothing; and memory does not grow with what passes through. Which notebook has an
// artifact, who may read it and when it may go is left to the host, and so is that
// nothing is deleted while it is put.
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

// ownerName is the file, or object, that says whose the place is. A server deletes
// what it does not know, and so two must not share one.
const ownerName = "owner"

// isHash reports whether a name is one that bytes are kept under.
func isHash(name string) bool {
	return len(name) == 64 && strings.Trim(name, "0123456789abcdef") == ""
}

// errNone is the error of a hash under which there is nothing.
func errNone(hash string) error { return fmt.Errorf("artifact %q: %w", hash, fs.ErrNotExist) }

// errOwned says that a place is another server's.
func errOwned(place string) error {
	return fmt.Errorf("%s keeps the artifacts of another server: choose another place, or remove %q there if that server is gone", place, ownerName)
}

// explain says of an error of the disk what people can do about it. One that is
// only for now is also room.ErrUnavailable.
func explain(dir string, err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("the disk of the artifacts in %s is full, free some space to go on: %w", dir, errors.Join(err, room.ErrUnavailable))
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("the folder %s of the artifacts cannot be written, allow this user to write it or choose another: %w", dir, file.Reason(dir, err))
	}
	return err
}

// stop ends a copy when its context has.
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
