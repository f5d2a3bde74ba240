package python

import (
	"os"

	"golang.org/x/sys/unix"
)

// unread returns the number of unread bytes in a pipe.
func unread(pipe *os.File) int {
	count := 0
	conn, err := pipe.SyscallConn()
	if err != nil {
		return 0
	}
	_ = conn.Control(func(fd uintptr) {
		count, _ = unix.IoctlGetInt(int(fd), unix.TIOCINQ)
	})
	return count
}
