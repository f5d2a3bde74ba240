package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/cellname"
	"github.com/quirehq/quire/cmd/quire/internal/client"
	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/command"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/host/terminal"
)

type restoreOptions struct {
	at     uint64
	dryRun bool
}

func (a *app) restoreCommand() *cobra.Command {
	var o restoreOptions
	cmd := &cobra.Command{
		Use:   "restore NOTEBOOK [CELL]",
		Short: "Restore a deleted notebook or cell, or an earlier state",
		Long: `Restore a deleted notebook, or with CELL a deleted cell of a notebook, in its place
and with the outputs that it had. The cell is named by its id or the beginning of it,
which "quire show --deleted" has.

With --at the notebook returns to its state right after the event with that number,
which "quire log" prints and "quire history" shows: its title, its cells with their
sources and outputs, their order and all that is set of them. What happened since
stays in the log, so that "quire restore" can take this back as well. Variables and
files are not touched. A line is written for each cell that changes; --dry-run writes
them and changes nothing.`,
		Example: "  quire restore k3x9ab\n  quire restore k3x9ab 7fd2c1aa\n  quire restore k3x9ab --at 120 --dry-run",
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("at") {
				return cmdline.Want("NOTEBOOK")(cmd, args)
			}
			return cmdline.WantUpTo("NOTEBOOK", "CELL")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("at") {
				return a.rewind(cmd.Context(), args[0], o)
			}
			if o.dryRun {
				return fail(exitUsage, "restore: --dry-run is for --at")
			}
			if len(args) > 1 {
				return a.restoreCell(cmd.Context(), args[0], args[1])
			}
			return a.restoreNotebook(cmd.Context(), args[0])
		},
	}
	cmd.Flags().Uint64Var(&o.at, "at", 0, "of the event after which the notebook was as it is to be")
	settings.Placeholder(cmd.Flags(), "at", "NUMBER")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "with --at: write what would change, and change nothing")
	return cmd
}

// undeleteCommand is the earlier name of restore with a notebook.
func (a *app) undeleteCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "undelete NOTEBOOK",
		Short:  "Restore a deleted notebook",
		Args:   cmdline.Want("NOTEBOOK"),
		Hidden: true,
		RunE:   func(cmd *cobra.Command, args []string) error { return a.restoreNotebook(cmd.Context(), args[0]) },
	}
}

// restoreNotebook restores a deleted notebook. For one that is not deleted it says how to name a
// cell or a state.
func (a *app) restoreNotebook(ctx context.Context, name string) error {
	there := a.onNotebook(ctx, "", name, false, func(c *client.Client, id string) error {
		return c.Call(ctx, http.MethodGet, client.NotebookPath(id), nil, new(struct{}))
	})
	if there == nil {
		return fail(exitFailed, "restore notebook %s: it is not deleted: name a cell, which `quire show --deleted` lists, or a state with --at NUMBER", name)
	}
	return a.onNotebook(ctx, "restore notebook", name, true, func(c *client.Client, id string) error {
		return c.Call(ctx, http.MethodPost, client.NotebookPath(id)+"/restore", nil, nil)
	})
}

func (a *app) restoreCell(ctx context.Context, name, cell string) error {
	return a.inNotebook(ctx, name, func(j *terminal.Session) error {
		return j.Propose(ctx, func(n *notebook.Notebook) (event.Payload, error) {
			c, err := cellname.FindDeleted(n, cell)
			if err != nil {
				return nil, err
			}
			if !c.Deleted {
				return nil, fail(exitFailed, "cell %s is not deleted", c.ID)
			}
			return &event.CellRestored{Cell: c.ID}, nil
		})
	})
}

