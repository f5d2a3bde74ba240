package env

import (
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/quirehq/quire/internal/proc"
)

// Exceeds reports whether the environment's programs and their descendants use more memory than a
// limit: memory without that of files, shared memory counted once, and the files in a sandbox's
// /tmp and /dev/shm. Without a sandbox, processes that left the session of their program are not
// counted, and neither is memory that the system does not report.
func (m *machine) Exceeds(limit int64) bool {
	programs := m.programs()
	if len(programs) == 0 {
		return false
	}
	var scratch int64
	for _, c := range programs {
		scratch += c.pidNamespace.scratch()
	}
	var leaders []int
	for _, c := range programs {
		leaders = append(leaders, c.cmd.Process.Pid)
	}
	all := proc.Members(leaders...)
	// This overestimates shared memory, but is cheap.
	if with(sumOf(all, proc.RoughMemory), scratch) <= limit {
		return false
	}
	return with(sumOf(all, proc.ExactMemory), scratch) > limit
}

// programs returns the running programs.
func (m *machine) programs() []*Child {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []*Child
	for c := range m.running {
		if c.isStarted() {
			all = append(all, c)
		}
	}
	return all
}

// with adds files in memory, which are also part of the shared memory while they are mapped.
func with(m proc.Memory, scratch int64) int64 { return m.Own + max(m.Shared, scratch) }

func sumOf(pids []int, of func(pid int) proc.Memory) proc.Memory {
	var sum proc.Memory
	for _, pid := range pids {
		m := of(pid)
		sum.Own += m.Own
		sum.Shared += m.Shared
	}
	return sum
}

// scratch returns the bytes in the sandbox's files in memory.
func (b *pidNamespace) scratch() int64 {
	if b == nil {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.firstFD < 0 {
		return 0
	}
	var sum int64
	for _, dir := range []string{"tmp", "dev/shm"} {
		var s unix.Statfs_t
		if unix.Statfs(fmt.Sprintf("/proc/%d/root/%s", b.first, dir), &s) == nil && s.Type == unix.TMPFS_MAGIC {
			sum += int64(s.Blocks-s.Bfree) * s.Bsize
		}
	}
	return sum
}
