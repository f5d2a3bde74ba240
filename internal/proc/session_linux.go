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

// Attributes make a process lead a session of its own, and end with us however we
// end: with the thread that started it.
func Attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// AwaitExit returns when a process has ended, and leaves it to be reaped.
func AwaitExit(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// KillsSession says that KillSession does something.
const KillsSession = true

// KillSession ends all processes of the session whose leader is the process, also
// those in groups of their own. The leader must not be reaped yet: until then its
// number is nobody else's.
func KillSession(leader int) {
	of := strconv.Itoa(leader)
	for range 3 { // what a process starts while we look is seen the next time
		members := Find(func(stat [][]byte) bool { return string(stat[3]) == of && string(stat[0]) != "Z" }, leader)
		for _, pid := range members {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		if len(members) == 0 {
			return
		}
	}
}

// Find returns the numbers of the processes, but one, that pick picks by their [Stat].
func Find(pick func(stat [][]byte) bool, not int) []int {
	var found []int
	for pid, stat := range All() {
		if pid != not && pick(stat) {
			found = append(found, pid)
		}
	}
	return found
}

// All returns the processes that there are, each with its [Stat].
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

// Stat returns the fields of /proc/PID/stat behind the name, which is in parentheses
// and may hold anything: the state, the parent, the group, the session and so on, as
// proc(5) has them. It is nil when the process is gone, and has 20 fields at least.
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
