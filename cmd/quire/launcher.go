package main

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/quirehq/quire/host/launch"
	"github.com/quirehq/quire/host/native"
	environment "github.com/quirehq/quire/internal/env"
	"github.com/quirehq/quire/internal/proc"
)

// idleTime is after how long without use a runtime that a server started ends,
// unless it is set otherwise.
const idleTime = "24h"

// launcher starts the runtimes of a server, with the limits and the trust that notebooks have.
type launcher struct {
	*launch.Launcher
	*notebookSettings
}

// launcherSettings are the settings of a launcher.
type launcherSettings struct {
	flags  []string // of runtimes, besides what each is told
	limits limitTexts
	grace  time.Duration
	most   int // how many there may be; 0 for any number
}

// newLauncher returns a launcher that knows what an earlier one started in the
// directory. The settings of the app were checked.
func newLauncher(a *app, dir string, logger *slog.Logger) (*launcher, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program that runtimes are: %w", err)
	}
	python, err := absolutePython(a.config.Python)
	if err != nil {
		return nil, fmt.Errorf("find python: %w", err)
	}
	var set launcherSettings
	a.config.setLauncher(&set, new(configErrors))
	if python != "" {
		set.flags = append(set.flags, "--python", python)
	}
	if a.config.Kernel != "" {
		set.flags = append(set.flags, "--kernel", a.config.Kernel)
	}
	own := &notebookSettings{dir: dir, limits: set.limits, sandboxed: a.config.Sandbox.On}
	if !a.config.TrustAll {
		own.shut = a.newShut(logger)
	}
	cfg := launch.Config{
		Program: program, Dir: dir, Environ: a.config.Artifacts.withoutKeys(withoutOurs(a.environ)),
		Flags: func(notebook string) ([]string, error) { return own.runtimeFlags(notebook, set.flags) },
		Grace: set.grace, Most: set.most, Logger: logger, Processes: processes{}, Recover: native.RecoverSpool,
		Write: func(name string, data []byte) error { return writeFile(name, data, 0o600) },
	}
	if _, memory := ownMemoryBounds(); memory > 0 {
		cfg.Memory = sizeText(memory)
	}
	l, err := launch.New(cfg)
	if err != nil {
		return nil, err
	}
	return &launcher{l, own}, nil
}

// setLauncher sets the settings of a launcher, and notes their errors.
func (c *config) setLauncher(l *launcherSettings, wrong *configErrors) {
	idle := cmp.Or(c.Idle, idleTime)
	if _, err := parseSpan(idle); err != nil {
		wrong.add("idle", "QUIRE_IDLE", "%v", err)
	}
	var err error
	if l.grace, err = parseSpan(c.Grace); err != nil {
		wrong.add("grace", "QUIRE_GRACE", "%v", err)
	}
	if c.MaxRuntimes != "" {
		if l.most, err = parseCount(c.MaxRuntimes); err != nil {
			wrong.add("max-runtimes", "QUIRE_MAX_RUNTIMES", "%v", err)
		}
	}
	c.Limits.parse(wrong)
	c.Sandbox.check(wrong)
	l.flags, l.limits = append([]string{"--idle", idle}, c.Sandbox.args()...), c.Limits
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
	return errors.Join(l.Launcher.Forget(notebook), l.notebookSettings.forget(notebook))
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
