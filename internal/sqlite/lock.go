package sqlite

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// lock is the exclusive use of a data directory. It ends with the process in every case.
type lock struct{ file *os.File }

// errHeld says that another process has the lock.
var errHeld = errors.New("held by another process")

// acquire locks a directory, and writes our PID into the lock file, for the error message of
// another process.
func acquire(dir string) (*lock, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := tryLock(f); err != nil {
		if errors.Is(err, errHeld) {
			err = &Error{Kind: Locked, PID: readPID(f), Err: err}
		}
		return nil, errors.Join(fmt.Errorf("lock data directory: %w", err), f.Close())
	}
	if err := writePID(f); err != nil {
		return nil, errors.Join(fmt.Errorf("write %s: %w", lockName, err), f.Close())
	}
	return &lock{file: f}, nil
}

// release unlocks the directory. The file stays: with a removal two processes could lock two files
// of one name.
func (l *lock) release() error { return l.file.Close() }

func writePID(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

// readPID returns the number that the holder wrote, 0 if it cannot be read.
func readPID(f *os.File) int {
	b, err := io.ReadAll(io.NewSectionReader(f, 0, 32))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil || pid < 0 {
		return 0
	}
	return pid
}
