package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/cellname"
	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/host/terminal"
)

type clearOptions struct{ cells []string }

func (a *app) clearCommand() *cobra.Command {
	var o clearOptions
	cmd := &cobra.Command{
		Use:   "clear NOTEBOOK",
		Short: "Take the outputs of cells away",
		Long: `Take the outputs of all cells away, or of some, with the numbers of their runs. A
cell that runs keeps what it has.`,
		Example: "  quire clear k3x9ab\n  quire clear k3x9ab --cell @2",
		Args:    cmdline.Want("NOTEBOOK"),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.clear(cmd.Context(), args[0], o) },
	}
	cmd.Flags().StringArrayVar(&o.cells, "cell", nil, "of this cell; may be given again")
	settings.Placeholder(cmd.Flags(), "cell", "CELL")
	return cmd
}

func (a *app) clear(ctx context.Context, name string, o clearOptions) error {
	return a.inNotebook(ctx, name, func(j *terminal.Session) error {
		n := j.Copy()
		cells := n.Cells()
		if len(o.cells) > 0 {
			cells = nil
		}
		for _, name := range o.cells {
			c, err := cellname.FindLive(n, name)
			if err != nil {
				return err
			}
			cells = append(cells, c.ID)
		}
		for _, id := range cells {
			if err := clearCell(ctx, j, id); err != nil {
				return err
			}
		}
		return nil
	})
}

// clearCell takes the outputs of a cell away, if it has any and does not run.
func clearCell(ctx context.Context, j *terminal.Session, id event.CellID) error {
	c := j.Copy().Cell(id)
	if c == nil || len(c.Outputs) == 0 && c.Count == 0 && c.Run == "" {
		return nil
	}
	if r := j.Copy().Run(c.Run); r != nil && r.State != notebook.RunFinished {
		return nil
	}
	return j.Propose(ctx, func(*notebook.Notebook) (event.Payload, error) {
		return &event.CellOutputsCleared{Cells: []event.CellID{id}, Reset: true}, nil
	})
}
