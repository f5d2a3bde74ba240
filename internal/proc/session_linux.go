package proc

import (
	"bytes"
	"errors"
	"iter"
	"os"
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

// Find returns the PIDs of the processes that pick accepts by their [Stat], without one.
func Find(pick func(stat [][]byte) bool, not int) []int {
	var found []int
	for pid, stat := range All() {
		if pid != not && pick(stat) {
			found = append(found, pid)
		}
	}
	return found
}

// All returns all processes, each with its [Stat].
func All() iter.Seq2[int, [][]byte] {
	return func(yield func(int, [][]byte) bool) {
		entries, err := os.ReadDir("/proc")
		if err != nil {
			return
		}
		for _, entry := range entries {
			pid, err := strconv.Atoi(entry.Name())
			if err != nil {
				continue
			}
			if stat := Stat(pid); stat != nil && !yield(pid, stat) {
				return
			}
		}
	}
}

// Stat returns the fields of /proc/PID/stat after the name, which is in parentheses and may hold
// any character: the state, the parent, the group, the session and so on, as in proc(5). It is nil
// once the process has ended, and otherwise has at least 20 fields.
func Stat(pid int) [][]byte {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 {
		return nil
	}
	return fields
}
