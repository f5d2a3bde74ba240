package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/host/terminal"
)

type restoreOptions struct {
	at     uint64
	dryRun bool
}

func (a *app) restoreCommand() *cobra.Command {
	var o restoreOptions
	cmd := &cobra.Command{
		Use:   "restore NOTEBOOK CELL|--at NUMBER",
		Short: "Bring a deleted cell back, or the notebook as it was",
		Long: `Bring a deleted cell back to its place, with the outputs that it had. The cell is
named by its id or the beginning of it, which "quire show --deleted" has.

With --at the notebook becomes what it was right after the event with that number,
which "quire log" prints and "quire history" shows: its title, its cells with their
sources and outputs, their order and all that is set of them. What happened since
stays in the log, so that "quire restore" can take this back as well. Variables and
files are not touched. A line is written for each cell that changes; --dry-run writes
them and changes nothing.`,
		Example: "  quire restore k3x9ab 7fd2c1aa\n  quire restore k3x9ab --at 120 --dry-run",
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("at") {
				return want("NOTEBOOK")(cmd, args)
			}
			return want("NOTEBOOK", "CELL")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("at") {
				return a.rewind(cmd.Context(), args[0], o)
			}
			if o.dryRun {
				return fail(exitUsage, "restore: --dry-run is for --at")
			}
			return a.restore(cmd.Context(), args[0], args[1])
		},
	}
	cmd.Flags().Uint64Var(&o.at, "at", 0, "of the event after which the notebook was as it is to be")
	settings.Placeholder(cmd.Flags(), "at", "NUMBER")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "with --at: write what would change, and change nothing")
	return cmd
}

func (a *app) restore(ctx context.Context, name, cell string) error {
	return a.inNotebook(ctx, name, func(j *terminal.Session) error {
		return j.Propose(ctx, func(n *notebook.Notebook) (event.Payload, error) {
			c, err := findDeleted(n, cell)
			if err != nil {
				return nil, err
			}
			if !c.Deleted {
				return nil, fail(exitFailed, "cell %s is not deleted", c.ID)
			}
			return &event.CellRestored{Cell: c.ID}, nil
		})
	})
}
