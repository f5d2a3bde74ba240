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
		Args: cmdline.Want("NOTEBOOK"),
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
	return a.onNotebook(ctx, "show the past of notebook", name, false, func(c *client.Client, id string) error {
		n, err := c.FoldTo(ctx, id, event.Seq(o.at))
		if err != nil {
			return err
		}
		return a.show(ctx, id, n, o.json)
	})
}

type watchOptions struct{ json, untilIdle bool }

func (a *app) watchCommand() *cobra.Command {
	var o watchOptions
	cmd := &cobra.Command{
		Use:   "watch NOTEBOOK",
		Short: "Follow a notebook: its changes, runs and output",
		Long: `Follow a notebook: a line for each change and each step of a run, and what
programs print as it comes. It goes on until ctrl-C, also while the server is away.`,
		Args: cmdline.Want("NOTEBOOK"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.watch(cmd.Context(), args[0], o) },
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "write the events as they are stored, one a line")
	cmd.Flags().BoolVar(&o.untilIdle, "until-idle", false, "end when no run waits or executes, at once if none does")
	return cmd
}

func (a *app) watch(ctx context.Context, name string, o watchOptions) error {
	return a.inNotebookOf(ctx, name, func(id string, j *terminal.Session) error {
		return terminal.Watch(ctx, j, o.untilIdle, terminal.StreamOf(a.stdout).Broken, a.watchPrinter(ctx, id, o))
	})
}

// watchPrinter returns the printer of events.
func (a *app) watchPrinter(ctx context.Context, notebook string, o watchOptions) func(*event.Event) {
	p := a.newPrinter(a.stderr)
	if !terminal.StreamOf(a.stdout).Terminal {
		p.Open = a.openArtifacts(ctx, notebook)
	}
	return func(e *event.Event) {
		if o.json {
			if data, err := event.Append(nil, e); err == nil { // a decoded event can be encoded
				fmt.Fprintf(a.stdout, "%s\n", data)
			}
			return
		}
		switch e.Payload.(type) {
		case *event.OutputAdded, *event.OutputAppended, *event.OutputStored, *event.DisplayUpdated:
			p.Event(e)
		default:
			p.Event(e)
			p.Block(terminal.EventLine(e, time.Local))
		}
	}
}
