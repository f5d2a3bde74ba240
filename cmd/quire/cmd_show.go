package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/replica"
)

type showOptions struct{ json, deleted bool }

func (a *app) showCommand() *cobra.Command {
	var o showOptions
	cmd := &cobra.Command{
		Use:   "show NOTEBOOK",
		Short: "Show a notebook's cells with their outputs",
		Long: `Show a notebook's cells with their outputs. Of a very long text a terminal gets the
beginning and the end; a pipe and a file get all of it.`,
		Args: want("NOTEBOOK"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.showNotebook(cmd.Context(), args[0], o) },
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "write JSON")
	cmd.Flags().BoolVar(&o.deleted, "deleted", false, "show the cells that were deleted instead, which \"quire restore\" brings back")
	return cmd
}

func (a *app) showNotebook(ctx context.Context, name string, o showOptions) error {
	return a.inNotebook(ctx, name, func(j *joined) error {
		if n := j.copy(); o.deleted && o.json {
			gone := []shownCell{}
			for _, c := range n.Deleted() {
				gone = append(gone, shownCellOf(n, c))
			}
			return writeJSON(a.stdout, gone)
		} else if o.deleted {
			return showDeleted(&rendered{to: streamOf(a.stdout)}, n)
		}
		return a.show(ctx, j.notebook, j.copy(), o.json)
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
