package python

import (
	"errors"
	"fmt"
	"time"
)

// Limits bound what the process may take. Zero is no limit. The kernel keeps them,
// so they hold whatever the program does; each process that it starts has the same,
// counted for itself. They need Linux.
type Limits struct {
	// Memory bounds the bytes that a program can write to: its heap and the stacks
	// of its threads. What only takes up addresses does not count, such as
	// libraries and files that are mapped. Beyond it Python raises MemoryError.
	Memory int64

	// CPU bounds the processor time of all runs together, in whole seconds. Beyond
	// it the run fails with CPULimitExceeded, and so does every later one that
	// computes for a second; cpuGrace later the process is killed.
	CPU time.Duration

	// Files bounds the descriptors that are open at once; Python needs about 20.
	Files int

	// Processes bounds the processes and threads of the user, not only those of
	// this engine, and does not hold for root.
	Processes int

	// FileSize bounds the bytes of every file that is written.
	FileSize int64
}

// cpuGrace is what is left of the processor time, to save one's work, after the
// program was told that it has used it up.
const cpuGrace = 3 * time.Second

// fewestFiles is what the driver and an interpreter need at least.
const fewestFiles = 20

// check says what no program could run with.
func (l Limits) check() error {
	if l.Memory < 0 || l.CPU < 0 || l.Files < 0 || l.Processes < 0 || l.FileSize < 0 {
		return errors.New("a limit of python is negative")
	}
	if l.Files > 0 && l.Files < fewestFiles {
		return fmt.Errorf("python cannot run with %d open files; it needs %d", l.Files, fewestFiles)
	}
	return nil
}

// seconds rounds the limit of processor time up, as the kernel counts.
func (l Limits) seconds() int64 {
	return int64((l.CPU + time.Second - 1) / time.Second)
}
