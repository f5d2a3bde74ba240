package native

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// KeepMemory hides the memory, the environment and the files of this process from other processes of
// the user, so that a program of the user cannot read a secret there. It does not apply to programs
// that this process starts.
func KeepMemory() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("hide the memory of this process: %w", err)
	}
	return nil
}
