//go:build unix && !linux

package env

import "syscall"

// attributes put a program in a session of its own.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// keepDescriptors does nothing.
func keepDescriptors() {}

// isFirstThread does not matter here.
func isFirstThread() bool { return false }

// awaitExit does nothing: there is no way to wait without reaping.
func awaitExit(int) {}

// killsSession says that killSession does something.
const killsSession = false

// killSession does nothing: the process is not waited for yet.
func killSession(int) {}
