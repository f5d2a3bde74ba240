//go:build unix && !linux

package proc

import (
	"context"
	"fmt"
	"os"
	"strconv"
)

// MayEnd reports whether a process, of which no more is known than its number, may be ended: it
// is there and of our user, and is neither the first process, nor this one, nor an ancestor of
// this one. What names a process, such as a file, may be wrong or forged.
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

// about returns the real user of a process, -1 if that is not known, and its parent, 0 if it has none.
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
