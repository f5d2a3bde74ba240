package env

import (
	"bytes"
	"fmt"
	"os"
	"strconv"

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
	all := membersOf(programs)
	// This overestimates shared memory, but is cheap.
	if sumOf(all, rough).with(scratch) <= limit {
		return false
	}
	return sumOf(all, exact).with(scratch) > limit
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

// membersOf returns the descendants of programs, and the processes of their sessions.
func membersOf(programs []*Child) []int {
	children, sessions := map[int][]int{}, map[int][]int{}
	for pid, stat := range proc.All() {
		parent, _ := strconv.Atoi(string(stat[1]))
		session, _ := strconv.Atoi(string(stat[3]))
		children[parent] = append(children[parent], pid)
		sessions[session] = append(sessions[session], pid)
	}
	seen := map[int]bool{}
	var next []int
	for _, c := range programs {
		next = append(append(next, c.cmd.Process.Pid), sessions[c.cmd.Process.Pid]...)
	}
	var all []int
	for ; len(next) > 0; next = next[1:] {
		if pid := next[0]; !seen[pid] {
			seen[pid] = true
			all = append(all, pid)
			next = append(next, children[pid]...)
		}
	}
	return all
}

// memory is the memory of a process, in bytes.
type memory struct{ own, shared int64 }

// with adds files in memory, which are also part of the shared memory while they are mapped.
func (m memory) with(scratch int64) int64 { return m.own + max(m.shared, scratch) }

func sumOf(pids []int, of func(pid int) memory) memory {
	var sum memory
	for _, pid := range pids {
		m := of(pid)
		sum.own += m.own
		sum.shared += m.shared
	}
	return sum
}

// rough returns the memory of a process, with all shared memory.
func rough(pid int) memory {
	of := fieldsOf(fmt.Sprintf("/proc/%d/status", pid))
	return memory{of["RssAnon"] + of["VmSwap"], of["RssShmem"]}
}

// exact returns the memory of a process with its proportion of shared memory, where the system
// reports that.
func exact(pid int) memory {
	of := fieldsOf(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if _, ok := of["Pss_Anon"]; !ok {
		return rough(pid)
	}
	return memory{of["Pss_Anon"] + of["SwapPss"], of["Pss_Shmem"]}
}

// fieldsOf returns the sizes in a file of /proc, in bytes.
func fieldsOf(path string) map[string]int64 {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil // it has ended
	}
	fields := map[string]int64{}
	for line := range bytes.Lines(data) {
		name, rest, _ := bytes.Cut(line, []byte{':'})
		number, isSize := bytes.CutSuffix(bytes.TrimSpace(rest), []byte(" kB"))
		if n, err := strconv.ParseInt(string(bytes.TrimSpace(number)), 10, 64); isSize && err == nil {
			fields[string(name)] = n << 10
		}
	}
	return fields
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
