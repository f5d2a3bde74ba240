package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

func (a *app) interruptCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "interrupt NOTEBOOK",
		Short: "Cancel all runs of a notebook; its variables stay",
		Long: `Cancel all runs of a notebook, those that wait and the one that executes. Its
variables stay, unless the program does not end when it is asked to: its engine is
then killed, and the next run starts a new one.`,
		Args: want("NOTEBOOK"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.interrupt(cmd.Context(), args[0]) },
	}
}

func (a *app) interrupt(ctx context.Context, name string) error {
	return a.inNotebook(ctx, name, func(j *joined) error {
		if len(j.copy().Queue()) == 0 {
			return nil
		}
		return j.with(ctx, func(*notebook.Notebook) (event.Payload, error) {
			return &event.AllRunsCancelled{}, nil
		})
	})
}
