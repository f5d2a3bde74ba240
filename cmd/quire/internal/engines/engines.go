// Package engines starts what executes the cells of a notebook: the built-in Python, the interpreters and the kernels of Jupyter that are
// installed, on this machine or in a sandbox, with the limits of the settings. It lists the engines, chooses those of a notebook, and has
// them name the limit that a run has hit. What a runtime does with engines is up to core/runtime.
package engines

import (
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/internal/env"
	"github.com/quirehq/quire/internal/proc"
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
	// Connection returns the URL of a database by the name that SQL cells use, nil for none.
	Connection func(name string) (string, error)

	env *environment // nil for that of this process
}

// Engines returns the engines of all languages: those that were chosen, else the first that is offered. Programs start in
// dir, or in the current directory if that is empty, and are bounded.
func (f *Factory) Engines(dir string, b settings.Bounds, c Choice) *lang.Set {
	return lang.NewSet(f.table(dir, limits(b), c))
}

func (f *Factory) table(dir string, l limits, c Choice) []lang.Spec {
	var specs []lang.Spec
	if c.missing != nil {
		specs = append(specs, lang.Spec{Language: c.Language, New: func() (lang.Engine, error) { return nil, c.missing }})
	}
	for _, o := range c.first {
		specs = append(specs, f.spec(o, c.executes(o), dir, l))
	}
	for _, o := range c.installed {
		if o.Fault == nil {
			specs = append(specs, f.spec(o, o.Language, dir, l))
		}
	}
	return specs
}

// spec returns the constructor of an offered engine for a language.
func (f *Factory) spec(o Offer, language, dir string, l limits) lang.Spec {
	return lang.Spec{Language: language, Aliases: o.Aliases, New: func() (lang.Engine, error) {
		m, one := &meter{}, *f
		one.env = f.env.metered(m)
		engine, err := o.open(&one, dir, l)
		if err != nil {
			return nil, err
		}
		return &limitedEngine{engine, l, f.env, m}, nil
	}}
}

// metered returns the environment of one engine, which is measured.
func (p *environment) metered(m *meter) *environment {
	if p == nil {
		return nil
	}
	one := *p
	one.meter = m
	return &one
}
