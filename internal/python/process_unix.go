//go:build unix && !linux

package python

import "syscall"

// attributes put the process in a session of its own. When we end without
// closing it, it ends by itself as soon as it waits for the next request.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true}
}

// awaitsExit says that awaitExit waits.
const awaitsExit = false

// awaitExit does nothing: there is no way to wait without reaping.
func awaitExit(int) {}
