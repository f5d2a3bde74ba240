package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/client"
	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
)

func (a *app) renameCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "rename NOTEBOOK TITLE",
		Short: "Give a notebook another title",
		Args:  cmdline.Want("NOTEBOOK", "TITLE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.rename(cmd.Context(), args[0], args[1])
		},
	}
}

func (a *app) rename(ctx context.Context, name, title string) error {
	if err := cmdline.CheckTitle(title); err != nil {
		return fmt.Errorf("rename notebook %s: %w", name, err)
	}
	return a.onNotebook(ctx, "rename notebook", name, false, func(c *client.Client, id string) error {
		return c.Call(ctx, http.MethodPatch, client.NotebookPath(id), titled{title}, nil)
	})
}
