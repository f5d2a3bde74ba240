package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/client"
	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/redact"
	"github.com/quirehq/quire/host/server"
)

type purgeOptions struct{ yes, secret bool }

func (a *app) purgeCommand() *cobra.Command {
	var o purgeOptions
	cmd := &cobra.Command{
		Use:   "purge NOTEBOOK --yes",
		Short: "Remove a notebook for good, with its history, or a secret from it",
		Long: `Remove a notebook for good: its log with all history, snapshots, artifacts that no
other notebook has, its files, and the logs of its runtimes. Nothing brings it back,
and its id is never used again. One that is deleted is named by its whole id. Only
its owner may, and the act is recorded. Browsers that had it open remove their
copies, at once or when they come back. Copies elsewhere stay: backups and
exports.

With --secret a text is read from stdin, and only that is removed: the notebook as
it is now becomes a new one, with "[removed]" for each place that has the text, and
the old one is purged, since its history has the text too. The id of the new one
goes to stdout, and how often the text was found to stderr. It is found with its
characters escaped as in JSON, addresses or HTML, in hexadecimal and in base64, also
within the bytes of a picture, which has others there then. It is not found where it
is compressed, encrypted or drawn. Replace a password or key where it is used as
well: others may have read it.`,
		Example: "  quire purge k3x9ab --yes\n  printf %s \"$LEAKED\" | quire purge k3x9ab --secret --yes",
		Args:    cmdline.Want("NOTEBOOK"),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.purge(cmd.Context(), args[0], o) },
	}
	cmd.Flags().BoolVar(&o.yes, "yes", false, "do it, although nothing brings it back")
	cmd.Flags().BoolVar(&o.secret, "secret", false, "remove a text that is read from stdin, and the history")
	return cmd
}

func (a *app) purge(ctx context.Context, name string, o purgeOptions) error {
	if !o.yes {
		return fail(exitUsage, "purge: nothing brings a purged notebook back: add --yes if that is meant, or use `quire delete`, which `quire restore` undoes")
	}
	secret := ""
	if o.secret {
		var err error
		if secret, err = a.readSecret(); err != nil {
			return err
		}
	}
	return a.onNotebook(ctx, "purge notebook", name, false, func(c *client.Client, id string) error {
		if o.secret {
			copied, places, err := copyWithout(ctx, c, id, secret)
			if err != nil {
				return err
			}
			fmt.Fprintln(a.stdout, copied)
			fmt.Fprintln(a.stderr, "places of what the notebook is now that had the text:", places)
		}
		return c.Call(ctx, http.MethodPost, client.NotebookPath(id)+"/purge", nil, nil)
	})
}

// leastSecret and mostSecret are how long a text may be: a shorter one is in too many places
// by chance, and a longer one has too many forms.
const (
	leastSecret = 4
	mostSecret  = 1 << 10
)

// readSecret reads one line.
func (a *app) readSecret() (string, error) {
	data, err := io.ReadAll(io.LimitReader(a.stdin, mostSecret+2))
	if err != nil {
		return "", fmt.Errorf("read the secret: %w", err)
	}
	secret := strings.TrimRight(string(data), "\r\n")
	if len(secret) < leastSecret || len(secret) > mostSecret || strings.ContainsAny(secret, "\r\n") {
		return "", fail(exitUsage, "purge: stdin must have the secret in one line of at least %d characters and %d at most", leastSecret, mostSecret)
	}
	return secret, nil
}

// copyWithout makes a copy of a notebook without a text, and returns its id.
func copyWithout(ctx context.Context, c *client.Client, id, secret string) (copied string, places int, err error) {
	data, err := c.Send(ctx, http.MethodGet, client.NotebookPath(id)+"/export?format=ipynb", nil)
	if err != nil {
		return "", 0, err
	}
	clean, places, err := without(data, secret)
	if err != nil {
		return "", 0, err
	}
	answer, err := c.SendAs(ctx, http.MethodPost, "/api/notebooks/import?format=ipynb", "application/x-ipynb+json", clean)
	if err != nil {
		return "", 0, err
	}
	var l directory.Listing
	if err := json.Unmarshal(answer, &l); err != nil {
		return "", 0, fmt.Errorf("read the imported notebook: %w", err)
	}
	return l.ID, places, trustAs(ctx, c, id, l.ID)
}

// trustAs has a notebook be trusted if another is, in whose place it comes.
func trustAs(ctx context.Context, c *client.Client, old, id string) error {
	var now server.NotebookTrust
	if err := c.Call(ctx, http.MethodGet, client.NotebookPath(old)+"/trust", nil, &now); err != nil || !now.Trusted {
		return nil // a server that starts no runtimes knows of no trust
	}
	return c.Call(ctx, http.MethodPut, client.NotebookPath(id)+"/trust", server.Trust{Trusted: true}, &now)
}

// without returns JSON in which no text has the secret in any form that is looked for, and in
// how many places it was.
func without(data []byte, secret string) (clean []byte, places int, err error) {
	text, err := redact.New(secret)
	if err != nil {
		return nil, 0, fmt.Errorf("look for the secret: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, 0, fmt.Errorf("read the notebook: %w", err)
	}
	v, places = text.CleanJSON(v)
	clean, err = json.Marshal(v)
	return clean, places, err
}
