// Package engines starts what executes the cells of a notebook: the built-in Python and the kernels of Jupyter that are installed, on
// this machine or in a sandbox, with the limits of the settings. It chooses the kernel of a notebook, and its engines name the limit
// that a run has hit. What a runtime does with engines is up to core/runtime.
package engines

import (
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/internal/env"
	"github.com/quirehq/quire/internal/proc"
)

// Host starts engines for this process.
type Host struct {
	// Config has the Python, the sandbox and the notebook. [Host.Prepare] changes it.
	Config  *settings.Config
	Environ []string // of programs
	// PIDFiles name the engines that run, nil where nothing else ends those that a killed process leaves.
	PIDFiles *env.PIDFiles
	Own      *proc.Own // the bounds of this process, nil for none
	// MakeGroup makes the control group of programs, nil for [env.NewGroup].
	MakeGroup func(env.Bounds) (*env.Group, error)

	env *environment // nil for that of this process
}
