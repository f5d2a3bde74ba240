package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/client"
	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/host/terminal"
)

type logOptions struct {
	json  bool
	after uint64
}

func (a *app) logCommand() *cobra.Command {
	var o logOptions
	cmd := &cobra.Command{
		Use:   "log NOTEBOOK",
		Short: "Print the events of a notebook, one a line",
		Args:  cmdline.Want("NOTEBOOK"),
		RunE:  func(cmd *cobra.Command, args []string) error { return a.log(cmd.Context(), args[0], o) },
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "write the events as they are stored")
	cmd.Flags().Uint64Var(&o.after, "after", 0, "begin behind the event with this number")
	settings.Placeholder(cmd.Flags(), "after", "NUMBER")
	return cmd
}

func (a *app) log(ctx context.Context, name string, o logOptions) error {
	return a.onNotebook(ctx, "read log of notebook", name, false, func(c *client.Client, id string) error {
		return c.Events(ctx, id, event.Seq(o.after), func(line []byte) (bool, error) {
			if o.json {
				_, err := fmt.Fprintf(a.stdout, "%s\n", line)
				return err == nil, err
			}
			e, err := event.Decode(line)
			if err == nil {
				_, err = fmt.Fprintln(a.stdout, terminal.EventLine(&e, time.Local))
			}
			return err == nil, err
		})
	})
}
