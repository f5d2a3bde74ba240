package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

func (a *app) restoreCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "restore NOTEBOOK CELL",
		Short: "Bring a deleted cell back, by its whole id",
		Long: `Bring a deleted cell back to its place, with the outputs that it had. The cell is
named by its whole id, which "quire log" has.`,
		Args: want("NOTEBOOK", "CELL"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.restore(cmd.Context(), args[0], args[1]) },
	}
}

func (a *app) restore(ctx context.Context, name, cell string) error {
	return a.inNotebook(ctx, name, func(j *joined) error {
		return j.with(ctx, func(n *notebook.Notebook) (event.Payload, error) {
			c, err := findCell(n, cell)
			if err != nil {
				return nil, err
			}
			return &event.CellRestored{Cell: c.ID}, nil
		})
	})
}
