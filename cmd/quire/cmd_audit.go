package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/host/server"
	"github.com/quirehq/quire/host/terminal"
)

type auditOptions struct {
	since, actor, kind string
	json               bool
}

func (a *app) auditCommand() *cobra.Command {
	var o auditOptions
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Show who has done what on the server",
		Long: `Show who has signed in or failed to, made links and tokens, run cells, exported,
deleted or purged notebooks, and changed limits: when, from which address, and in
which notebook. There is no code and no secret in it. Only the owner may ask.

The record is the file audit.jsonl of the data directory, with those before it once
it has 16 MiB. A line is written as the act is done, and is on the disk a second
later at most.`,
		Example: "  quire audit --since 24h\n  quire audit --kind sign-in --json",
		Args:    cmdline.Want(),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.audit(cmd.Context(), o) },
	}
	cmdline.StringFlag(cmd.Flags(), &o.since, "since", "TIME", "only acts after a time such as 2030-01-02T15:04:05Z, or in a span such as 24h")
	cmdline.StringFlag(cmd.Flags(), &o.actor, "actor", "NAME", "only acts of one actor, such as person:owner or owner")
	cmdline.StringFlag(cmd.Flags(), &o.kind, "kind", "KIND", "only one kind of act, such as sign-in, token, run, export, delete or purge")
	cmd.Flags().BoolVar(&o.json, "json", false, "write each as a line of JSON")
	return cmd
}

func (a *app) audit(ctx context.Context, o auditOptions) error {
	query := url.Values{}
	for name, value := range map[string]string{"actor": o.actor, "kind": o.kind} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if o.since != "" {
		since, err := sinceOf(o.since, time.Now())
		if err != nil {
			return err
		}
		query.Set("since", since)
	}
	c, err := a.client()
	if err != nil {
		return err
	}
	var out server.Acts
	if err := c.Call(ctx, http.MethodGet, "/api/audit?"+query.Encode(), nil, &out); err != nil {
		return err
	}
	for _, act := range out.Acts {
		if err := a.writeAct(act, o.json); err != nil {
			return err
		}
	}
	if out.More {
		fmt.Fprintf(a.stderr, "there are more: ask for those --since %s\n", out.Acts[len(out.Acts)-1].Time.Format(time.RFC3339Nano))
	}
	return nil
}

// sinceOf returns a time that is given as such, or by how long ago it was.
func sinceOf(text string, now time.Time) (string, error) {
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return at.Format(time.RFC3339Nano), nil
	}
	span, err := settings.ParseDuration(text)
	if err != nil {
		return "", fail(exitUsage, "audit: --since %q is neither a time such as 2030-01-02T15:04:05Z nor a span such as 24h", text)
	}
	return now.Add(-span).Format(time.RFC3339Nano), nil
}

func (a *app) writeAct(act server.Act, asJSON bool) error {
	if asJSON {
		line, err := json.Marshal(act)
		if err == nil {
			_, err = fmt.Fprintf(a.stdout, "%s\n", line)
		}
		return err
	}
	words := []string{act.Time.Local().Format(time.DateTime), act.Kind}
	if act.Failed != "" {
		words = append(words, "failed ("+act.Failed+")")
	}
	for _, pair := range [][2]string{{"by", string(act.Actor)}, {"from", act.From}, {"notebook", act.Notebook}} {
		if pair[1] != "" {
			words = append(words, pair[0]+" "+pair[1])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(act.Detail)) {
		words = append(words, name+" "+act.Detail[name])
	}
	_, err := fmt.Fprintln(a.stdout, terminal.CleanLine(strings.Join(words, " ")))
	return err
}
