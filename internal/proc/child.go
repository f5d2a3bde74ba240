package proc

import (
	"os/exec"
	"syscall"
	"time"
)

// Starter starts a program from the fields of cmd: path and arguments, folder, environment, output
// and further descriptors. The program has access to the shared folders, by their names here.
// Adapters use it because their programs may run in a sandbox instead of as child processes.
type Starter func(cmd *exec.Cmd, shared ...string) (Child, error)

// Child is a started program.
type Child interface {
	// PID returns the PID of the program on this machine. It may wait until there is one, and fails
	// with os.ErrProcessDone when there never will be.
	PID() (int, error)

	// Signal sends the program a signal, and not the processes that it has started. It fails with
	// os.ErrProcessDone once the program has ended.
	Signal(s syscall.Signal) error

	// SignalGroup sends a signal to the program's process group, with the errors of Signal.
	SignalGroup(s syscall.Signal) error

	// Kill kills the program and all processes it has started, and returns at once. It may be
	// called twice.
	Kill()

	// Wait returns when the program and the processes it started have ended.
	Wait() End
}

// End is how a program ended.
type End struct {
	Code   int
	Signal syscall.Signal // 0 if it ended by itself
	CPU    time.Duration  // used by it
}
