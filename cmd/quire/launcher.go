package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"

	"github.com/quirehq/quire/cmd/quire/internal/datadir"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/host/launch"
	"github.com/quirehq/quire/host/native"
	environment "github.com/quirehq/quire/internal/env"
	"github.com/quirehq/quire/internal/proc"
)

// launcher starts the runtimes of a server, with the limits and the trust that notebooks have.
type launcher struct {
	*launch.Launcher
	*datadir.NotebookSettings
}

// newLauncher returns a launcher that knows what an earlier one started in the
// directory. The settings of the app were checked.
func newLauncher(a *app, dir string, numbers settings.Numbers, logger *slog.Logger) (*launcher, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program that runtimes are: %w", err)
	}
	python, err := absolutePython(a.config.Python)
	if err != nil {
		return nil, fmt.Errorf("find python: %w", err)
	}
	flags := append([]string{"--idle", cmp.Or(a.config.Idle, settings.IdleOfServer)}, sandboxArgs(a.config.Sandbox)...)
	if python != "" {
		flags = append(flags, "--python", python)
	}
	if a.config.Kernel != "" {
		flags = append(flags, "--kernel", a.config.Kernel)
	}
	own := &datadir.NotebookSettings{Dir: dir, Server: a.config.Limits, Sandboxed: a.config.Sandbox.On}
	if !a.config.TrustImports {
		own.Untrusted = a.untrustedSandbox(logger)
	}
	cfg := launch.Config{
		Program: program, Dir: dir, Environ: withoutKeys(a.config.Artifacts.Place, withoutOurs(a.environ)),
		Flags: func(notebook string) ([]string, error) { return own.RuntimeFlags(notebook, flags) },
		Grace: numbers.Grace, Most: numbers.MaxRuntimes, Logger: logger, Processes: processes{}, Recover: native.RecoverSpool,
		Write: datadir.Write,
	}
	if _, memory := ownMemoryBounds(); memory > 0 {
		cfg.Memory = settings.SizeText(memory)
	}
	l, err := launch.New(cfg)
	if err != nil {
		return nil, err
	}
	return &launcher{l, own}, nil
}

// withoutOurs returns an environment without the variables that are meant for this process alone.
func withoutOurs(environ []string) []string {
	var rest []string
	for _, entry := range environ {
		switch name, _, _ := strings.Cut(entry, "="); name {
		case "QUIRE_TOKEN", "QUIRE_SERVER", "QUIRE_DATA", "QUIRE_NOTEBOOK":
		default:
			rest = append(rest, entry)
		}
	}
	return rest
}

// Forget implements [server.Forgetter].
func (l *launcher) Forget(notebook string) error {
	return errors.Join(l.Launcher.Forget(notebook), l.NotebookSettings.Forget(notebook))
}

// processes is the operating system for the launcher.
type processes struct{}

func (processes) Detach(cmd *exec.Cmd) { native.Detach(cmd) }

func (processes) Born(pid int) string { return proc.Born(pid) }

func (processes) Check(pid int) error { return proc.CheckFamily(pid) }

func (processes) Kill(pid int) error {
	if err := proc.KillFamily(pid); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return environment.SweepGroups()
}

func (processes) Sweep(dir, mark string) (killed int, err error) { return environment.Sweep(dir, mark) }

// untrustedSandbox returns the sandbox for untrusted notebooks of a server whose settings demand none.
func (a *app) untrustedSandbox(logger *slog.Logger) *datadir.UntrustedSandbox {
	return &datadir.UntrustedSandbox{
		Find: func(ctx context.Context) ([]string, error) {
			boxed := &app{config: a.config, environ: a.environ}
			texts := &boxed.config.Sandbox
			texts.On, texts.Untrusted = true, true
			if os.Geteuid() == 0 && !texts.AsRoot {
				return nil, fmt.Errorf("%w: this is root, for whom it is weaker: --sandbox-as-root uses it all the same", environment.ErrNoSandbox)
			}
			if err := boxed.prepareSandbox(ctx); err != nil {
				return nil, err
			}
			return append(sandboxArgs(*texts), "--python", boxed.config.Python), nil
		},
		Warn: func(err error) {
			logger.Warn("notebooks that came from elsewhere and are not trusted run without a sandbox", "error", err)
		},
	}
}
