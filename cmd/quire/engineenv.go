package main

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/host/server"
	environment "github.com/quirehq/quire/internal/env"
	"github.com/quirehq/quire/internal/proc"
)

// engineEnv is the environment of this process's engines: a sandbox or this machine, with bounds.
// A nil one is that of the process itself, without bounds.
type engineEnv struct {
	group   *environment.Group // nil where there are no bounds, or can be none
	started bool               // it starts engines also where there are neither
	guard   *guard             // nil where there is nothing to watch
	sandbox *environment.Sandbox
	local   *environment.Local
	texts   settings.SandboxConfig
	folder  string // with the notebook's files
}

// settle makes the environment of this process's engines, until leave is called. Report is told of
// the limits that are hit there, and must not block.
func (a *app) settle(ctx context.Context, l limits, logger *slog.Logger, report func(server.LimitHit)) (leave func(), err error) {
	if err := a.prepareSandbox(ctx); err != nil {
		return nil, err
	}
	if err := environment.SweepGroups(); err != nil {
		logger.Warn("control groups of earlier runtimes stay", "error", err)
	}
	folder, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	a.engineEnv, err = a.openEngineEnv(ctx, folder, l, func(err error) {
		logger.Warn("processes are limited for each program, not for all of them together, and memory is looked at a few times a second", "error", err)
	})
	if err != nil {
		return nil, err
	}
	a.engineEnv.started = environment.CanStart
	a.engineEnv.guard = newGuard(a.engineEnv, l, logger, report)
	stop := inBackground(ctx, a.engineEnv.guard.watch)
	return func() {
		stop()
		if err := a.engineEnv.close(); err != nil {
			logger.Error("what engines ran in is not removed", "error", err)
		}
	}, nil
}

// openEngineEnv makes what limits and sandbox ask for, for programs that work in a folder.
// Unbounded is called with the reason when limits can be kept for each program only, not
// for all of them together.
func (a *app) openEngineEnv(ctx context.Context, folder string, l limits, unbounded func(error)) (*engineEnv, error) {
	if a.config.Sandbox.On && a.isPrivate(folder) {
		return nil, fail(exitUsage, "the sandbox would give %s to programs, with the home or the data directory in it: start in a folder of its own, or move the notebook to one", folder)
	}
	p := &engineEnv{texts: a.config.Sandbox, folder: folder}
	var err error
	if l.Memory > 0 || l.Processes > 0 {
		makeGroup := a.makeGroup
		if makeGroup == nil {
			makeGroup = environment.NewGroup
		}
		p.group, err = makeGroup(environment.Bounds{Memory: l.Memory, Processes: l.Processes})
		if errors.Is(err, environment.ErrNoGroups) {
			unbounded(err)
		} else if err != nil {
			return nil, err
		}
	}
	if a.config.Sandbox.On {
		p.sandbox, err = environment.NewSandbox(ctx, a.sandboxConfig(folder, p.group))
	} else {
		p.local, err = environment.NewLocal(environment.LocalConfig{ID: a.config.Notebook, Dir: folder, Group: p.group, PIDFiles: a.pids, Own: a.own})
	}
	if err != nil {
		return nil, errors.Join(err, p.group.Close())
	}
	return p, nil
}

func (a *app) sandboxConfig(folder string, group *environment.Group) environment.SandboxConfig {
	s := &a.config.Sandbox
	hide := []string{}
	if a.config.Data != "" {
		hide = append(hide, a.config.Data)
	}
	var scratch int64 // what is in a group counts it
	if memory := settings.BoundsOf(a.config.Limits).Memory; group == nil && memory > 0 {
		scratch = min(memory, environment.DefaultScratch)
	}
	return environment.SandboxConfig{
		Scratch: scratch,
		ID:      cmp.Or(a.config.Notebook, "run"), Dir: folder, Read: s.Read, Hide: hide, Network: s.Network, Group: group, PIDFiles: a.pids, Own: a.own,
	}
}

// close ends all that runs there.
func (p *engineEnv) close() error {
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

// killAll kills all that runs there, and waits until it has ended, or ctx has. More can be
// started.
func (p *engineEnv) killAll(ctx context.Context) error {
	var err error
	if p.sandbox != nil {
		err = p.sandbox.KillAll(ctx)
	}
	if p.local != nil {
		err = errors.Join(err, p.local.KillAll(ctx))
	}
	return err
}

// exceeds reports whether what runs there has more memory than a limit.
func (p *engineEnv) exceeds(memory int64) bool {
	return p.sandbox != nil && p.sandbox.Exceeds(memory) || p.local != nil && p.local.Exceeds(memory)
}

// guarded returns the guard of the environment, nil if it has none.
func (p *engineEnv) guarded() *guard {
	if p == nil {
		return nil
	}
	return p.guard
}

// isSandbox reports whether engines are shut in.
func (p *engineEnv) isSandbox() bool { return p != nil && p.sandbox != nil }

// isUntrusted reports whether engines are shut in because the notebook is not trusted.
func (p *engineEnv) isUntrusted() bool { return p.isSandbox() && p.texts.Untrusted }

// isOffline reports whether what is started there has no network.
func (p *engineEnv) isOffline() bool { return p.isSandbox() && !p.texts.Network }

// starter returns how programs are started there; nil means as mere processes.
func (p *engineEnv) starter() proc.Starter {
	switch {
	case p.isSandbox():
		return environment.StarterIn(p.sandbox)
	case p != nil && (p.group != nil || p.started):
		return environment.StarterIn(p.local)
	}
	return nil
}

// environ returns the variables of this process that programs get there.
func (p *engineEnv) environ(all []string) []string {
	if p.isSandbox() {
		return sandboxEnviron(&p.texts, all)
	}
	return all
}

// bounds returns what each process is held to there, of what all are.
func (p *engineEnv) bounds(l proc.Limits) proc.Limits {
	if p != nil && p.group != nil {
		// The group counts all processes. An interpreter alone is stopped a little
		// before: it says so and keeps its variables, while the group can only kill.
		l.Processes = 0
		l.Memory -= l.Memory / 16
	}
	return l
}

// hits returns how often the bounds of the group were hit, none if they cannot be told.
func (p *engineEnv) hits() environment.Hits {
	if p == nil || p.group == nil {
		return environment.Hits{}
	}
	hits, err := p.group.Hits()
	if err != nil {
		return environment.Hits{}
	}
	return hits
}
