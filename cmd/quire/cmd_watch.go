package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/host/terminal"
)

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
