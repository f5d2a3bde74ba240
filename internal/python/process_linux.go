package python

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// attributes make the process end with us, however we end.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// awaitsExit says that awaitExit waits.
const awaitsExit = true

// awaitExit returns when the process has ended, and leaves it to be reaped.
func awaitExit(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}
