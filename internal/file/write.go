package file

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// Write replaces the content of the file that a name leads to by the output of write. A new file
// gets the mode, less the umask. After an error an old file has its old content, and a new one does
// not exist.
func Write(name string, mode fs.FileMode, write func(io.Writer) error) error {
	t, err := find(name)
	if err == nil {
		err = t.write(mode, write)
	}
	if err != nil {
		return &Error{Name: name, Err: Reason(name, err)}
	}
	return nil
}

// Check returns why a name cannot be written, if that can be determined without writing.
func Check(name string) error {
	t, err := find(name)
	if err == nil {
		err = t.check()
	}
	if err != nil {
		return &Error{Name: name, Err: Reason(name, err)}
	}
	return nil
}

// Regular reports whether a name leads to a regular file, or to none yet: its content can be
// replaced repeatedly.
func Regular(name string) bool {
	t, err := find(name)
	return err == nil && t.kind == regular
}

// Error is why a file was not written.
type Error struct {
	Name string // as the caller named it
	Err  error
}

// Error returns the name and the reason.
func (e *Error) Error() string { return fmt.Sprintf("write %s: %v", e.Name, e.Err) }

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// withoutPath removes file names from errors of the operating system, because the caller has not
// given them.
func withoutPath(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	var call *os.SyscallError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	case errors.As(err, &call):
		return call.Err
	}
	return err
}

// write writes to the target.
func (t *target) write(mode fs.FileMode, write func(io.Writer) error) error {
	switch {
	case t.kind == through:
		return t.stream(write)
	case t.old == nil:
		return t.create(mode, write)
	}
	return t.replace(write)
}

// stream writes to a file that is not regular, or to an open descriptor.
func (t *target) stream(write func(io.Writer) error) error {
	f, err := t.open()
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// create creates a new file.
func (t *target) create(mode fs.FileMode, write func(io.Writer) error) error {
	tmp, err := temporary(t.dir(), mode)
	if err != nil {
		return err
	}
	if err := errors.Join(write(tmp), tmp.Sync()); err != nil {
		return errors.Join(err, discard(tmp))
	}
	return t.rename(tmp)
}

// rename gives a complete file the name of the target.
func (t *target) rename(tmp *os.File) error {
	err := tmp.Close()
	if err == nil {
		err = os.Rename(tmp.Name(), t.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	syncDir(t.dir())
	return nil
}

// replace replaces an old file by a new one with the new content. That is not possible if the file
// has other names, the folder is not writable, or the owner cannot be preserved: then the old file
// is overwritten, once the content is complete.
func (t *target) replace(write func(io.Writer) error) error {
	if f, err := os.OpenFile(t.path, os.O_WRONLY, 0); err != nil { // without the permission to write it may not be replaced
		return err
	} else if err := f.Close(); err != nil {
		return err
	}
	tmp, err := temporary(t.dir(), 0o600)
	beside := err == nil
	if !beside {
		tmp, err = temporary(os.TempDir()+string(os.PathSeparator), 0o600)
	}
	if err != nil {
		return err
	}
	defer func() { _ = discard(tmp) }() // does nothing after a successful rename
	if err := errors.Join(write(tmp), tmp.Sync()); err != nil {
		return err
	}
	if beside && !t.inPlace && !linked(t.old) && copyMetadata(tmp, t.path, t.old) == nil && os.Rename(tmp.Name(), t.path) == nil {
		syncDir(t.dir())
		return nil
	}
	return t.overwrite(tmp)
}

// temporary creates a file with a unique name.
func temporary(dir string, mode fs.FileMode) (*os.File, error) {
	for try := 0; ; try++ {
		f, err := os.OpenFile(dir+tempName(), os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if err == nil || !errors.Is(err, fs.ErrExist) || try == 100 {
			return f, err
		}
	}
}

func discard(f *os.File) error { return errors.Join(f.Close(), os.Remove(f.Name())) }

// overwrite copies complete content into the old file, with reserved space.
func (t *target) overwrite(tmp *os.File) error {
	old, err := os.OpenFile(t.path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	size, err := tmp.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = tmp.Seek(0, io.SeekStart)
	}
	if err == nil {
		err = reserve(old, size)
	}
	if err != nil {
		return errors.Join(err, old.Close())
	}
	if _, err := io.Copy(old, tmp); err != nil {
		return fmt.Errorf("%w: the old content is damaged", withoutPath(errors.Join(err, old.Close())))
	}
	return errors.Join(old.Truncate(size), old.Sync(), old.Close())
}

// tempName returns a name that identifies the program, for leftover files.
func tempName() string { return ".quire-" + strings.ToLower(random()) + ".tmp" }

func random() string { return rand.Text() }
