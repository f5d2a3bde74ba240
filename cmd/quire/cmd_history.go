package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/host/terminal"
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
		Args: want("NOTEBOOK"),
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
	return a.onNotebook(ctx, "show the past of notebook", name, false, func(c *client, id string) error {
		n, err := c.foldTo(ctx, id, event.Seq(o.at))
		if err != nil {
			return err
		}
		return a.show(ctx, id, n, o.json)
	})
}

// foldTo folds the log of a notebook up to a number.
func (c *client) foldTo(ctx context.Context, id string, at event.Seq) (*notebook.Notebook, error) {
	n := notebook.New()
	var changes []notebook.Change
	err := c.events(ctx, id, 0, func(line []byte) (bool, error) {
		e, err := event.Decode(line)
		if err != nil {
			return false, err
		}
		changes, _ = n.Apply(&e, changes[:0]) // a moot event changes nothing
		return n.Seq() < at, nil
	})
	if err == nil && n.Seq() < at {
		err = fail(exitDenied, "there is no event %d: the last is %d", at, n.Seq())
	}
	return n, err
}

// show writes a notebook for users or for scripts.
func (a *app) show(ctx context.Context, id string, n *notebook.Notebook, json bool) error {
	if json {
		return writeJSON(a.stdout, terminal.NotebookOf(id, n))
	}
	var open terminal.OpenArtifact
	if !terminal.StreamOf(a.stdout).Terminal {
		open = a.openArtifacts(ctx, id)
	}
	return terminal.Show(terminal.StreamOf(a.stdout).Rendered(), id, n, false, open)
}
