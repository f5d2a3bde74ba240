package jupyter

import (
	"errors"
	"time"
)

// Limits bound what a kernel may take. Zero is no limit. The operating system keeps
// them; each process that the kernel starts has the same, counted for itself. They
// need Linux.
type Limits struct {
	Memory    int64         // bytes that can be written to: the heap and the stacks
	CPU       time.Duration // processor time of all runs together, in whole seconds
	Files     int           // descriptors that are open at once
	Processes int           // of the user, not only of this kernel; not for root
	FileSize  int64         // bytes of a file that is written
}

func (l Limits) check() error {
	if l.Memory < 0 || l.CPU < 0 || l.Files < 0 || l.Processes < 0 || l.FileSize < 0 {
		return errors.New("a limit of a kernel is negative")
	}
	return nil
}

// seconds rounds the limit of processor time up, as the operating system counts.
func (l Limits) seconds() int64 { return int64((l.CPU + time.Second - 1) / time.Second) }
