package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/client"
	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/terminal"
)

type restartOptions struct {
	runAll   bool
	language string
	exec     execOptions
}

func (a *app) restartCommand() *cobra.Command {
	var o restartOptions
	cmd := &cobra.Command{
		Use:   "restart NOTEBOOK",
		Short: "Give a notebook a new runtime, without the variables of the old",
		Long: `Stop a notebook's runtime, if it has one, with the variables it has, wait until it
is gone, and start a new one at once. What runs is lost. With --run-all the cells
then run in their order, as by "quire exec --all", with the exit codes of that.

With --language only the engine of that language ends, with its variables, and
another starts; the others go on. The next run of the language says so. While a cell
runs that is refused.`,
		Example: "  quire restart k3x9ab --run-all\n  quire restart k3x9ab --language ruby",
		Args:    cmdline.Want("NOTEBOOK"),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.restart(cmd.Context(), args[0], o) },
	}
	languageFlag(cmd, &o.language, "give this language alone a new engine")
	cmd.Flags().BoolVar(&o.runAll, "run-all", false, "then run all cells, and write their outputs")
	cmd.Flags().BoolVar(&o.exec.keepGoing, "keep-going", false, "with --run-all: go on with the next cell when one fails")
	cmd.Flags().DurationVar(&o.exec.timeout, "timeout", 0, "with --run-all: cancel a run that takes longer, such as 90s")
	settings.Placeholder(cmd.Flags(), "timeout", "DURATION")
	cmd.Flags().BoolVar(&o.exec.json, "json", false, "with --run-all: write only a line of JSON for each cell that has run, as exec does")
	return cmd
}

func (a *app) restart(ctx context.Context, name string, o restartOptions) error {
	if !o.runAll && (o.exec.keepGoing || o.exec.timeout != 0 || o.exec.json) {
		return fail(exitUsage, "restart: --keep-going, --timeout and --json are for --run-all")
	}
	if o.runAll && o.language != "" {
		return fail(exitUsage, "restart: --run-all is for the whole runtime, and --language for one of its engines")
	}
	if o.exec.timeout < 0 {
		return fail(exitUsage, "restart: --timeout %v is no time to wait", o.exec.timeout)
	}
	if o.language != "" {
		return a.unload(ctx, "restart the engine of notebook", name, protocol.Unload{Language: o.language, Reload: true})
	}
	err := a.onNotebook(ctx, "restart the runtime of notebook", name, false, func(c *client.Client, id string) error {
		return c.Call(ctx, http.MethodPost, client.NotebookPath(id)+"/runtime/restart", nil, nil)
	})
	if err != nil || !o.runAll {
		return err
	}
	o.exec.all = true
	return a.exec(ctx, name, o.exec)
}

// languageFlag adds the flag for one engine of a runtime.
func languageFlag(cmd *cobra.Command, language *string, usage string) {
	cmd.Flags().StringVarP(language, "language", "l", "", usage)
	settings.Placeholder(cmd.Flags(), "language", "LANGUAGE")
}

// unload ends the engine of a language in the runtime of a notebook.
func (a *app) unload(ctx context.Context, doing, name string, what protocol.Unload) error {
	err := a.inNotebook(ctx, name, func(j *terminal.Session) error {
		_, err := j.Call(ctx, protocol.MethodUnload, what)
		return err
	})
	if err != nil {
		return fmt.Errorf("%s %s: %w", doing, name, err)
	}
	return nil
}

func (a *app) stopCommand() *cobra.Command {
	var language string
	cmd := &cobra.Command{
		Use:   "stop NOTEBOOK",
		Short: "Stop a notebook's runtime, with the variables it has",
		Long: `Stop a notebook's runtime, with the variables it has, and wait until it is gone. What
runs is lost. One that the server started and that does not end by itself is killed
after the --grace of the server. The next run starts a new runtime.

With --language only the engine of that language ends, with its variables and its
memory, until the next run of the language. While a cell runs that is refused.`,
		Args: cmdline.Want("NOTEBOOK"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if language != "" {
				return a.unload(cmd.Context(), "stop the engine of notebook", args[0], protocol.Unload{Language: language})
			}
			return a.stop(cmd.Context(), args[0])
		},
	}
	languageFlag(cmd, &language, "stop the engine of this language alone")
	return cmd
}

func (a *app) stop(ctx context.Context, name string) error {
	return a.onNotebook(ctx, "stop the runtime of notebook", name, false, func(c *client.Client, id string) error {
		return c.Call(ctx, http.MethodDelete, client.NotebookPath(id)+"/runtime", nil, nil)
	})
}
