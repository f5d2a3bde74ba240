package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/host/terminal"
)

func (a *app) rmCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "rm NOTEBOOK CELL",
		Short: "Delete a cell; restore brings it back",
		Args:  want("NOTEBOOK", "CELL"),
		RunE:  func(cmd *cobra.Command, args []string) error { return a.rm(cmd.Context(), args[0], args[1]) },
	}
}

func (a *app) rm(ctx context.Context, name, cell string) error {
	return a.inNotebook(ctx, name, func(j *terminal.Session) error {
		return j.Propose(ctx, func(n *notebook.Notebook) (event.Payload, error) {
			c, err := findLive(n, cell)
			if err != nil {
				return nil, err
			}
			return &event.CellDeleted{Cell: c.ID}, nil
		})
	})
}
