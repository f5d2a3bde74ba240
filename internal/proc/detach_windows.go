package proc

import (
	"os/exec"
	"syscall"
)

// Detach makes a process that is not yet started the leader of its own group: no ctrl-C in this
// process's console reaches it, and it outlives this process.
func Detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
