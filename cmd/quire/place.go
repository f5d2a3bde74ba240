package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"

	environment "github.com/quirehq/quire/internal/env"
	"github.com/quirehq/quire/internal/python"
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
		p.sandbox, err = environment.NewSandbox(ctx, a.sandboxConfig(folder, p.group))
	} else {
		p.local, err = environment.NewLocal(environment.LocalConfig{ID: a.config.Notebook, Dir: folder, Group: p.group})
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
	return environment.SandboxConfig{
		ID: a.config.Notebook, Dir: folder, Read: s.Read, Hide: hide, Network: s.Network, Group: group,
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

// config returns how Python is to be run there.
func (p *place) config(c python.Config) python.Config {
	if p == nil || p.sandbox == nil && p.group == nil {
		return c
	}
	c.Start = p.start
	if p.sandbox != nil {
		c.Env = p.texts.environ(c.Env)
	}
	if p.group != nil {
		// The group counts all processes. Python alone is stopped a little before: it
		// says so and keeps its variables, while the group can only kill.
		c.Limits.Processes = 0
		c.Limits.Memory -= c.Limits.Memory / 16
	}
	return c
}

// start starts an interpreter.
func (p *place) start(cmd *exec.Cmd) (python.Child, error) {
	c := environment.Command{Argv: cmd.Args, Dir: cmd.Dir, Env: cmd.Env, Stdout: cmd.Stdout, Stderr: cmd.Stderr}
	start := p.startLocal
	if p.sandbox != nil {
		start = p.sandbox.Start
	}
	child, err := start(context.Background(), c, cmd.ExtraFiles)
	if err != nil {
		return nil, err
	}
	if err := child.Stdin().Close(); err != nil {
		child.Kill()
		return nil, errors.Join(err, child.Wait().Err)
	}
	return interpreter{child}, nil
}

func (p *place) startLocal(ctx context.Context, c environment.Command, files []*os.File) (*environment.Child, error) {
	return p.local.Start(ctx, c, files)
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

// interpreter is a program as package python wants it.
type interpreter struct{ *environment.Child }

// Wait implements [python.Child].
func (i interpreter) Wait() python.End {
	exit := i.Child.Wait()
	return python.End{Code: exit.Code, Signal: exit.Signal, CPU: exit.CPU}
}
