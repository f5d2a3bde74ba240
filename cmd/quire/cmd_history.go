package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/client"
	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/event"
)

type historyOptions struct {
	at   uint64
	json bool
}

func (a *app) historyCommand() *cobra.Command {
	var o historyOptions
	cmd := &cobra.Command{
		Use:   "history NOTEBOOK --at NUMBER",
		Short: "Show a notebook as it was",
		Long: `Show a notebook as it was right after the event with a number, which "quire log"
prints. Nothing is changed by that.`,
		Args: cmdline.Want("NOTEBOOK"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.history(cmd.Context(), args[0], o) },
	}
	cmd.Flags().Uint64Var(&o.at, "at", 0, "of the event")
	settings.Placeholder(cmd.Flags(), "at", "NUMBER")
	cmd.Flags().BoolVar(&o.json, "json", false, "write JSON")
	return cmd
}

func (a *app) history(ctx context.Context, name string, o historyOptions) error {
	if o.at == 0 {
		return fail(exitUsage, "show notebook %s as it was: --at says when; `quire log` prints the numbers", name)
	}
	return a.onNotebook(ctx, "show the past of notebook", name, false, func(c *client.Client, id string) error {
		n, err := c.FoldTo(ctx, id, event.Seq(o.at))
		if err != nil {
			return err
		}
		return a.show(ctx, id, n, o.json)
	})
}
