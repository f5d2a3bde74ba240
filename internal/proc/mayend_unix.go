//go:build unix && !linux

package proc

import (
	"context"
	"fmt"
	"os"
	"strconv"
)

// MayEnd reports whether a process that is known only by its PID may be killed: it exists and
// belongs to our user, and is neither init, nor this process, nor an ancestor of it. The source of
// a PID, such as a file, may be wrong or forged.
func MayEnd(pid int) bool {
	user, _ := about(pid)
	if pid <= 1 || user != os.Getuid() {
		return false
	}
	for own := os.Getpid(); own > 0; _, own = about(own) {
		if own == pid {
			return false
		}
	}
	return true
}

// about returns the real user of a process, -1 if it is unknown, and its parent, 0 if it has none.
func about(pid int) (user, parent int) {
	out, err := Isolated(context.Background(), os.Environ(), "/bin/ps", "-o", "ruid=,ppid=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return -1, 0
	}
	if _, err := fmt.Sscan(string(out), &user, &parent); err != nil {
		return -1, 0
	}
	return user, parent
}
