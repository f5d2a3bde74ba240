package engines

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/host/server"
	"github.com/quirehq/quire/host/terminal"
	"github.com/quirehq/quire/internal/env"
	"github.com/quirehq/quire/internal/proc"
)

// environment is the environment of this process's engines: a sandbox or this machine, with bounds.
// A nil one is that of the process itself, without bounds.
type environment struct {
	group    *env.Group // nil where there are no bounds, or can be none
	started  bool       // it starts engines also where there are neither
	guard    *guard     // nil where there is nothing to watch
	programs programs
	own      programs // in which processes of this binary run: outside the sandbox, which does not show it to them
	texts    settings.SandboxConfig
	folder   string // with the notebook's files
	meter    *meter // of one engine, nil for none
}

// programs starts and ends the programs of an environment.
type programs interface {
	env.Starting
	KillAll(ctx context.Context) error
	Terminate(ctx context.Context) error
	Exceeds(memory int64) bool
}

// Open makes the environment of this process's engines, until leave is called. Report is told of
// the limits that are hit there, and must not block.
func (f *Factory) Open(ctx context.Context, b settings.Bounds, logger *slog.Logger, report func(server.LimitHit)) (leave func(), err error) {
	if err := f.Prepare(ctx); err != nil {
		return nil, err
	}
	if err := env.SweepGroups(); err != nil {
		logger.Warn("control groups of earlier runtimes stay", "error", err)
	}
	folder, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	f.env, err = f.openEnvironment(ctx, folder, b, func(err error) {
		logger.Warn("processes are limited for each program, not for all of them together, and memory is looked at a few times a second", "error", err)
	})
	if err != nil {
		return nil, err
	}
	f.env.started = env.CanStart
	f.env.guard = newGuard(f.env, limits(b), logger, report)
	watch, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { f.env.guard.watch(watch) })
	return func() {
		cancel()
		watching.Wait()
		if err := f.env.close(); err != nil {
			logger.Error("what engines ran in is not removed", "error", err)
		}
	}, nil
}

// OpenIn makes an environment for programs that work in a folder, and closes it by leave. Without control groups the bounds
// hold for each process alone.
func (f *Factory) OpenIn(ctx context.Context, folder string, b settings.Bounds) (leave func(), err error) {
	if f.env, err = f.openEnvironment(ctx, folder, b, func(error) {}); err != nil {
		return nil, err
	}
	return func() { _ = f.env.close() }, nil // processes in it end with this one
}

// openEnvironment makes the group and the sandbox of the settings, for programs that work in a
// folder. Unbounded gets the reason if limits can hold for each program only, not for all of
// them together.
func (f *Factory) openEnvironment(ctx context.Context, folder string, b settings.Bounds, unbounded func(error)) (*environment, error) {
	if f.Config.Sandbox.On && f.isPrivate(folder) {
		return nil, terminal.Fail(terminal.Usage, "the sandbox would give %s to programs, with the home or the data directory in it: start in a folder of its own, or move the notebook to one", folder)
	}
	p := &environment{texts: f.Config.Sandbox, folder: folder}
	var err error
	if b.Memory > 0 || b.Processes > 0 {
		makeGroup := f.MakeGroup
		if makeGroup == nil {
			makeGroup = env.NewGroup
		}
		p.group, err = makeGroup(env.Bounds{Memory: b.Memory, Processes: b.Processes})
		if errors.Is(err, env.ErrNoGroups) {
			unbounded(err)
		} else if err != nil {
			return nil, err
		}
	}
	local, err := env.NewLocal(env.LocalConfig{ID: cmp.Or(f.Config.Notebook, "run"), Dir: folder, Group: p.group, PIDFiles: f.PIDFiles, Own: f.Own})
	if p.own, p.programs = local, local; err == nil && f.Config.Sandbox.On {
		p.programs, err = env.NewSandbox(ctx, f.sandboxConfig(folder, p.group))
	}
	if err != nil {
		return nil, errors.Join(err, p.group.Close())
	}
	return p, nil
}

