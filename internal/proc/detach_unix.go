//go:build unix

package proc

import (
	"os/exec"
	"syscall"
)

// Detach makes a process that is not yet started the leader of its own session: no signal of this
// process's terminal reaches it, and it outlives this process.
func Detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
