package python

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// attributes make the process end with us, however we end.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// awaitExit returns when the process has ended, and leaves it to be reaped.
func awaitExit(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// killsSession says that killSession does something.
const killsSession = true

// killSession ends all processes of the session whose leader is the process,
// also those in groups of their own. The leader must not be reaped yet: until
// then its number is nobody else's.
func killSession(leader int) {
	for range 3 { // what a process starts while we look is seen the next time
		members := session(leader)
		for _, pid := range members {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		if len(members) == 0 {
			return
		}
	}
}

// session returns the living processes of a session but its leader.
func session(leader int) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var members []int
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err == nil && pid != leader && isMember(pid, leader) {
			members = append(members, pid)
		}
	}
	return members
}

// isMember reads the state and the session: the 3rd and 6th field, after the
// name, which is in parentheses and may contain anything.
func isMember(pid, leader int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	return len(fields) > 3 && string(fields[3]) == strconv.Itoa(leader) && string(fields[0]) != "Z"
}
