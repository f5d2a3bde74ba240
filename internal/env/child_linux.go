package env

import (
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// keepDescriptors has no descriptor of ours reach a program but those that it is
// given. Go's own never do, but we may have been started with others. A kernel that
// cannot, before 5.11, is left as it is.
func keepDescriptors() {
	_ = unix.CloseRange(3, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC)
}

// isFirstThread reports whether this is the thread that stands for all of us.
func isFirstThread() bool { return unix.Gettid() == os.Getpid() }

// leaveKeys has what this thread starts have a session keyring of its own, which is
// empty. A kernel without keys, or a container that refuses them, has none to leave.
func leaveKeys() { _, _ = unix.KeyctlJoinSessionKeyring("") }
