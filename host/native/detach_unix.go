//go:build unix

package native

import (
	"os/exec"
	"syscall"
)

// Detach has a process that is to be started lead a session of its own, so that
// no signal to this one's terminal reaches it and it outlives this process.
func Detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
