// Package proc has the common process handling of adapters that run programs: starting a process in
// a session of its own, waiting for it, killing it with its descendants, reaping it, and limiting
// it by the kernel. Protocols, and how a program is asked to end, are left to the adapters.
package proc

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// Limits bound the resources of a process. Zero is no limit. The kernel enforces them, so a program
// cannot evade them; its child processes have the same limits, counted separately. They need Linux.
type Limits struct {
	// Memory bounds the bytes that a program can write to: its heap and the stacks of its threads.
	// Address space alone does not count, such as libraries and mapped files.
	Memory int64

	// CPU bounds the processor time, in whole seconds. Beyond it the process gets SIGXCPU each
	// second, and is killed after CPUGrace.
	CPU time.Duration

	// Files bounds the open descriptors.
	Files int

	// Processes bounds the processes and threads of the user, not only those of this process. It
	// does not hold for root.
	Processes int

	// FileSize bounds the size of every written file, in bytes.
	FileSize int64
}

// CPUGrace is the processor time between the first SIGXCPU and the kill, in which a program can
// save its work or report the problem.
const CPUGrace = 3 * time.Second

// Hold sets the limits of a started program. A program that has ended already is no error: its own
// end tells why.
func (l Limits) Hold(c Child) error {
	if l == (Limits{}) {
		return nil
	}
	pid, err := c.PID()
	if err == nil {
		err = l.Set(pid)
	}
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

// Check returns which limit is invalid. Of names the limited process.
func (l Limits) Check(of string) error {
	if l.Memory < 0 || l.CPU < 0 || l.Files < 0 || l.Processes < 0 || l.FileSize < 0 {
		return fmt.Errorf("a limit of %s is negative", of)
	}
	return nil
}

// Spent reports whether an amount of processor time exhausts the limit.
func (l Limits) Spent(used time.Duration) bool {
	return l.CPU > 0 && used >= time.Duration(l.seconds())*time.Second
}

// seconds rounds the limit of processor time up to the kernel's unit.
func (l Limits) seconds() int64 { return int64((l.CPU + time.Second - 1) / time.Second) }
