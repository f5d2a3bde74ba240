package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/cellname"
	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/host/terminal"
)

type mvOptions struct {
	after       string
	first, last bool
}

func (a *app) mvCommand() *cobra.Command {
	var o mvOptions
	cmd := &cobra.Command{
		Use:     "mv NOTEBOOK CELL --after CELL|--first|--last",
		Short:   "Move a cell",
		Example: "  quire mv k3x9ab @3 --after @1",
		Args:    cmdline.Want("NOTEBOOK", "CELL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.mv(cmd.Context(), args[0], args[1], o)
		},
	}
	cmdline.StringFlag(cmd.Flags(), &o.after, "after", "CELL", "put it after this cell")
	cmd.Flags().BoolVar(&o.first, "first", false, "put it before all others")
	cmd.Flags().BoolVar(&o.last, "last", false, "put it after all others")
	cmdline.Exclusive(cmd, "after", "first", "last")
	return cmd
}

func (a *app) mv(ctx context.Context, name, cell string, o mvOptions) error {
	if o == (mvOptions{}) {
		return fail(exitUsage, "move cell %s: say where with --after CELL, --first or --last", cell)
	}
	return a.inNotebook(ctx, name, func(j *terminal.Session) error {
		return j.Propose(ctx, func(n *notebook.Notebook) (event.Payload, error) {
			c, err := cellname.FindLive(n, cell)
			if err != nil {
				return nil, err
			}
			at := 0
			if !o.first {
				if at, err = indexAfter(n, o.after); err != nil {
					return nil, err
				}
			}
			key, err := n.Between(at)
			return &event.CellMoved{Cell: c.ID, Order: key}, err
		})
	})
}
