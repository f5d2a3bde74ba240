// Package env has the environments that programs of notebooks run in: [Primitive] is the
// minimal interface of one, and [Local] and [Sandbox] are the two on this machine.
//
// [Local] is the machine as it is: programs have our permissions. [Sandbox] is for
// untrusted code, by bubblewrap: it can read the system and write one folder, and has
// nothing else of the home and no network unless that is granted. A [Group] bounds the
// memory and the processes of all programs started in it.
//
// The suite in the package envtest holds every environment to the contract. Which
// programs run, and the use of their output, is left to the caller.
package env

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"syscall"
	"time"
)

// Primitive is an environment that runs programs and has files. Its methods may be called from any
// goroutine. Once it is terminated Exec and Poll fail with [ErrTerminated], and the methods for
// files with an error that wraps fs.ErrClosed.
type Primitive interface {
	Files
	Detacher

	// ID identifies the environment. It is unique and does not change.
	ID() string

	// Workspace is the path, as programs in the environment see it, of the folder that file names
	// are relative to.
	Workspace() string

	// Exec starts a program and returns once it runs, or why it cannot. When ctx ends the program
	// is killed as by [Process.Kill].
	Exec(ctx context.Context, c Command) (Process, error)

	// Watch reports changes in the workspace until ctx ends, and then returns nil. It calls ready
	// once: changes after that are reported. It calls changed in the same goroutine, which must
	// return soon. Changes in quick succession may be reported as one, and a reported change may
	// have been undone already.
	Watch(ctx context.Context, ready func(), changed func(Change)) error

	// Poll returns nil while the environment can be used, and otherwise why it cannot.
	Poll(ctx context.Context) error

	// Terminate kills all programs in the environment, the detached ones included that this process has started, and
	// returns when they have ended. The files stay. It may be called twice.
	Terminate(ctx context.Context) error
}

// Files are the files of a workspace, as bytes. A name has slashes and is relative to the
// workspace. Names that lead out of it, by "..", from the root or through a symbolic link, are
// refused in any spelling, and so are names of anything but files and folders, such as pipes.
// Errors wrap those of package fs.
type Files interface {
	// Open returns the bytes of a file. The caller closes it.
	Open(ctx context.Context, name string) (io.ReadCloser, error)

	// Write creates or replaces a file, with the folders above it. A concurrent reader gets the
	// whole old bytes or the whole new ones.
	Write(ctx context.Context, name string, mode fs.FileMode, data io.Reader) (Info, error)

	// Stat describes a file or folder. It reads a file to the end for its hash.
	Stat(ctx context.Context, name string) (Info, error)

	// List lists a folder and those below it, sorted by name, without hashes and symbolic links.
	List(ctx context.Context, name string) ([]Info, error)

	// Remove removes a file, or a folder with its contents. A missing one is no error.
	Remove(ctx context.Context, name string) error
}

// Info describes a file or folder.
type Info struct {
	Name    string      // relative to the workspace, with slashes; "." for itself
	Size    int64       // bytes; 0 for a folder
	Mode    fs.FileMode // kind and permissions
	Changed time.Time
	Hash    string // SHA-256 in hexadecimal; empty for folders and in lists
}

// Change is a reported change of a file or folder.
type Change struct {
	// Name is the file or folder, as in [Info]. It is empty when more may have changed than could
	// be reported: the caller has to list all.
	Name string
	// Gone says that it does not exist any more.
	Gone bool
}

// Command is a program to start.
type Command struct {
	Argv []string // the program, by path or by name, and its arguments
	Dir  string   // working directory: a path in the environment; the workspace if empty

	// Env is the whole environment, "key=value" each; nil means the default for programs of this
	// environment.
	Env []string

	// Stdout and Stderr get the program's output, unchanged; nil discards it. A Write that blocks
	// makes the program wait.
	Stdout, Stderr io.Writer
}

// Process is a started program.
type Process interface {
	// Stdin is the program's input. Closing it ends the input, and may be repeated. A write that
	// the program cannot read any more, because it has ended or closed its input, fails with an
	// error that wraps syscall.EPIPE.
	Stdin() io.WriteCloser

	// Signal sends the program a signal, and not the processes that it has started.
	Signal(s syscall.Signal) error

	// Kill kills the program and all processes that it has started, and returns at once.
	Kill()

	// Wait returns when the program and the processes it started have ended, and all their output
	// has been passed on. Several goroutines may call it.
	Wait() Exit
}

// Exit is how a program ended.
type Exit struct {
	Code   int            // 0 if it ended by a signal
	Signal syscall.Signal // 0 if it ended by itself
	CPU    time.Duration  // of it and the children it waited for
	Err    error          // its output could not all be passed on
}

// OK reports whether the program succeeded.
func (e Exit) OK() bool { return e.Code == 0 && e.Signal == 0 && e.Err == nil }

// ErrTerminated says that an environment was terminated.
var ErrTerminated = errors.New("the environment was terminated")

// errNoProgram says that a command has no program.
var errNoProgram = errors.New("the command names no program")
