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

// linked says that a file has one name, which can be told in no portable way.
func linked(fs.FileInfo) bool { return false }

// likeness leaves a file with the rights of its folder.
func likeness(*os.File, string, fs.FileInfo) error { return nil }

// syncDir does nothing: names last by themselves.
func syncDir(string) {}

// reserve leaves it to the file system to have room.
func reserve(*os.File, int64) error { return nil }

// locks says that folders cannot be locked: those that were left stay.
const locks = false

// lockDir leaves a folder unlocked.
func lockDir(string) (unlock func() error, ok bool) { return func() error { return nil }, true }
