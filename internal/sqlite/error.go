package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/quirehq/quire/core/room"
	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// Kind is the kind of fault of a data directory.
type Kind string

// The kinds.
const (
	Locked   Kind = "locked"    // another process uses it
	Full     Kind = "full"      // no space is left
	ReadOnly Kind = "read-only" // it is not writable
	Corrupt  Kind = "corrupt"   // the file is damaged, or is no database
	Newer    Kind = "newer"     // a newer version of the program wrote it
	Removed  Kind = "removed"   // its files were removed or replaced while open
)

// Error says that a data directory cannot be used, in words for the user who runs the program. An
// error of kind [Full] is also room.ErrUnavailable and room.ErrFull: appends work again once there
// is space. One of kind [Removed] is room.ErrUnavailable and room.ErrRemoved.
type Error struct {
	Kind Kind
	Dir  string
	PID  int // of the process that has the lock, 0 if not known
	Err  error
}

// Error returns the fault and the remedy.
func (e *Error) Error() string {
	switch e.Kind {
	case Locked:
		if e.PID == 0 {
			return fmt.Sprintf("data directory %s is in use by another process; stop it or choose another directory with --data", e.Dir)
		}
		return fmt.Sprintf("data directory %s is in use by process %d; stop it or choose another directory with --data", e.Dir, e.PID)
	case Full:
		return fmt.Sprintf("the disk of data directory %s, or what --data-size lets the database have of it, is full; nothing that was acknowledged is lost, free some space to go on", e.Dir)
	case ReadOnly:
		return fmt.Sprintf("data directory %s cannot be written; allow this user to write it or choose another directory with --data", e.Dir)
	case Corrupt:
		return fmt.Sprintf("%s in data directory %s is damaged or is no database; "+
			"stop the program, keep a copy of the directory, and restore a backup or run `sqlite3 %[1]s .recover`", fileName, e.Dir)
	case Newer:
		return fmt.Sprintf("data directory %s was written by a newer version of this program; install that version or choose another directory with --data", e.Dir)
	}
	if e.Kind == Removed {
		return fmt.Sprintf("a file of data directory %s was removed or replaced while the server runs: %v; nothing more is acknowledged. "+
			"Stop the server, put the files back or restore a copy of the directory, and start it again", e.Dir, e.Err)
	}
	return fmt.Sprintf("data directory %s: %v", e.Dir, e.Err)
}

// Unwrap returns the causes of the error.
func (e *Error) Unwrap() []error {
	switch e.Kind {
	case Full:
		return []error{e.Err, room.ErrUnavailable, room.ErrFull}
	case Removed:
		return []error{e.Err, room.ErrUnavailable, room.ErrRemoved}
	}
	return []error{e.Err}
}

// explain turns an error of the disk or of SQLite into an [*Error] if it is of a known kind, and
// returns others unchanged.
func explain(dir string, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		e.Dir = dir
		return e
	}
	if k := kindOf(err); k != "" {
		return &Error{Kind: k, Dir: dir, Err: err}
	}
	return err
}

func kindOf(err error) Kind {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return kindOfCode(e.Code())
	}
	switch {
	case errors.Is(err, errDamaged):
		return Corrupt
	case errors.Is(err, syscall.ENOSPC):
		return Full
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.ENOTDIR):
		return ReadOnly
	}
	return ""
}

func kindOfCode(code int) Kind {
	switch code & 0xff { // the upper bits are details
	case lib.SQLITE_FULL:
		return Full
	case lib.SQLITE_READONLY, lib.SQLITE_PERM, lib.SQLITE_CANTOPEN:
		return ReadOnly
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB:
		return Corrupt
	case lib.SQLITE_BUSY:
		return Locked
	}
	return ""
}

// isConstraint reports whether a statement broke a constraint of the given kind.
func isConstraint(err error, code int) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && e.Code() == code
}
