package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"

	environment "github.com/quirehq/quire/internal/env"
	"github.com/quirehq/quire/internal/proc"
)

// place is where the engines of this process run. A nil one is this process's own
// surroundings, without bounds.
type place struct {
	group   *environment.Group // nil where there are no bounds, or can be none
	sandbox *environment.Sandbox
	local   *environment.Local
	texts   sandboxTexts
	folder  string // with the notebook's files
}

// settle makes the place of this process's engines, until leave is called.
func (a *app) settle(ctx context.Context, l limits, logger *slog.Logger) (leave func(), err error) {
	if err := a.prepareSandbox(ctx); err != nil {
		return nil, err
	}
	if err := environment.SweepGroups(); err != nil {
		logger.Warn("control groups of earlier runtimes stay", "error", err)
	}
	a.place, err = a.openPlace(ctx, l, func(err error) {
		logger.Warn("memory and processes are limited for each program, not for all of them together", "error", err)
	})
	if err != nil {
		return nil, err
	}
	return func() {
		if err := a.place.close(); err != nil {
			logger.Error("what engines ran in is not removed", "error", err)
		}
	}, nil
}

// openPlace makes what limits and sandbox ask for. Unbounded is called with the reason
// when limits can be kept for each program only, not for all of them together.
func (a *app) openPlace(ctx context.Context, l limits, unbounded func(error)) (*place, error) {
	folder, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	if a.config.Sandbox.On && a.isPrivate(folder) {
		return nil, fail(exitUsage, "the sandbox would give %s to programs, with the home or the data directory in it: start in a folder of its own", folder)
	}
	p := &place{texts: a.config.Sandbox, folder: folder}
	if l.memory > 0 || l.processes > 0 {
		p.group, err = environment.NewGroup(environment.Bounds{Memory: l.memory, Processes: l.processes})
		if errors.Is(err, environment.ErrNoGroups) {
			unbounded(err)
		} else if err != nil {
			return nil, err
		}
	}
	if a.config.Sandbox.On {
		p.sandbox, err = environment.NewSandbox(ctx, a.sandboxConfig(folder, p.group, a.kernelFolders(ctx)))
	} else {
		p.local, err = environment.NewLocal(environment.LocalConfig{ID: a.config.Notebook, Dir: folder, Group: p.group})
	}
	if err != nil {
		return nil, errors.Join(err, p.group.Close())
	}
	return p, nil
}

func (a *app) sandboxConfig(folder string, group *environment.Group, read []string) environment.SandboxConfig {
	s := &a.config.Sandbox
	hide := []string{}
	if a.config.Data != "" {
		hide = append(hide, a.config.Data)
	}
	return environment.SandboxConfig{
		ID: a.config.Notebook, Dir: folder, Read: append(slices.Clip(s.Read), read...), Hide: hide, Network: s.Network, Group: group,
	}
}

// close ends all that runs there.
func (p *place) close() error {
	ctx := context.Background() // what is killed goes soon
	var err error
	if p.sandbox != nil {
		err = p.sandbox.Terminate(ctx)
	}
	if p.local != nil {
		err = errors.Join(err, p.local.Terminate(ctx))
	}
	return errors.Join(err, p.group.Close())
}

// isSandbox reports whether engines are shut in.
func (p *place) isSandbox() bool { return p != nil && p.sandbox != nil }

// isOffline reports whether what is started there has no network.
func (p *place) isOffline() bool { return p.isSandbox() && !p.texts.Network }

// starter returns how programs are started there; nil means as mere processes.
func (p *place) starter() proc.Starter {
	switch {
	case p.isSandbox():
		return environment.StarterIn(p.sandbox)
	case p != nil && p.group != nil:
		return environment.StarterIn(p.local)
	}
	return nil
}

// environ returns the variables of this process that programs get there.
func (p *place) environ(all []string) []string {
	if p.isSandbox() {
		return p.texts.environ(all)
	}
	return all
}

// bounds returns what each process is held to there, of what all are.
func (p *place) bounds(l proc.Limits) proc.Limits {
	if p != nil && p.group != nil {
		// The group counts all processes. An interpreter alone is stopped a little
		// before: it says so and keeps its variables, while the group can only kill.
		l.Processes = 0
		l.Memory -= l.Memory / 16
	}
	return l
}

// hits returns how often the bounds of the group were hit, none if they cannot be told.
func (p *place) hits() environment.Hits {
	if p == nil || p.group == nil {
		return environment.Hits{}
	}
	hits, err := p.group.Hits()
	if err != nil {
		return environment.Hits{}
	}
	return hits
}
