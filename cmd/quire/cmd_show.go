package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/replica"
)

type showOptions struct{ json bool }

func (a *app) showCommand() *cobra.Command {
	var o showOptions
	cmd := &cobra.Command{
		Use:   "show NOTEBOOK",
		Short: "Show a notebook's cells with their outputs",
		Args:  want("NOTEBOOK"),
		RunE:  func(cmd *cobra.Command, args []string) error { return a.showNotebook(cmd.Context(), args[0], o) },
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "write JSON")
	return cmd
}

func (a *app) showNotebook(ctx context.Context, name string, o showOptions) error {
	return a.inNotebook(ctx, name, func(j *joined) error {
		return a.show(j.notebook, j.copy(), o.json)
	})
}

// copy returns the notebook as it is in the log.
func (j *joined) copy() *notebook.Notebook {
	var n *notebook.Notebook
	_ = j.With(func(r *replica.Replica) error {
		n = r.Confirmed().Clone()
		return nil
	})
	return n
}
