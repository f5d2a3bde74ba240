package jupyter

import (
	"bytes"
	"errors"
	"fmt"
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

// killSession ends all processes of the session whose leader is the process, also
// those in groups of their own. The leader must not be reaped yet: until then its
// number is nobody else's.
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

// isMember reads the state and the session: the 3rd and 6th field, after the name,
// which is in parentheses and may contain anything.
func isMember(pid, leader int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	return len(fields) > 3 && string(fields[3]) == strconv.Itoa(leader) && string(fields[0]) != "Z"
}

// cpuGrace is how many seconds of processor time a kernel has left, to say what is
// wrong, after it was told that it has used it up.
const cpuGrace = 3

// setLimits limits a process that runs already. A limit above the one it has would
// not bind, and may not be set.
func setLimits(pid int, l Limits) error {
	seconds := l.seconds()
	for _, limit := range []struct {
		name       string
		resource   int
		soft, hard int64
	}{
		// Not RLIMIT_AS: libraries for arrays and graphics processors, and every
		// thread, reserve far more addresses than they use.
		{"memory", unix.RLIMIT_DATA, l.Memory, l.Memory},
		{"processor time", unix.RLIMIT_CPU, seconds, seconds + cpuGrace},
		{"open files", unix.RLIMIT_NOFILE, int64(l.Files), int64(l.Files)},
		{"processes", unix.RLIMIT_NPROC, int64(l.Processes), int64(l.Processes)},
		{"file size", unix.RLIMIT_FSIZE, l.FileSize, l.FileSize},
	} {
		if limit.soft == 0 {
			continue
		}
		var old unix.Rlimit
		err := unix.Prlimit(pid, limit.resource, nil, &old)
		if err == nil {
			err = unix.Prlimit(pid, limit.resource, &unix.Rlimit{
				Cur: min(uint64(limit.soft), old.Max), Max: min(uint64(limit.hard), old.Max),
			}, nil)
		}
		if err != nil {
			return fmt.Errorf("limit the %s: %w", limit.name, err)
		}
	}
	return nil
}
