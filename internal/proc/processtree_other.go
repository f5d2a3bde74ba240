//go:build unix && !linux

package proc

import (
	"bytes"
	"context"
	"os"
	"strconv"
	"syscall"
)

// Born returns what tells a process from a later one with its number: when it
// began. It is empty if there is none, or one that only waits to be reaped.
func Born(pid int) string {
	out, err := Isolated(context.Background(), os.Environ(), "/bin/ps", "-o", "stat=,lstart=", "-p", strconv.Itoa(pid)).Output()
	state, began, ok := bytes.Cut(bytes.TrimSpace(out), []byte{' '})
	if err != nil || !ok || bytes.HasPrefix(state, []byte("Z")) {
		return ""
	}
	return string(bytes.TrimSpace(began))
}

// KillFamily kills a process that leads a group, with the group. The engine of a
// runtime ends by itself when that has gone.
func KillFamily(pid int) error {
	if err := CheckFamily(pid); err != nil {
		return err
	}
	return gone(syscall.Kill(-pid, syscall.SIGKILL))
}
