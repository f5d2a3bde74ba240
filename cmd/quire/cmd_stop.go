package main

import (
	"context"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/client"
	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
)

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
