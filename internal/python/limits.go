package python

import (
	"fmt"

	"github.com/quirehq/quire/internal/proc"
)

// Limits bound what the process may take. Beyond the memory Python raises
// MemoryError. Beyond the processor time, which counts for all runs together, the run
// fails with CPULimitExceeded, and so does every later one that computes for a second.
type Limits = proc.Limits

// fewestFiles is what the driver and an interpreter need at least.
const fewestFiles = 20

// checkLimits says what no program could run with.
func checkLimits(l Limits) error {
	if err := l.Check("python"); err != nil {
		return err
	}
	if l.Files > 0 && l.Files < fewestFiles {
		return fmt.Errorf("python cannot run with %d open files; it needs %d", l.Files, fewestFiles)
	}
	return nil
}
