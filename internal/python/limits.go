package python

import (
	"fmt"

	"github.com/quirehq/quire/internal/proc"
)

// Limits bound the resources of the process. Beyond the memory Python raises MemoryError. Beyond
// the processor time, which is the sum over all runs, the run fails with CPULimitExceeded, and so
// does every later one that computes for a second.
type Limits = proc.Limits

// fewestFiles is the minimum for the driver and an interpreter.
const fewestFiles = 20

// checkLimits returns which limit is too low for any program.
func checkLimits(l Limits) error {
	if err := l.Check("python"); err != nil {
		return err
	}
	if l.Files > 0 && l.Files < fewestFiles {
		return fmt.Errorf("python cannot run with %d open files; it needs %d", l.Files, fewestFiles)
	}
	return nil
}
