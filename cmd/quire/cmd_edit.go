package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/host/terminal"
)

type editOptions struct{ set string }

func (a *app) editCommand() *cobra.Command {
	var o editOptions
	cmd := &cobra.Command{
		Use:   "edit NOTEBOOK CELL",
		Short: "Edit a cell's source in your editor",
		Long: `Edit a cell's source in your editor (VISUAL or EDITOR, else vi). What you changed
is merged with what others changed while the editor was open. With --set the
source becomes a text, without an editor.`,
		Example: "  quire edit k3x9ab @2\n  quire edit k3x9ab @2 --set 'x = 1'",
		Args:    want("NOTEBOOK", "CELL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("set") {
				return a.setSource(cmd.Context(), args[0], args[1], o.set)
			}
			return a.editSource(cmd.Context(), args[0], args[1])
		},
	}
	stringFlag(cmd.Flags(), &o.set, "set", "TEXT", "what the source becomes; - reads it from stdin")
	return cmd
}

func (a *app) setSource(ctx context.Context, name, cell, source string) error {
	source, err := a.text(source)
	if err != nil {
		return fmt.Errorf("edit cell %s: %w", cell, err)
	}
	return a.inNotebook(ctx, name, func(j *terminal.Session) error {
		c, err := findLive(j.Copy(), cell)
		if err != nil {
			return err
		}
		return applySource(ctx, j, c.ID, c.Source(), source)
	})
}

// editSource lets a person edit a cell while the session goes on. What they wrote
// is never lost: if it cannot be applied, it stays in the file and the error says
// where that is.
func (a *app) editSource(ctx context.Context, name, cell string) error {
	return a.inNotebook(ctx, name, func(j *terminal.Session) error {
		c, err := findLive(j.Copy(), cell)
		if err != nil {
			return err
		}
		base := c.Source()
		file, err := a.scratch(c.ID, base)
		if err != nil {
			return fmt.Errorf("edit cell %s: %w", c.ID, err)
		}
		mine, err := a.edited(ctx, file)
		if err == nil && mine != base {
			err = applySource(ctx, j, c.ID, base, mine)
		}
		if err != nil {
			return fmt.Errorf("edit cell %s: %w; your text is in %s", c.ID, err, file)
		}
		return os.Remove(file)
	})
}

// scratch writes a source to a file for the editor.
func (a *app) scratch(id event.CellID, source string) (string, error) {
	f, err := os.CreateTemp("", "quire-"+string(id)+"-*.txt")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(source)
	return f.Name(), errors.Join(err, f.Close())
}

// applySource brings into a cell what a user made of its source, which was base when
// they began.
func applySource(ctx context.Context, j *terminal.Session, cell event.CellID, base, mine string) error {
	if base == mine {
		return nil
	}
	return j.Propose(ctx, func(n *notebook.Notebook) (event.Payload, error) {
		c := n.Cell(cell)
		return &event.SourceEdited{Cell: cell, Rev: c.Rev, Edit: merge(base, mine, c.Source())}, nil
	})
}
