package native

import (
	"os/exec"
	"syscall"
)

// Detach has a process that is to be started lead a group of its own, so that no
// ctrl-C in this one's console reaches it and it outlives this process.
func Detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
