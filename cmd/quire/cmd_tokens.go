package main

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/host/server"
	"github.com/quirehq/quire/host/terminal"
)

func (a *app) tokenLsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List the tokens that are good, the latest first: id, role, notebook, who, and when made, used and ending",
		Args:  want(),
		RunE:  a.begin(func(cmd *cobra.Command, _ []string) error { return a.listTokens(cmd.Context(), asJSON) }),
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

func (a *app) listTokens(ctx context.Context, asJSON bool) error {
	c, err := a.client()
	if err != nil {
		return err
	}
	var list server.TokenList
	if err := c.call(ctx, http.MethodGet, "/api/tokens", nil, &list); err != nil {
		return fmt.Errorf("list tokens: %w", err)
	}
	if asJSON {
		return writeJSON(a.stdout, list.Tokens)
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for _, t := range list.Tokens {
		who := terminal.CleanLine(string(t.Kind) + ":" + t.Name)
		role := string(t.Role)
		if t.Brings {
			role += ", brings runtimes"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\tmade %s\tused %s\tends %s\n", t.ID, role, cmp.Or(t.Notebook, "all"), who, minute(t.Created), minute(t.Used), minute(t.Expires))
	}
	return w.Flush()
}

// minute is a time for a table, in seconds since 1970; 0 is never.
func minute(seconds int64) string {
	if seconds == 0 {
		return "never"
	}
	return time.Unix(seconds, 0).Format("2006-01-02 15:04")
}

func (a *app) tokenRevokeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "revoke ID",
		Short: "Take a token back, and end the connections that were opened with it",
		Args:  want("ID"),
		RunE: a.begin(func(cmd *cobra.Command, args []string) error {
			c, err := a.client()
			if err == nil {
				err = c.call(cmd.Context(), http.MethodDelete, "/api/tokens/"+url.PathEscape(args[0]), nil, nil)
			}
			if err != nil {
				return fmt.Errorf("revoke token %s: %w", args[0], err)
			}
			return nil
		}),
	}
}
