// Package env is where runtimes and agent sessions live: the least that any such
// place must offer, as [Primitive], and the two places that this machine is.
//
// [Local] is the machine as it is: programs may do what we may. [Sandbox] is the
// machine as strangers' code may see it, by bubblewrap: the system to read, one
// folder to write, nothing else of the home, no network unless it is granted.
// A [Group] bounds the memory and the processes of all that is started in it.
//
// What every place must do is in the suite of the package envtest. What runs in a
// place, and what is to be done with what it says, is left to the caller.
package env

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"syscall"
	"time"
)

// Primitive is a place in which programs are run and files are kept. Its methods may
// be called from any goroutine. Once it is terminated Exec and Poll fail with
// [ErrTerminated], and the methods for files with one that wraps fs.ErrClosed.
type Primitive interface {
	Files

	// ID names the place. No two have one name, and it does not change.
	ID() string

	// Workspace is the path, as programs in the place have it, of the folder that
	// the names of files count from.
	Workspace() string

	// Exec starts a program and returns once it runs, or why it cannot. When ctx
	// ends the program is killed as by [Process.Kill].
	Exec(ctx context.Context, c Command) (Process, error)

	// Watch tells what changes in the workspace until ctx ends, and then returns
	// nil. It calls ready once: what changes after that is told. It calls changed
	// in the same goroutine, which must not take long. Changes that come close
	// together may be told as one; one that was told may have been undone already.
	Watch(ctx context.Context, ready func(), changed func(Change)) error

	// Poll returns nil while the place can be used, and otherwise why it cannot.
	Poll(ctx context.Context) error

	// Terminate kills all that runs in the place and returns when it is gone. The
	// files stay. It may be called twice.
	Terminate(ctx context.Context) error
}

// Files are the files of a workspace, as bytes. A name has slashes, and counts from
// the workspace; one that leads out of it, by "..", from the root or through a
// symbolic link, is refused however it is written, and so is what is no file or
// folder, such as a pipe. Errors wrap those of package fs.
type Files interface {
	// Open returns the bytes of a file. The caller closes it.
	Open(ctx context.Context, name string) (io.ReadCloser, error)

	// Write makes or replaces a file, and the folders that it lies in. Whoever
	// reads it meanwhile gets the old bytes or the new, whole.
	Write(ctx context.Context, name string, mode fs.FileMode, data io.Reader) (Info, error)

	// Stat says what a file or folder is. It reads a file to the end for its hash.
	Stat(ctx context.Context, name string) (Info, error)

	// List says what is in a folder, and in those below it, sorted by name. There
	// are no hashes, and symbolic links are left out.
	List(ctx context.Context, name string) ([]Info, error)

	// Remove removes a file, or a folder with all that is in it. That there is
	// none is no error.
	Remove(ctx context.Context, name string) error
}

// Info is what is known of a file or folder.
type Info struct {
	Name    string      // from the workspace, with slashes; "." for itself
	Size    int64       // bytes; 0 for a folder
	Mode    fs.FileMode // kind and permissions
	Changed time.Time
	Hash    string // SHA-256 in hexadecimal; empty where it was not asked for
}

// Change is something that is, or was, different.
type Change struct {
	// Name is the file or folder, as in [Info]. It is empty when more may have
	// changed than could be told: one who must know lists all.
	Name string
	// Gone says that it is not there any more.
	Gone bool
}

// Command is a program to start.
type Command struct {
	Argv []string // the program, by path or by name, and its arguments
	Dir  string   // where it starts: a path in the place; the workspace if empty

	// Env is the whole environment, "key=value" each; nil means what the place has
	// for programs.
	Env []string

	// Stdout and Stderr get what the program writes, byte by byte as it was. What
	// is nil is discarded. A Write that waits makes the program wait.
	Stdout, Stderr io.Writer
}

// Process is a program that was started.
type Process interface {
	// Stdin is what the program reads. Closing it is the end of its input, and no
	// error however often. A write that the program cannot read any more, because it
	// has ended or closed its input, fails with an error that wraps syscall.EPIPE.
	Stdin() io.WriteCloser

	// Signal sends the program a signal, and nothing to what it has started.
	Signal(s syscall.Signal) error

	// Kill ends the program and all that it has started, and returns at once.
	Kill()

	// Wait returns when the program and what it has started are gone, and all
	// that they wrote has been passed on. It may be called by several.
	Wait() Exit
}

// Exit says how a program ended.
type Exit struct {
	Code   int            // 0 if it ended by a signal
	Signal syscall.Signal // 0 if it ended by itself
	CPU    time.Duration  // that it and what it waited for has used
	Err    error          // what it wrote could not all be passed on
}

// OK reports whether the program ended well.
func (e Exit) OK() bool { return e.Code == 0 && e.Signal == 0 && e.Err == nil }

// ErrTerminated says that a place was terminated.
var ErrTerminated = errors.New("the environment was terminated")

// errNoProgram says that a command has no program.
var errNoProgram = errors.New("the command names no program")
