package proc

import (
	"os"
	"strconv"
	"strings"
)

// MayEnd reports whether a process that is known only by its PID may be killed: it exists and
// belongs to our user, and is neither init, nor this process, nor an ancestor of it. The source of
// a PID, such as a file, may be wrong or forged.
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

// userOf returns the real user of a process, -1 if it is unknown. The owner of its folder in /proc
// is no evidence: it is root for a process that is not dumpable.
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
