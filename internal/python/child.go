package python

import (
	"os/exec"
	"syscall"
	"time"
)

// Starter starts the interpreter with what cmd has: its path and arguments, folder,
// environment, output and further descriptors. It is for those that are not to be a
// mere process of ours, such as one in a sandbox.
type Starter func(cmd *exec.Cmd) (Child, error)

// Child is an interpreter that was started.
type Child interface {
	// PID returns the number that this machine has for the interpreter's process.
	// It may wait until there is one, and fails with os.ErrProcessDone when it
	// never will be.
	PID() (int, error)

	// Signal sends the interpreter a signal, and nothing to what it has started.
	// It fails with os.ErrProcessDone once that is gone.
	Signal(s syscall.Signal) error

	// Kill ends it with all that it has started, and returns at once. It may be
	// called twice.
	Kill()

	// Wait returns when it is gone, with what it started. It is called once.
	Wait() End
}

// End says how an interpreter ended.
type End struct {
	Code   int
	Signal syscall.Signal // 0 if it ended by itself
	CPU    time.Duration  // that it has used
}