// rewind returns a notebook to an earlier state.
func (a *app) rewind(ctx context.Context, name string, o restoreOptions) error {
	if o.at == 0 {
		return fail(exitUsage, "restore notebook %s: --at 0 is before the first event, where there is nothing", name)
	}
	return a.inNotebookOf(ctx, name, func(id string, j *terminal.Session) error {
		c, err := a.client()
		if err != nil {
			return err
		}
		then, err := c.FoldTo(ctx, id, event.Seq(o.at))
		if err != nil {
			return err
		}
		was, payloads, ids, err := rewind(j, then, o.dryRun)
		if err != nil {
			return err
		}
		if len(payloads) == 0 {
			_, err = fmt.Fprintf(a.stderr, "nothing differs from what it was at %d\n", o.at)
			return err
		}
		if err := j.Committed(ctx, ids...); err != nil {
			return err
		}
		if err := writeChanges(terminal.StreamOf(a.stdout).Rendered(), was, payloads); err != nil {
			return err
		}
		if o.dryRun {
			_, err = fmt.Fprintln(a.stderr, "nothing was changed")
			return err
		}
		_, err = fmt.Fprintf(a.stderr, "it is as it was at %d; `quire restore %s --at %d` takes that back\n", o.at, name, was.Seq())
		return err
	})
}

// rewind proposes the events that return the notebook to an earlier state, in one batch. A dry run
// only finds them. It returns the notebook as it was before.
func rewind(j *terminal.Session, then *notebook.Notebook, dry bool) (was *notebook.Notebook, payloads []event.Payload, ids []event.ID, err error) {
	err = j.With(func(r *replica.Replica) error {
		if !r.Role().May(access.Edit) {
			return fail(exitDenied, "the role %s may not do this", r.Role())
		}
		if len(r.View().Queue()) > 0 {
			return fail(exitFailed, "cells are running: wait for them, or end them with `quire interrupt`")
		}
		was = r.View().Clone()
		var err error
		if payloads, err = command.Rewind(was, then, r.Role()); err != nil || dry {
			return err
		}
		for _, p := range payloads {
			id, _, err := r.Do(p)
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
		return nil
	})
	return was, payloads, ids, err
}

// writeChanges writes the changes of events: a line for the notebook, and one for each cell.
func writeChanges(w io.Writer, n *notebook.Notebook, payloads []event.Payload) error {
	var cells []event.CellID
	changes := map[event.CellID][]string{}
	for _, p := range payloads {
		id, what := changeOf(p)
		if changes[id] == nil {
			cells = append(cells, id)
		}
		changes[id] = append(changes[id], what)
	}
	for _, id := range cells {
		name := "cell " + string(id)
		switch i := slices.Index(n.Cells(), id); {
		case id == "":
			name = "notebook"
		case i >= 0:
			name = fmt.Sprintf("cell @%d %s", i+1, id)
		}
		if _, err := fmt.Fprintf(w, "%s: %s\n", name, strings.Join(changes[id], ", ")); err != nil {
			return err
		}
	}
	return nil
}

// changeOf returns which cell an event of [command.Rewind] changes, none for the notebook, and how.
func changeOf(p event.Payload) (event.CellID, string) {
	switch p := p.(type) {
	case *event.NotebookTitled:
		return "", fmt.Sprintf("title %q", p.Title)
	case *event.NotebookMetadataSet:
		return "", "metadata " + p.Key
	case *event.CellDeleted:
		return p.Cell, "deleted, for it was not there"
	case *event.CellRestored:
		return p.Cell, "restored"
	case *event.CellMoved:
		return p.Cell, "moved"
	case *event.CellKindChanged:
		return p.Cell, "kind " + string(p.Kind)
	case *event.CellLanguageChanged:
		return p.Cell, fmt.Sprintf("language %q", p.Language)
	case *event.CellVisibilitySet:
		return p.Cell, "visibility"
	case *event.CellMetadataSet:
		return p.Cell, "metadata " + p.Key
	case *event.SourceEdited:
		return p.Cell, "source"
	case *event.CellOutputsCleared:
		return p.Cells[0], "outputs cleared"
	case *event.OutputsImported:
		return p.Cell, "outputs as they were"
	}
	return "", string(p.Type())
}
