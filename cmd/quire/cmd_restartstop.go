package main

import (
	"context"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/client"
	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
)

type restartOptions struct {
	runAll bool
	exec   execOptions
}

func (a *app) restartCommand() *cobra.Command {
	var o restartOptions
	cmd := &cobra.Command{
		Use:   "restart NOTEBOOK",
		Short: "Give a notebook a new runtime, without the variables of the old",
		Long: `Stop a notebook's runtime, if it has one, with the variables it has, wait until it
is gone, and start a new one at once. What runs is lost. With --run-all the cells
then run in their order, as by "quire exec --all", with the exit codes of that.`,
		Args: cmdline.Want("NOTEBOOK"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.restart(cmd.Context(), args[0], o) },
	}
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
	if o.exec.timeout < 0 {
		return fail(exitUsage, "restart: --timeout %v is no time to wait", o.exec.timeout)
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

func (a *app) stopCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "stop NOTEBOOK",
		Short: "Stop a notebook's runtime, with the variables it has",
		Long: `Stop a notebook's runtime, with the variables it has, and wait until it is gone. What
runs is lost. One that the server started and that does not end by itself is killed
after the --grace of the server. The next run starts a new runtime.`,
		Args: cmdline.Want("NOTEBOOK"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.stop(cmd.Context(), args[0]) },
	}
}

func (a *app) stop(ctx context.Context, name string) error {
	return a.onNotebook(ctx, "stop the runtime of notebook", name, false, func(c *client.Client, id string) error {
		return c.Call(ctx, http.MethodDelete, client.NotebookPath(id)+"/runtime", nil, nil)
	})
}
