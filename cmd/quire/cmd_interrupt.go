package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/cellname"
	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/host/terminal"
)

func (a *app) interruptCommand() *cobra.Command {
	var cells []string
	cmd := &cobra.Command{
		Use:   "interrupt NOTEBOOK",
		Short: "Cancel the runs of a notebook; its variables stay",
		Long: `Cancel all runs of a notebook, those that wait and the one that executes, or those
of some cells. Its variables stay, unless the program does not end when it is asked
to: its engine is then killed, and the next run starts a new one.`,
		Args: cmdline.Want("NOTEBOOK"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.interrupt(cmd.Context(), args[0], cells) },
	}
	cmd.Flags().StringArrayVar(&cells, "cell", nil, "cancel the run of this cell only; may be given again")
	settings.Placeholder(cmd.Flags(), "cell", "CELL")
	return cmd
}

func (a *app) interrupt(ctx context.Context, name string, cells []string) error {
	return a.inNotebook(ctx, name, func(j *terminal.Session) error {
		if len(cells) > 0 {
			return cancelCells(ctx, j, cells)
		}
		if len(j.Copy().Queue()) == 0 {
			return nil
		}
		return j.Propose(ctx, func(*notebook.Notebook) (event.Payload, error) {
			return &event.AllRunsCancelled{}, nil
		})
	})
}

// cancelCells cancels the runs of cells that are not over.
func cancelCells(ctx context.Context, j *terminal.Session, names []string) error {
	n := j.Copy()
	for _, name := range names {
		c, err := cellname.FindLive(n, name)
		if err != nil {
			return err
		}
		for _, run := range n.Queue() {
			if n.Run(run).Cell != c.ID {
				continue
			}
			err := j.Propose(ctx, func(*notebook.Notebook) (event.Payload, error) { return &event.RunCancelled{Run: run}, nil })
			if err != nil {
				return err
			}
		}
	}
	return nil
}
