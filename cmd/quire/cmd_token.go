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

	"github.com/quirehq/quire/cmd/quire/internal/client"
	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
	"github.com/quirehq/quire/cmd/quire/internal/namedfile"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/host/server"
	"github.com/quirehq/quire/host/terminal"
)

type tokenOptions struct {
	notebook, role, name string
	expires              time.Duration
	brings, json         bool
}

// maxExpires is the longest time that a server makes a token for.
const maxExpires = 366 * 24 * time.Hour

// tokenRoles are the roles that a token can have.
var tokenRoles = []string{string(access.Editor), string(access.Runner), string(access.Viewer)}

func (a *app) tokenCommand() *cobra.Command {
	o := tokenOptions{role: "viewer", expires: 30 * 24 * time.Hour}
	cmd := &cobra.Command{
		Use:   "token --notebook NOTEBOOK --name NAME",
		Short: "Print a token for a program, good for one notebook",
		Long: `Print a token for a program, good for one notebook. The program shows it as
QUIRE_TOKEN, or in the header "Authorization: Bearer". The server keeps no copy:
"quire token ls" says which there are, and "quire token revoke" takes one back.`,
		Example: "  quire token --notebook k3x9ab --name nightly --role runner --expires 24h",
		Args:    cmdline.Want(),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.token(cmd.Context(), o) },
	}
	cmdline.StringFlag(cmd.Flags(), &o.notebook, "notebook", "NOTEBOOK", "what the token is good for")
	cmdline.StringFlag(cmd.Flags(), &o.name, "name", "NAME", "who the program is, in the log")
	cmd.Flags().StringVar(&o.role, "role", o.role, "its role: editor, runner or viewer")
	settings.Placeholder(cmd.Flags(), "role", "ROLE")
	cmd.Flags().DurationVar(&o.expires, "expires", o.expires, "how long it is good, such as 24h")
	settings.Placeholder(cmd.Flags(), "expires", "DURATION")
	cmd.Flags().BoolVar(&o.brings, "bring-runtimes", false, "let an editor attach runtimes, which get the code of all users and their answers to questions")
	jsonFlag(cmd, &o.json)
	cmd.AddCommand(a.tokenLsCommand(), a.tokenRevokeCommand())
	return cmd
}

func (a *app) token(ctx context.Context, o tokenOptions) error {
	if o.notebook == "" || o.name == "" {
		return fail(exitUsage, "make token: --notebook and --name say what it is for; see `quire token --help`")
	}
	if o.expires < time.Second {
		return fail(exitUsage, "make token: --expires %s is too short: want 1s or more", o.expires)
	}
	if o.expires > maxExpires {
		return fail(exitUsage, "make token: --expires %s is too long: want %s or less", o.expires, maxExpires)
	}
	if err := cmdline.OneOf("role", o.role, tokenRoles...); err != nil {
		return fmt.Errorf("make token: %w", err)
	}
	if o.brings && o.role != string(access.Editor) {
		return fail(exitUsage, "make token: --bring-runtimes is for the role editor")
	}
	if err := event.CheckName("--name", o.name); err != nil {
		return fail(exitUsage, "make token: %w", err)
	}
	return a.onNotebook(ctx, "make token for notebook", o.notebook, false, func(c *client.Client, id string) error {
		in := map[string]any{
			"name": o.name, "notebook": id, "role": o.role, "expiresIn": int64(o.expires / time.Second),
		}
		if o.brings { // a server that does not know it need not hear of it
			in["brings"] = true
		}
		var made struct {
			Token   string `json:"token"`
			Expires int64  `json:"expires"`
		}
		if err := c.Call(ctx, http.MethodPost, "/api/tokens", in, &made); err != nil {
			return err
		}
		return a.printID(made.Token, made, o.json)
	})
}

func (a *app) tokenLsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List the tokens that are good, the latest first: id, role, notebook, who, and when made, used and ending",
		Args:  cmdline.Want(),
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
	if err := c.Call(ctx, http.MethodGet, "/api/tokens", nil, &list); err != nil {
		return fmt.Errorf("list tokens: %w", err)
	}
	if asJSON {
		return namedfile.WriteJSON(a.stdout, list.Tokens)
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
		Args:  cmdline.Want("ID"),
		RunE: a.begin(func(cmd *cobra.Command, args []string) error {
			c, err := a.client()
			if err == nil {
				err = c.Call(cmd.Context(), http.MethodDelete, "/api/tokens/"+url.PathEscape(args[0]), nil, nil)
			}
			if err != nil {
				return fmt.Errorf("revoke token %s: %w", args[0], err)
			}
			return nil
		}),
	}
}

func (a *app) linkCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "link",
		Short: "Print a new link that signs a browser in, once",
		Args:  cmdline.Want(),
		RunE:  func(cmd *cobra.Command, _ []string) error { return a.link(cmd.Context()) },
	}
}

func (a *app) link(ctx context.Context) error {
	c, err := a.client()
	if err != nil {
		return err
	}
	var made struct {
		URL string `json:"url"`
	}
	if err := c.Call(ctx, http.MethodPost, "/api/links", nil, &made); err != nil {
		return fmt.Errorf("make link: %w", err)
	}
	_, err = fmt.Fprintln(a.stdout, made.URL)
	return err
}
