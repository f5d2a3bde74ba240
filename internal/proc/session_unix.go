//go:build unix && !linux

package proc

import "syscall"

// Attributes make a process lead a session of its own.
func Attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// AwaitExit does nothing: waiting without reaping is not possible.
func AwaitExit(int) {}

// KillsSession reports whether KillSession does something.
const KillsSession = false

// KillSession does nothing: the process is not waited for yet.
func KillSession(int) {}
