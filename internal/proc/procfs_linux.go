package proc

import (
	"bytes"
	"iter"
	"os"
	"strconv"
)

// Find returns the PIDs of the processes that pick accepts by their [Stat], without one.
func Find(pick func(stat [][]byte) bool, not int) []int {
	var found []int
	for pid, stat := range All() {
		if pid != not && pick(stat) {
			found = append(found, pid)
		}
	}
	return found
}

// All returns all processes, each with its [Stat].
func All() iter.Seq2[int, [][]byte] {
	return func(yield func(int, [][]byte) bool) {
		entries, err := os.ReadDir("/proc")
		if err != nil {
			return
		}
		for _, entry := range entries {
			pid, err := strconv.Atoi(entry.Name())
			if err != nil {
				continue
			}
			if stat := Stat(pid); stat != nil && !yield(pid, stat) {
				return
			}
		}
	}
}

// Stat returns the fields of /proc/PID/stat after the name, which is in parentheses and may hold
// any character: the state, the parent, the group, the session and so on, as in proc(5). It is nil
// once the process has ended, and otherwise has at least 20 fields.
func Stat(pid int) [][]byte {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 {
		return nil
	}
	return fields
}
