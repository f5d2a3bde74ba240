package proc

import (
	"os/exec"
	"syscall"
	"time"
)

// Starter starts a program with what cmd has: its path and arguments, folder,
// environment, output and further descriptors. The folders that are shared are the
// program's as much as ours, by the names that they have here. It is for adapters
// whose programs may not be mere processes of ours, but be shut in.
type Starter func(cmd *exec.Cmd, shared ...string) (Child, error)

// Child is a program that was started.
type Child interface {
	// PID returns the number that this machine has for the program's process. It
	// may wait until there is one, and fails with os.ErrProcessDone when it never
	// will be.
	PID() (int, error)

	// Signal sends the program a signal, and nothing to what it has started. It
	// fails with os.ErrProcessDone once that is gone.
	Signal(s syscall.Signal) error

	// SignalGroup sends a signal to the program and those of its group, as Signal
	// does.
	SignalGroup(s syscall.Signal) error

	// Kill ends it with all that it has started, and returns at once. It may be
	// called twice.
	Kill()

	// Wait returns when it is gone, with what it started.
	Wait() End
}

// End says how a program ended.
type End struct {
	Code   int
	Signal syscall.Signal // 0 if it ended by itself
	CPU    time.Duration  // that it has used
}
