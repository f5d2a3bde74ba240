package env

import (
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// closeOnExec sets close-on-exec on all our descriptors. Go sets it on its own, but we may have
// inherited others. Kernels before 5.11 cannot, and keep them open.
func closeOnExec() {
	_ = unix.CloseRange(3, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC)
}

// isFirstThread reports whether this is the main thread, whose id is our PID.
func isFirstThread() bool { return unix.Gettid() == os.Getpid() }

// joinEmptyKeyring gives the processes that this thread starts an empty session keyring of their own. It
// fails on a kernel without keys, or in a container that refuses them, where there are none to
// leave.
func joinEmptyKeyring() { _, _ = unix.KeyctlJoinSessionKeyring("") }
