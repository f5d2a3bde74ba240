package main

import (
	"log/slog"

	environment "github.com/quirehq/quire/internal/env"
)

// probeGroup makes a control group as runtimes get one, and removes it.
func probeGroup(l limits) error {
	group, err := environment.NewGroup(environment.Bounds{Memory: l.Memory, Processes: l.Processes})
	if err != nil {
		return err
	}
	return group.Close()
}

// sayHeld tells the log of a server which of its limits hold for all programs of a runtime
// together, and refuses to go on if they must and cannot.
func (l limits) sayHeld(required bool, probe func(limits) error, logger *slog.Logger) error {
	if l.Memory == 0 && l.Processes == 0 && !required {
		return nil
	}
	err := probe(l)
	switch {
	case err != nil && required:
		return fail(exitUnavailable, "serve: --require-limits: no control group can hold --memory and --processes on this machine: %w", err)
	case err != nil:
		logger.Warn("processes are limited for each program and not for all of a runtime together, and memory is looked at a few times a second: control groups cannot be written; "+
			"--require-limits refuses to start then", "error", err)
	}
	return nil
}
