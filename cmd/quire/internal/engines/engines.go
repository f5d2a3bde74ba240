// Package engines starts what executes the cells of a notebook: the built-in Python and the kernels of Jupyter that are installed, on
// this machine or in a sandbox, with the limits of the settings. It chooses the kernel of a notebook, and its engines name the limit
// that a run has hit. What a runtime does with engines is up to core/runtime.
package engines

import (
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/internal/env"
	"github.com/quirehq/quire/internal/jupyter"
	"github.com/quirehq/quire/internal/proc"
	"github.com/quirehq/quire/internal/python"
)

// Factory makes the engines of this process.
type Factory struct {
	// Config has the Python, the sandbox and the notebook. [Factory.Prepare] changes it.
	Config  *settings.Config
	Environ []string // of programs
	// PIDFiles name the engines that run, nil where nothing else ends those that a killed process leaves.
	PIDFiles *env.PIDFiles
	Own      *proc.Own // the bounds of this process, nil for none
	// MakeGroup makes the control group of programs, nil for [env.NewGroup].
	MakeGroup func(env.Bounds) (*env.Group, error)

	env *environment // nil for that of this process
}

// Engines returns the engines of all languages: the kernels that were chosen, else the built-in
// Python, else any kernel that is installed. Programs start in dir, or in the current directory
// if that is empty, and are bounded.
func (f *Factory) Engines(dir string, b settings.Bounds, c Choice) *lang.Set {
	return lang.NewSet(f.table(dir, limits(b), c))
}

func (f *Factory) table(dir string, l limits, c Choice) []lang.Spec {
	var specs []lang.Spec
	if c.missing != nil {
		specs = append(specs, lang.Spec{Language: c.Language, New: func() (lang.Engine, error) { return nil, c.missing }})
	}
	for _, k := range c.first {
		spec := f.kernelEngine(k, dir, l)
		spec.Language = c.executes(k)
		specs = append(specs, spec)
	}
	specs = append(specs, f.pythonEngine(dir, l))
	for _, k := range c.installed {
		if k.Fault == nil {
			specs = append(specs, f.kernelEngine(k, dir, l))
		}
	}
	return specs
}

func (f *Factory) pythonEngine(dir string, l limits) lang.Spec {
	return lang.Spec{Language: PythonLanguage, New: func() (lang.Engine, error) {
		engine, err := python.New(python.Config{
			Python: f.Config.Python, Dir: dir, Env: f.env.environ(f.Environ),
			Limits: f.env.bounds(l.ofProcess()), Start: f.env.starter(),
		})
		if err != nil {
			return nil, err
		}
		return &limitedEngine{engine, l, f.env}, nil
	}}
}

func (f *Factory) kernelEngine(k jupyter.Kernel, dir string, l limits) lang.Spec {
	return lang.Spec{Language: k.Language, New: func() (lang.Engine, error) {
		engine, err := jupyter.New(jupyter.Config{
			Kernel: k, Dir: dir, Env: f.env.environ(f.Environ),
			Limits: f.env.bounds(l.ofProcess()), Start: f.env.starter(), Offline: f.env.isOffline(),
		})
		if err != nil {
			return nil, err
		}
		return &limitedEngine{engine, l, f.env}, nil
	}}
}
