package file

import (
	"errors"
	"io/fs"
	"os"
)

// descriptor finds none: descriptors have no names here.
func descriptor(string) (int, bool) { return 0, false }

// duplicate is never called, since no name is a descriptor.
func duplicate(int, string) (*os.File, error) { return nil, errors.ErrUnsupported }

// linked reports one name: there is no portable way to count them.
func linked(fs.FileInfo) bool { return false }

// copyMetadata does nothing: a file has the permissions of its folder.
func copyMetadata(*os.File, string, fs.FileInfo) error { return nil }

// syncDir does nothing: names are durable.
func syncDir(string) {}

// reserve does nothing: the write itself fails without space.
func reserve(*os.File, int64) error { return nil }

// locks says that folders cannot be locked: leftover ones stay.
const locks = false

// lockDir does not lock.
func lockDir(string) (unlock func() error, ok bool) { return func() error { return nil }, true }
