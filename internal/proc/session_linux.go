package proc

import (
	"errors"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// Attributes make a process lead a session of its own, and have it killed when the thread ends that
// started it, and so with this process.
func Attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// AwaitExit returns when a process has ended, without reaping it.
func AwaitExit(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// KillsSession reports whether KillSession does something.
const KillsSession = true

// KillSession kills all processes of the session with this leader, also those in groups of their
// own. The leader must not be reaped yet: until then its PID is not reused.
func KillSession(leader int) {
	of := strconv.Itoa(leader)
	for range 3 { // a later pass finds the processes that are started during one
		members := Find(func(stat [][]byte) bool { return string(stat[3]) == of && string(stat[0]) != "Z" }, leader)
		for _, pid := range members {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		if len(members) == 0 {
			return
		}
	}
}
