package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

// Unread returns the number of unread bytes in a pipe; none if there is no pipe.
func Unread(pipe *os.File) int {
	if pipe == nil {
		return 0
	}
	conn, err := pipe.SyscallConn()
	if err != nil {
		return 0
	}
	count := 0
	_ = conn.Control(func(fd uintptr) {
		count, _ = unix.IoctlGetInt(int(fd), unix.TIOCINQ)
	})
	return count
}
