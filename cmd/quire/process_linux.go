package main

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// bornAt returns what tells a process from all others that ever have its number:
// the boot and the tick in which it began. It is empty if there is none, or one
// that only waits to be reaped.
func bornAt(pid int) string {
	fields := procStat(pid)
	if len(fields) < 20 || string(fields[0]) == "Z" || string(fields[0]) == "X" {
		return ""
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return string(bytes.TrimSpace(boot)) + "/" + string(fields[19])
}

// procStat returns what the kernel says of a process, from its state on: what
// stands before that is its name, which may hold anything.
func procStat(pid int) [][]byte {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil
	}
	return bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
}

// killFamily kills a process that leads a group, and all that it and its children
// have started. It is stopped first, so that it starts nothing more meanwhile.
func killFamily(pid int) error {
	if err := checkFamily(pid); err != nil {
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
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	children := map[int][]int{}
	for _, entry := range entries {
		child, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		if fields := procStat(child); len(fields) > 1 {
			parent, _ := strconv.Atoi(string(fields[1]))
			children[parent] = append(children[parent], child)
		}
	}
	var all []int
	for next := children[pid]; len(next) > 0; next = next[1:] {
		all = append(all, next[0])
		next = append(next, children[next[0]]...)
	}
	return all
}
