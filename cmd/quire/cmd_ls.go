package main

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/client"
	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
	"github.com/quirehq/quire/cmd/quire/internal/namedfile"
	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/host/terminal"
)

type lsOptions struct{ json, deleted bool }

func (a *app) lsCommand() *cobra.Command {
	var o lsOptions
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List notebooks, those changed last first",
		Long: `List notebooks, those changed last first: the id, when it changed and the title, and
who has connected a runtime to it that the server did not start.`,
		Args: cmdline.Want(),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.ls(cmd.Context(), o) },
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "write JSON")
	cmd.Flags().BoolVar(&o.deleted, "deleted", false, "list the deleted ones instead")
	return cmd
}

func (a *app) ls(ctx context.Context, o lsOptions) error {
	c, err := a.client()
	if err != nil {
		return err
	}
	if only := client.TokenNotebook(c.Server.Token); only != "" {
		return fail(exitDenied, "list notebooks: the token is good for notebook %s only", only)
	}
	all, err := c.Notebooks(ctx, o.deleted)
	if err != nil {
		return fmt.Errorf("list notebooks: %w", err)
	}
	if o.json {
		if all == nil {
			all = []directory.Listing{}
		}
		return namedfile.WriteJSON(a.stdout, all)
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for _, n := range all {
		changed := time.UnixMilli(int64(n.Updated)).Format("2006-01-02 15:04")
		fmt.Fprintf(w, "%s\t%s\t%s", n.ID, changed, terminal.CleanLine(n.Title))
		if n.Brought != "" {
			fmt.Fprintf(w, "\truntime brought by %s", terminal.CleanLine(string(n.Brought)))
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}
