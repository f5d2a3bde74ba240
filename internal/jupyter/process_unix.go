//go:build unix && !linux

package jupyter

import (
	"errors"
	"syscall"
)

// attributes put the process in a session of its own.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// awaitExit does nothing: there is no way to wait without reaping.
func awaitExit(int) {}

// killsSession says that killSession does something.
const killsSession = false

// killSession does nothing: the process is not waited for yet.
func killSession(int) {}

// setLimits cannot limit a process from outside.
func setLimits(_ int, l Limits) error {
	if l != (Limits{}) {
		return errors.New("limits need Linux")
	}
	return nil
}
