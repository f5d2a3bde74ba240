package engines

import (
	"log/slog"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/host/terminal"
	"github.com/quirehq/quire/internal/env"
)

// CheckHeld tells the log of a server whether its limits hold for all programs of a runtime together, and returns an error if they
// must and cannot.
func CheckHeld(b settings.Bounds, required bool, logger *slog.Logger) error {
	return checkHeld(b, required, probeGroup, logger)
}

func checkHeld(b settings.Bounds, required bool, probe func(settings.Bounds) error, logger *slog.Logger) error {
	if b.Memory == 0 && b.Processes == 0 && !required {
		return nil
	}
	err := probe(b)
	switch {
	case err != nil && required:
		return terminal.Fail(terminal.Unavailable, "--require-limits: no control group can hold --memory and --processes on this machine: %w", err)
	case err != nil:
		logger.Warn("processes are limited for each program and not for all of a runtime together, and memory is looked at a few times a second: control groups cannot be written; "+
			"--require-limits refuses to start then", "error", err)
	}
	return nil
}

// probeGroup makes a control group as runtimes get one, and removes it.
func probeGroup(b settings.Bounds) error {
	group, err := env.NewGroup(env.Bounds{Memory: b.Memory, Processes: b.Processes})
	if err != nil {
		return err
	}
	return group.Close()
}
