package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/cellname"
	"github.com/quirehq/quire/cmd/quire/internal/client"
	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/host/terminal"
)

func (a *app) deleteCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "delete NOTEBOOK [CELL]",
		Short: "Delete a notebook, or one of its cells; restore undoes that",
		Long: `Delete a notebook, or with CELL only that cell. Nothing is lost: "quire restore"
undoes it. "quire purge" removes a notebook permanently.`,
		Example: "  quire delete k3x9ab\n  quire delete k3x9ab @2",
		Args:    cmdline.WantUpTo("NOTEBOOK", "CELL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return a.deleteCell(cmd.Context(), args[0], args[1])
			}
			return a.deleteNotebook(cmd.Context(), args[0])
		},
	}
}

// rmCommand is the earlier name of delete with a cell.
func (a *app) rmCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "rm NOTEBOOK CELL",
		Short:  "Delete a cell; restore undoes that",
		Args:   cmdline.Want("NOTEBOOK", "CELL"),
		Hidden: true,
		RunE:   func(cmd *cobra.Command, args []string) error { return a.deleteCell(cmd.Context(), args[0], args[1]) },
	}
}

func (a *app) deleteNotebook(ctx context.Context, name string) error {
	return a.onNotebook(ctx, "delete notebook", name, false, func(c *client.Client, id string) error {
		if err := c.Call(ctx, http.MethodDelete, client.NotebookPath(id), nil, nil); err != nil {
			return err
		}
		_, err := fmt.Fprintf(a.stderr, "notebook %s is deleted; `quire restore %s` restores it\n", id, id)
		return err
	})
}

func (a *app) deleteCell(ctx context.Context, name, cell string) error {
	return a.inNotebookOf(ctx, name, func(id string, j *terminal.Session) error {
		var deleted event.CellID
		err := j.Propose(ctx, func(n *notebook.Notebook) (event.Payload, error) {
			c, err := cellname.FindLive(n, cell)
			if err != nil {
				return nil, err
			}
			deleted = c.ID
			return &event.CellDeleted{Cell: c.ID}, nil
		})
		if err == nil {
			_, err = fmt.Fprintf(a.stderr, "cell %s is deleted; `quire restore %s %s` restores it\n", deleted, id, deleted)
		}
		return err
	})
}
