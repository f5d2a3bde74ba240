package proc

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// FamilyMemory returns the memory of a process, of those it has started and of those of its session, in bytes: without that
// of files, and with the proportion of shared memory where the system reports that.
func FamilyMemory(pid int) int64 {
	var sum int64
	for _, member := range Members(pid) {
		m := ExactMemory(member)
		sum += m.Own + m.Shared
	}
	return sum
}

// Members returns processes, their descendants, and the processes of their sessions.
func Members(leaders ...int) []int {
	children, sessions := map[int][]int{}, map[int][]int{}
	for pid, stat := range All() {
		parent, _ := strconv.Atoi(string(stat[1]))
		session, _ := strconv.Atoi(string(stat[3]))
		children[parent] = append(children[parent], pid)
		sessions[session] = append(sessions[session], pid)
	}
	seen := map[int]bool{}
	var next []int
	for _, pid := range leaders {
		next = append(append(next, pid), sessions[pid]...)
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

// Memory is the memory of a process, in bytes.
type Memory struct{ Own, Shared int64 }

// RoughMemory returns the memory of a process, with all shared memory.
func RoughMemory(pid int) Memory {
	of := fieldsOf(fmt.Sprintf("/proc/%d/status", pid))
	return Memory{of["RssAnon"] + of["VmSwap"], of["RssShmem"]}
}

// ExactMemory returns the memory of a process with its proportion of shared memory, where the system
// reports that.
func ExactMemory(pid int) Memory {
	of := fieldsOf(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if _, ok := of["Pss_Anon"]; !ok {
		return RoughMemory(pid)
	}
	return Memory{of["Pss_Anon"] + of["SwapPss"], of["Pss_Shmem"]}
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
