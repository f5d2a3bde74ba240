package launch

import (
	"context"
	"io"
	"time"
)

// Environment is where runtimes live, with their files. It may be used by any goroutine. Names of files and folders have
// slashes and are relative to its workspace.
type Environment interface {
	Programs
	Files
}

// Programs are the programs of an environment that outlive the server, each by a name that never means another.
type Programs interface {
	// Detach starts a program, and returns its name once it runs, or why it cannot.
	Detach(ctx context.Context, p Program) (name string, err error)
	// IsRunning reports whether a program has not ended.
	IsRunning(name string) bool
	// AwaitEnd returns when a program has ended: how, for users, or nothing if that is not known. It returns the cause of
	// ctx when that ends first.
	AwaitEnd(ctx context.Context, name string) (how string, err error)
	// KillDetached kills a program with all that it has started. One that has ended is no error.
	KillDetached(name string) error
	// Sweep ends what a runtime has left that was killed, as the PID files in a folder name it, and removes the folder.
	Sweep(folder, mark string) (killed int, err error)
}

// Files are the files of an environment.
type Files interface {
	// Workspace is the path, as programs see it, of the folder that names are relative to.
	Workspace() string
	// Open returns the bytes of a file.
	Open(ctx context.Context, name string) (io.ReadCloser, error)
	// List returns the entries of a folder, none of a missing one.
	List(ctx context.Context, folder string) ([]Entry, error)
	// Remove removes a file, or a folder with its contents. A missing one is no error.
	Remove(ctx context.Context, name string) error
	// Fetch returns a folder of this machine with the files of a folder, until release is called. A missing one may be
	// given as one that is missing here.
	Fetch(ctx context.Context, folder string) (dir string, release func(), err error)
}

// Program is a program to start.
type Program struct {
	Args, Environ []string
	Dir           string // the folder in which it begins, created if missing
	Input         string // which no other program can read
	Log           string // the file for its output; an earlier one is kept with ".1" behind its name
}

// Entry is a file or folder in a folder.
type Entry struct {
	Name    string // without that of the folder
	Changed time.Time
}
