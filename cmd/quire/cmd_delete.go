package main

import (
	"context"
	"net/http"

	"github.com/spf13/cobra"
)

func (a *app) deleteCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "delete NOTEBOOK",
		Short: "Delete a notebook; undelete brings it back",
		Args:  want("NOTEBOOK"),
		RunE:  func(cmd *cobra.Command, args []string) error { return a.deleteNotebook(cmd.Context(), args[0]) },
	}
}

func (a *app) deleteNotebook(ctx context.Context, name string) error {
	return a.onNotebook(ctx, "delete notebook", name, false, func(c *client, id string) error {
		return c.call(ctx, http.MethodDelete, notebookPath(id), nil, nil)
	})
}

func (a *app) undeleteCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "undelete NOTEBOOK",
		Short: "Bring a deleted notebook back",
		Args:  want("NOTEBOOK"),
		RunE:  func(cmd *cobra.Command, args []string) error { return a.undelete(cmd.Context(), args[0]) },
	}
}

func (a *app) undelete(ctx context.Context, name string) error {
	return a.onNotebook(ctx, "bring back notebook", name, true, func(c *client, id string) error {
		return c.call(ctx, http.MethodPost, notebookPath(id)+"/restore", nil, nil)
	})
}
