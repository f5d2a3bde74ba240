// Package proc has what adapters that run programs know alike of processes: how
// one is started in a session of its own, awaited, ended with all that it has
// started and reaped, and limited by the kernel. What a program says and how it is
// asked to end is the adapters'.
package proc

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// Limits bound what a process may take. Zero is no limit. The kernel keeps them, so
// they hold whatever the program does; each process that it starts has the same,
// counted for itself. They need Linux.
type Limits struct {
	// Memory bounds the bytes that a program can write to: its heap and the stacks
	// of its threads. What only takes up addresses does not count, such as
	// libraries and files that are mapped.
	Memory int64

	// CPU bounds the processor time, in whole seconds. Beyond it the process gets
	// SIGXCPU each second, and CPUGrace later it is killed.
	CPU time.Duration

	// Files bounds the descriptors that are open at once.
	Files int

	// Processes bounds the processes and threads of the user, not only those of
	// this process, and does not hold for root.
	Processes int

	// FileSize bounds the bytes of every file that is written.
	FileSize int64
}

// CPUGrace is what is left of the processor time after a program was told that it
// has used it up: to save one's work, or to say what is wrong.
const CPUGrace = 3 * time.Second

// Hold sets the limits of a program that was started. One that is gone already is not
// in their way: it says itself why.
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

// Check says what no process could be limited to. Of is whose limits they are.
func (l Limits) Check(of string) error {
	if l.Memory < 0 || l.CPU < 0 || l.Files < 0 || l.Processes < 0 || l.FileSize < 0 {
		return fmt.Errorf("a limit of %s is negative", of)
	}
	return nil
}

// Spent reports whether so much processor time is all there is.
func (l Limits) Spent(used time.Duration) bool {
	return l.CPU > 0 && used >= time.Duration(l.seconds())*time.Second
}

// seconds rounds the limit of processor time up, as the kernel counts.
func (l Limits) seconds() int64 { return int64((l.CPU + time.Second - 1) / time.Second) }
