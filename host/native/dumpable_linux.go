package native

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// KeepMemory has the system show the memory, the environment and the files of this process to
// no other process of the user, so that a program which runs as the user cannot read a secret there.
// Programs that this one starts are not concerned.
func KeepMemory() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("keep the memory of this process to itself: %w", err)
	}
	return nil
}
