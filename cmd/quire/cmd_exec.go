package main

import (
	"context"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

type execOptions struct {
	all       bool
	cells     []string
	keepGoing bool
	timeout   time.Duration
}

func (a *app) execCommand() *cobra.Command {
	var o execOptions
	cmd := &cobra.Command{
		Use:   "exec NOTEBOOK --all|--cell CELL...",
		Short: "Run cells and write what they produce as it comes",
		Long: `Run cells and write what they produce as it comes: what programs print goes to
stdout and stderr, and errors with their traces go to stderr. The command ends
when the last run has. A notebook without a runtime gets one.

A program that asks for input is answered from the terminal, if there is one, or by
anybody who has the notebook open.

ctrl-C cancels the runs, waits for their end and exits with 130. If the server
goes away the runs go on, and so does this command once it is back.`,
		Example: "  quire exec k3x9ab --all\n  quire exec k3x9ab --cell @2 --cell @3",
		Args:    want("NOTEBOOK"),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.exec(cmd.Context(), args[0], o) },
	}
	cmd.Flags().BoolVar(&o.all, "all", false, "run all cells that can be, in their order")
	cmd.Flags().StringArrayVar(&o.cells, "cell", nil, "run this one; may be given again")
	placeholder(cmd.Flags(), "cell", "CELL")
	cmd.Flags().BoolVar(&o.keepGoing, "keep-going", false, "go on with the next cell when one fails")
	cmd.Flags().DurationVar(&o.timeout, "timeout", 0, "cancel a run that takes longer, such as 90s")
	placeholder(cmd.Flags(), "timeout", "DURATION")
	cmd.MarkFlagsMutuallyExclusive("all", "cell")
	return cmd
}

func (a *app) exec(ctx context.Context, name string, o execOptions) error {
	if !o.all && len(o.cells) == 0 {
		return fail(exitUsage, "run cells of notebook %s: say which with --all or --cell CELL", name)
	}
	return a.inNotebook(ctx, name, func(j *joined) error {
		cells, err := execCells(j.copy(), o)
		if err != nil {
			return err
		}
		runs := newRuns(cells)
		bad := 0
		f := &follower{
			tracker: newTracker(runs, o.timeout), keepGoing: o.keepGoing,
			printer: a.newPrinter(a.stderr, a.terminal), asking: a.newAsking(true),
		}
		f.ended = func(r outcome) {
			if r.status != event.StatusOK {
				bad++
				f.printer.line("cell %s", r)
			}
		}
		if err := f.follow(ctx, j); err != nil {
			return err
		}
		if bad > 0 {
			return fail(exitFailed, "%d of %d runs did not succeed", bad, len(runs))
		}
		return nil
	})
}

// newPrinter returns what writes outputs, as this terminal wants them.
func (a *app) newPrinter(stderr io.Writer, terminal bool) *printer {
	p := newPrinter(a.stdout, stderr, terminal)
	p.plain = p.plain || a.config.NoColour
	return p
}

// newAsking returns what puts the questions of programs to the person at the
// terminal, nil if there is none. Shown says that outputs are written there too.
func (a *app) newAsking(shown bool) *asking {
	if a.console == nil {
		return nil
	}
	ask := &asking{console: a.console, out: a.stderr}
	if shown {
		ask.width = a.screen
	}
	return ask
}

// execCells returns the cells to run.
func execCells(n *notebook.Notebook, o execOptions) ([]event.CellID, error) {
	if o.all {
		cells := codeCells(n)
		if len(cells) == 0 {
			return nil, fail(exitFailed, "there is no cell that can be run")
		}
		return cells, nil
	}
	var cells []event.CellID
	for _, name := range o.cells {
		c, err := findLive(n, name)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(codeCells(n), c.ID) {
			return nil, fail(exitFailed, "cell %s is %s, which does not run", c.ID, c.Kind)
		}
		cells = append(cells, c.ID)
	}
	return cells, nil
}

// codeCells returns the cells that a runtime takes, in their order.
func codeCells(n *notebook.Notebook) []event.CellID {
	var cells []event.CellID
	for _, id := range n.Cells() {
		if runnable(n.Cell(id)) {
			cells = append(cells, id)
		}
	}
	return cells
}

func runnable(c *notebook.Cell) bool { return c.Kind == event.KindCode || c.Kind == event.KindSQL }
