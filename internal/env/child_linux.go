package env

import (
	"bytes"
	"errors"
	"math"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// attributes make a program end with us, however we end.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// keepDescriptors has no descriptor of ours reach a program but those that it is
// given. Go's own never do, but we may have been started with others. A kernel that
// cannot, before 5.11, is left as it is.
func keepDescriptors() {
	_ = unix.CloseRange(3, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC)
}

// isFirstThread reports whether this is the thread that stands for all of us.
func isFirstThread() bool { return unix.Gettid() == os.Getpid() }

// awaitExit returns when a process has ended, and leaves it to be reaped.
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
		members := processes(func(stat [][]byte) bool {
			return string(stat[3]) == strconv.Itoa(leader) && string(stat[0]) != "Z"
		}, leader)
		for _, pid := range members {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		if len(members) == 0 {
			return
		}
	}
}

// processes returns the numbers of the processes, but one, that the fields of
// /proc/PID/stat pick, from the state on.
func processes(pick func(stat [][]byte) bool, not int) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var found []int
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == not {
			continue
		}
		if stat := statOf(pid); len(stat) > 20 && pick(stat) {
			found = append(found, pid)
		}
	}
	return found
}

// statOf returns the fields of /proc/PID/stat behind the name, which is in
// parentheses and may hold anything. There are none when the process is gone.
func statOf(pid int) [][]byte {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil
	}
	return bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
}
