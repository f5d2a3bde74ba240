package proc

import (
	"os"
	"strconv"
	"strings"
)

// MayEnd reports whether a process, of which no more is known than its number, may be ended: it
// is there and of our user, and is neither the first process, nor this one, nor an ancestor of
// this one. What names a process, such as a file, may be wrong or forged.
func MayEnd(pid int) bool {
	if pid <= 1 || userOf(pid) != os.Getuid() {
		return false
	}
	for own := os.Getpid(); own > 0; own = parentOf(own) {
		if own == pid {
			return false
		}
	}
	return true
}

// userOf returns the real user of a process, -1 if that is not known. The owner of its folder
// says nothing: that of a process which keeps its memory closed is root.
func userOf(pid int) int {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return -1
	}
	for line := range strings.Lines(string(status)) {
		if ids, ok := strings.CutPrefix(line, "Uid:"); ok {
			real, _, _ := strings.Cut(strings.TrimSpace(ids), "\t")
			if id, err := strconv.Atoi(real); err == nil {
				return id
			}
		}
	}
	return -1
}

// parentOf returns the parent of a process, 0 if it has none.
func parentOf(pid int) int {
	stat := Stat(pid)
	if stat == nil {
		return 0
	}
	parent, err := strconv.Atoi(string(stat[1]))
	if err != nil {
		return 0
	}
	return parent
}
