package file

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// Write puts what write writes into the file that a name leads to. A file that does not
// exist gets the mode, less the umask. When it fails an old file has its old content, and
// nothing is left of the new one.
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

// Check reports what would keep a name from being written, as far as that can be told
// without writing.
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

// Regular reports whether a name leads to a regular file, or to one that would be made:
// its content can be replaced again and again.
func Regular(name string) bool {
	t, err := find(name)
	return err == nil && t.kind == regular
}

// Error says why a file was not written.
type Error struct {
	Name string // as the caller named it
	Err  error
}

// Error returns the name and the reason.
func (e *Error) Error() string { return fmt.Sprintf("write %s: %v", e.Name, e.Err) }

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// withoutPath takes the names of files out of the errors of the operating system: they
// are names that the caller has not given.
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

// stream writes to what is no regular file, or to an open descriptor.
func (t *target) stream(write func(io.Writer) error) error {
	f, err := t.open()
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// create makes a new file.
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

// rename gives a whole file the name of the target.
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

// replace gives an old file a new content, by a new file in its place. That cannot be where
// the file has other names, the folder cannot be written, or the owner cannot be kept: there
// the old one is written itself, once the content is whole.
func (t *target) replace(write func(io.Writer) error) error {
	if f, err := os.OpenFile(t.path, os.O_WRONLY, 0); err != nil { // who may not write a file may not replace it
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
	defer func() { _ = discard(tmp) }() // nothing is left of it when it took the place of the old one
	if err := errors.Join(write(tmp), tmp.Sync()); err != nil {
		return err
	}
	if beside && !t.inPlace && !linked(t.old) && likeness(tmp, t.path, t.old) == nil && os.Rename(tmp.Name(), t.path) == nil {
		syncDir(t.dir())
		return nil
	}
	return t.overwrite(tmp)
}

// temporary makes a file of a name that no other has.
func temporary(dir string, mode fs.FileMode) (*os.File, error) {
	for try := 0; ; try++ {
		f, err := os.OpenFile(dir+tempName(), os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if err == nil || !errors.Is(err, fs.ErrExist) || try == 100 {
			return f, err
		}
	}
}

func discard(f *os.File) error { return errors.Join(f.Close(), os.Remove(f.Name())) }

// overwrite copies a whole content into the old file, for which there is room.
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

// tempName returns a name that says by what the file was left, should it be.
func tempName() string { return ".quire-" + strings.ToLower(random()) + ".tmp" }
