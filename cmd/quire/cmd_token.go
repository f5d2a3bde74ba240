package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/spf13/cobra"
)

type tokenOptions struct {
	notebook, role, name string
	expires              time.Duration
}

func (a *app) tokenCommand() *cobra.Command {
	o := tokenOptions{role: "viewer", expires: 30 * 24 * time.Hour}
	cmd := &cobra.Command{
		Use:   "token --notebook NOTEBOOK --name NAME",
		Short: "Print a token for a program, good for one notebook",
		Long: `Print a token for a program, good for one notebook. The program shows it as
QUIRE_TOKEN, or in the header "Authorization: Bearer". The server keeps no copy.`,
		Example: "  quire token --notebook k3x9ab --name nightly --role runner --expires 24h",
		Args:    want(),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.token(cmd.Context(), o) },
	}
	cmd.Flags().StringVar(&o.notebook, "notebook", "", "what the token is good for")
	placeholder(cmd.Flags(), "notebook", "NOTEBOOK")
	cmd.Flags().StringVar(&o.name, "name", "", "who the program is, in the log")
	placeholder(cmd.Flags(), "name", "NAME")
	cmd.Flags().StringVar(&o.role, "role", o.role, "what it may do: editor, runner or viewer")
	placeholder(cmd.Flags(), "role", "ROLE")
	cmd.Flags().DurationVar(&o.expires, "expires", o.expires, "how long it is good, such as 24h")
	placeholder(cmd.Flags(), "expires", "DURATION")
	return cmd
}

func (a *app) token(ctx context.Context, o tokenOptions) error {
	if o.notebook == "" || o.name == "" {
		return fail(exitUsage, "make token: --notebook and --name say what it is for; see `quire token --help`")
	}
	if o.expires < time.Second {
		return fail(exitUsage, "make token: --expires %s is too short: want 1s or more", o.expires)
	}
	return a.onNotebook(ctx, "make token for notebook", o.notebook, false, func(c *client, id string) error {
		in := map[string]any{
			"name": o.name, "notebook": id, "role": o.role, "expiresIn": int64(o.expires / time.Second),
		}
		var made struct {
			Token string `json:"token"`
		}
		if err := c.call(ctx, http.MethodPost, "/api/tokens", in, &made); err != nil {
			return err
		}
		_, err := fmt.Fprintln(a.stdout, made.Token)
		return err
	})
}
