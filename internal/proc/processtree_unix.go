//go:build unix

package proc

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// CheckFamily wants a process that may be killed with its group, which it leads: one of our
// user that this process does not come from. A file that names another one is wrong or forged.
func CheckFamily(pid int) error {
	group, err := syscall.Getpgid(pid)
	switch {
	case err != nil:
		return gone(err)
	case group != pid || group == syscall.Getpgrp() || !MayEnd(pid):
		return fmt.Errorf("process %d was not started by a server of ours", pid)
	}
	return nil
}

func gone(err error) error {
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}
