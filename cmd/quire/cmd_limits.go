package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/client"
	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
	"github.com/quirehq/quire/cmd/quire/internal/namedfile"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/host/server"
	"github.com/quirehq/quire/host/terminal"
)

func (a *app) limitsCommand() *cobra.Command {
	var change server.LimitValues
	asJSON := false
	cmd := &cobra.Command{
		Use:   "limits NOTEBOOK",
		Short: "Show or set what the runtimes of a notebook may use",
		Long: `Show or set what the runtimes of a notebook may use. A limit that is given is set,
"none" takes it away, and the others stay. None can be above the one that the
server was started with. They hold from the next start of the runtime on; "quire
restart" makes that be now.`,
		Example: "  quire limits k3x9ab --memory 2G --run-time 10m\n  quire limits k3x9ab --memory none",
		Args:    cmdline.Want("NOTEBOOK"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.limits(cmd.Context(), args[0], change, asJSON)
		},
	}
	settings.AddLimits(cmd.Flags(), &change)
	jsonFlag(cmd, &asJSON)
	return cmd
}

func (a *app) limits(ctx context.Context, name string, change server.LimitValues, asJSON bool) error {
	if err := settings.CheckChange(change); err != nil {
		return fail(exitUsage, "limits of notebook %s: %w", name, err)
	}
	return a.onNotebook(ctx, "limits of notebook", name, false, func(c *client.Client, id string) error {
		var now server.NotebookLimits
		path := client.NotebookPath(id) + "/limits"
		if err := c.Call(ctx, http.MethodGet, path, nil, &now); err != nil {
			return err
		}
		if change != (server.LimitValues{}) {
			own := settings.Changed(now.Own, change)
			now = server.NotebookLimits{} // else the fields that the answer leaves out would stay
			if err := c.Call(ctx, http.MethodPut, path, own, &now); err != nil {
				return err
			}
		}
		if asJSON {
			return namedfile.WriteJSON(a.stdout, now)
		}
		if err := a.printLimits(now.Own, now.Most); err != nil || now.Brought == "" {
			return err
		}
		_, err := fmt.Fprintf(a.stdout, "They do not hold for the runtime that is there, which was brought by %s: it has the limits that it was started with, which the server does not know.\n", terminal.CleanLine(string(now.Brought)))
		return err
	})
}

// printLimits writes a line for each limit: its name, the one that counts, and that of the server.
func (a *app) printLimits(own, most server.LimitValues) error {
	for _, l := range settings.LimitsOf(own, most) {
		line := fmt.Sprintf("%-16s %-8s", l.Name, l.Holds)
		if l.Most != "" {
			line += " (the server allows " + l.Most + ")"
		}
		if _, err := fmt.Fprintln(a.stdout, strings.TrimRight(line, " ")); err != nil {
			return err
		}
	}
	return nil
}
