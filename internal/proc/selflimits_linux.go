package proc

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// BoundOwn bounds the memory and the open files of this process; other limits do not apply. Memory
// counts as for programs, in addition to the present use: a Go process maps more than it uses, and
// one with the race detector far more. Beyond the limit the process ends with an error of Go's
// runtime.
func BoundOwn(l Limits) (*Own, error) {
	o := &Own{}
	if l.Memory > 0 {
		has, err := ownData()
		if err != nil {
			return nil, fmt.Errorf("bound our own memory: %w", err)
		}
		l.Memory += has
	}
	for _, limit := range []struct {
		name     string
		resource int
		most     int64
	}{
		{"memory", unix.RLIMIT_DATA, l.Memory},
		{"open files", unix.RLIMIT_NOFILE, int64(l.Files)},
	} {
		if limit.most == 0 {
			continue
		}
		b := ownBound{resource: limit.resource}
		err := unix.Getrlimit(limit.resource, &b.before)
		if err == nil && uint64(limit.most) < b.before.Cur {
			b.most = uint64(limit.most)
			err = b.set(b.most)
			o.bounds = append(o.bounds, b)
		}
		if err != nil {
			return nil, fmt.Errorf("bound our own %s: %w", limit.name, err)
		}
	}
	return o, nil
}

// ownData returns the memory of this process that counts.
func ownData() (int64, error) {
	const dataField = 5 // in pages, see proc(5)
	stat, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(stat))
	if len(fields) <= dataField {
		return 0, fmt.Errorf("/proc/self/statm is %q", stat)
	}
	pages, err := strconv.ParseInt(fields[dataField], 10, 64)
	return pages * int64(os.Getpagesize()), err
}

// ownBound is the soft limit of a resource. The hard limit stays: once lowered, it could not be
// raised again for programs.
type ownBound struct {
	resource int
	before   unix.Rlimit
	most     uint64
}

func (b ownBound) lift() error { return b.set(b.before.Cur) }

// hold sets the bound again. Lowering a limit is always permitted.
func (b ownBound) hold() { _ = b.set(b.most) }

// raise adds to a bound of memory, up to the original limit.
func (b *ownBound) raise(memory int64) error {
	if b.resource != unix.RLIMIT_DATA {
		return nil
	}
	b.most = min(b.most+uint64(memory), b.before.Cur)
	return b.set(b.most)
}

// set calls the kernel directly: package syscall would pass a limit of open files that is set
// through it on to programs, instead of the original one that it has saved for them.
func (b ownBound) set(most uint64) error {
	limit := unix.Rlimit{Cur: most, Max: b.before.Max}
	_, _, errno := unix.RawSyscall6(unix.SYS_PRLIMIT64, 0, uintptr(b.resource), uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
