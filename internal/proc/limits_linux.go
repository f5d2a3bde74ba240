package proc

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// Set limits a running process. A limit above the existing one would not bind, and may not be set.
// A process that has ended is no error: its own end tells why.
func (l Limits) Set(pid int) error {
	seconds := l.seconds()
	for _, limit := range []struct {
		name       string
		resource   int
		soft, hard int64
	}{
		// Not RLIMIT_AS: libraries for arrays and graphics processors, and every thread, reserve
		// far more addresses than they use.
		{"memory", unix.RLIMIT_DATA, l.Memory, l.Memory},
		{"processor time", unix.RLIMIT_CPU, seconds, seconds + int64(CPUGrace.Seconds())},
		{"open files", unix.RLIMIT_NOFILE, int64(l.Files), int64(l.Files)},
		{"processes", unix.RLIMIT_NPROC, int64(l.Processes), int64(l.Processes)},
		{"file size", unix.RLIMIT_FSIZE, l.FileSize, l.FileSize},
	} {
		if limit.soft == 0 {
			continue
		}
		err := set(pid, limit.resource, uint64(limit.soft), uint64(limit.hard))
		if errors.Is(err, unix.ESRCH) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("limit the %s: %w", limit.name, err)
		}
	}
	return nil
}

func set(pid, resource int, soft, hard uint64) error {
	var old unix.Rlimit
	if err := unix.Prlimit(pid, resource, nil, &old); err != nil {
		return err
	}
	return unix.Prlimit(pid, resource, &unix.Rlimit{Cur: min(soft, old.Max), Max: min(hard, old.Max)}, nil)
}