func (f *Factory) sandboxConfig(folder string, group *env.Group) env.SandboxConfig {
	s := f.Config.Sandbox
	hide := []string{}
	if f.Config.Data != "" {
		hide = append(hide, f.Config.Data)
	}
	var scratch int64 // a group counts it
	if memory := settings.BoundsOf(f.Config.Limits).Memory; group == nil && memory > 0 {
		scratch = min(memory, env.DefaultScratch)
	}
	return env.SandboxConfig{
		Scratch: scratch,
		ID:      cmp.Or(f.Config.Notebook, "run"), Dir: folder, Read: s.Read, Hide: hide, Network: s.Network, Group: group, PIDFiles: f.PIDFiles, Own: f.Own,
	}
}

// close ends all that runs there.
func (p *environment) close() error {
	ctx := context.Background() // killed programs end soon
	return errors.Join(p.programs.Terminate(ctx), p.own.Terminate(ctx), p.group.Close())
}

// killAll kills all that runs there, and waits until it has ended, or ctx has. More can be
// started.
func (p *environment) killAll(ctx context.Context) error {
	return errors.Join(p.programs.KillAll(ctx), p.own.KillAll(ctx))
}

// exceeds reports whether the programs there have more memory than a limit.
func (p *environment) exceeds(memory int64) bool {
	return p.programs.Exceeds(memory) || p.own != p.programs && p.own.Exceeds(memory)
}

// guarded returns the guard of the environment, nil if it has none.
func (p *environment) guarded() *guard {
	if p == nil {
		return nil
	}
	return p.guard
}

// isSandbox reports whether engines run in a sandbox.
func (p *environment) isSandbox() bool { return p != nil && p.texts.On }

// isUntrusted reports whether the sandbox is for want of trust in the notebook.
func (p *environment) isUntrusted() bool { return p.isSandbox() && p.texts.Untrusted }

// isOffline reports whether programs there have no network.
func (p *environment) isOffline() bool { return p.isSandbox() && !p.texts.Network }

// starter returns how programs are started there; nil means as mere processes.
func (p *environment) starter() proc.Starter {
	if p != nil && (p.isSandbox() || p.group != nil || p.started) {
		return p.meter.around(env.StarterIn(p.programs))
	}
	return nil
}

// ownStarter returns how processes of this binary are started there. They are outside the sandbox, since each is one itself.
func (p *environment) ownStarter() proc.Starter {
	if p != nil && (p.group != nil || p.started) {
		return p.meter.around(env.StarterIn(p.own))
	}
	return nil
}

// environ returns the variables of this process that programs get there.
func (p *environment) environ(all []string) []string {
	if p.isSandbox() {
		return sandboxEnviron(&p.texts, all)
	}
	return all
}

// bounds returns the limits of each process, given those of the whole group.
func (p *environment) bounds(l proc.Limits) proc.Limits {
	if p != nil && p.group != nil {
		// The group counts all processes. An interpreter alone is stopped a little
		// before: it says so and keeps its variables, while the group can only kill.
		l.Processes = 0
		l.Memory -= l.Memory / 16
	}
	return l
}

// besideValues is the memory that a process of this binary takes beside the values of a program.
const besideValues = 512 << 20

// ownBounds returns the limits of each process of this binary. It bounds the memory of programs itself.
func (p *environment) ownBounds(l proc.Limits) proc.Limits {
	memory := l.Memory
	if l = p.bounds(l); memory > 0 {
		l.Memory = memory + besideValues
	}
	return l
}

// hits returns how often the bounds of the group were hit, none if they cannot be told.
func (p *environment) hits() env.Hits {
	if p == nil || p.group == nil {
		return env.Hits{}
	}
	hits, err := p.group.Hits()
	if err != nil {
		return env.Hits{}
	}
	return hits
}
