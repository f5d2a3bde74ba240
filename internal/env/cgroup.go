package env

import "errors"

// Bounds limit the sum over all programs of a group and their children. 0 is no bound.
type Bounds struct {
	Memory    int64 // bytes, files in /tmp of a sandbox included
	Processes int   // and threads
}

// Hits count how often the programs of a group have hit its bounds.
type Hits struct {
	Memory    int64 // processes killed for it
	Processes int64 // processes and threads that could not be started
}

// ErrNoGroups says that this machine has no control groups, or none that we may create.
var ErrNoGroups = errors.New("there are no control groups that can be written: Quire needs Linux, and a group of its own that may have others below it " +
	"(with systemd: Delegate=yes and DelegateSubgroup=quire)")
