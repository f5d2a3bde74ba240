package proc

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// Born returns what tells a process from all others that ever have its number:
// the boot and the tick in which it began. It is empty if there is none, or one
// that only waits to be reaped.
func Born(pid int) string {
	fields := Stat(pid)
	if fields == nil || string(fields[0]) == "Z" || string(fields[0]) == "X" {
		return ""
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return string(bytes.TrimSpace(boot)) + "/" + string(fields[19])
}

// KillFamily kills a process that leads a group, and all that it and its children
// have started. It is stopped first, so that it starts nothing more meanwhile.
func KillFamily(pid int) error {
	if err := CheckFamily(pid); err != nil {
		return err
	}
	if err := syscall.Kill(-pid, syscall.SIGSTOP); err != nil {
		return gone(err)
	}
	for _, child := range descendants(pid) {
		_ = syscall.Kill(child, syscall.SIGKILL) // it may have ended by itself
	}
	return gone(syscall.Kill(-pid, syscall.SIGKILL))
}

// descendants returns the children of a process, theirs, and so on.
func descendants(pid int) []int {
	children := map[int][]int{}
	for child, stat := range All() {
		parent, _ := strconv.Atoi(string(stat[1]))
		children[parent] = append(children[parent], child)
	}
	var all []int
	for next := children[pid]; len(next) > 0; next = next[1:] {
		all = append(all, next[0])
		next = append(next, children[next[0]]...)
	}
	return all
}
