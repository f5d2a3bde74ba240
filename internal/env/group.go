package env

import "errors"

// Bounds are what the programs of a group may use together, whatever they start. 0 is
// no bound.
type Bounds struct {
	Memory    int64 // bytes, files in /tmp of a sandbox included
	Processes int   // and threads
}

// Hits say how often the programs of a group have come up against its bounds.
type Hits struct {
	Memory    int64 // how many were killed for it
	Processes int64 // how many could not be started
}

// ErrNoGroups says that this machine, or what we may do on it, has no groups.
var ErrNoGroups = errors.New("there are no control groups that can be written: Quire needs Linux, and a group of its own that may have others below it " +
	"(with systemd: Delegate=yes and DelegateSubgroup=quire)")
