package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/client"
	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
	"github.com/quirehq/quire/cmd/quire/internal/namedfile"
	"github.com/quirehq/quire/host/server"
)

func (a *app) trustCommand() *cobra.Command {
	withdraw, show, asJSON := false, false, false
	cmd := &cobra.Command{
		Use:   "trust NOTEBOOK",
		Short: "Let the programs of a notebook do what yours may",
		Long: `Let the programs of a notebook do what yours may. One that was imported, or copied
from one that was, may hold code that you do not know. Until you
trust it, its programs run in the sandbox where bubblewrap works: they read the
system, read and write the files of their notebook, and have no network. See "quire
serve --help".

This is not Jupyter's trust, which is about the outputs that a page may show.

Read its code first. Trust is of one notebook: one that is exported, imported or
copied has none. It holds from the next start of the runtime on; "quire
restart" makes that be now.`,
		Example: "  quire trust k3x9ab\n  quire trust k3x9ab --show\n  quire trust k3x9ab --withdraw",
		Args:    cmdline.Want("NOTEBOOK"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.trust(cmd.Context(), args[0], withdraw, show, asJSON)
		},
	}
	cmd.Flags().BoolVar(&withdraw, "withdraw", false, "trust it no more")
	cmd.Flags().BoolVar(&show, "show", false, "say what holds, and change nothing")
	jsonFlag(cmd, &asJSON)
	cmdline.Exclusive(cmd, "withdraw", "show")
	return cmd
}

func (a *app) trust(ctx context.Context, name string, withdraw, show, asJSON bool) error {
	return a.onNotebook(ctx, "trust notebook", name, false, func(c *client.Client, id string) error {
		var now server.NotebookTrust
		method, body := http.MethodPut, any(server.Trust{Trusted: !withdraw})
		if show {
			method, body = http.MethodGet, nil
		}
		if err := c.Call(ctx, method, client.NotebookPath(id)+"/trust", body, &now); err != nil {
			return err
		}
		if asJSON {
			return namedfile.WriteJSON(a.stdout, now)
		}
		_, err := fmt.Fprintln(a.stdout, trustText(now))
		return err
	})
}

// trustText describes the trust that holds from the next start of the runtime on.
func trustText(now server.NotebookTrust) string {
	switch {
	case now.Trusted && now.Sandboxed:
		return "trusted, and its programs run in the sandbox, as those of all notebooks of this server"
	case now.Trusted:
		return "trusted: its programs may do what yours may"
	case now.Sandboxed:
		return "not trusted: its programs run in the sandbox"
	}
	return "not trusted, but its programs may do what yours may: the server was started with --trust-imports, or there can be no sandbox (see its log)"
}
