package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/cellname"
	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/host/terminal"
)

type execOptions struct {
	all       bool
	cells     []string
	keepGoing bool
	allow     []string
	timeout   time.Duration
	json      bool
}

func (a *app) execCommand() *cobra.Command {
	var o execOptions
	cmd := &cobra.Command{
		Use:   "exec NOTEBOOK --all|--cell CELL...",
		Short: "Run cells and write their outputs as they come",
		Long: `Run cells and write their outputs as they come: what programs print goes to
stdout and stderr, and errors with their traces go to stderr. Of a very long text a
terminal gets the beginning and the end; a pipe and a file get all of it. The command
ends when the last run has. A notebook without a runtime gets one.

A program that asks for input is answered from the terminal or by any user who has
the notebook open. Where stdin is a pipe or a file each question gets a line of that,
and input() raises EOFError at its end. Cells with the tag "skip-execution" are left
out of --all, and one with "raises-exception" may fail. So may each with the errors
that --allow-error names.

What %load and set_next_input of IPython have for a cell goes into the notebook, if
you may edit it, and a line on stderr says into which cell; else it is printed.

With --json stdout gets a line for each cell when its run has ended, and nothing
else: an object with cell, position, run, status, started, failed, reason, count,
took in milliseconds, and outputs as "quire show --json" has them.

ctrl-C cancels the runs, waits for their end and exits with 130. If the server
goes away the runs go on, and so does this command once it is back.`,
		Example: "  quire exec k3x9ab --all\n  quire exec k3x9ab --cell @2 --cell @3",
		Args:    cmdline.Want("NOTEBOOK"),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.exec(cmd.Context(), args[0], o) },
	}
	cmd.Flags().BoolVar(&o.all, "all", false, "run all cells that can be, in their order")
	cmd.Flags().StringArrayVar(&o.cells, "cell", nil, "run this one; may be given again")
	settings.Placeholder(cmd.Flags(), "cell", "CELL")
	cmd.Flags().BoolVar(&o.keepGoing, "keep-going", false, "go on with the next cell when one fails")
	allowFlag(cmd, &o.allow)
	cmd.Flags().DurationVar(&o.timeout, "timeout", 0, "cancel a run that takes longer, such as 90s")
	settings.Placeholder(cmd.Flags(), "timeout", "DURATION")
	linesFlag(cmd, &o.json)
	cmdline.Exclusive(cmd, "all", "cell")
	return cmd
}

func (a *app) exec(ctx context.Context, name string, o execOptions) error {
	if !o.all && len(o.cells) == 0 {
		return fail(exitUsage, "run cells of notebook %s: say which with --all or --cell CELL", name)
	}
	if o.timeout < 0 {
		return fail(exitUsage, "run cells of notebook %s: --timeout %v is no time to wait", name, o.timeout)
	}
	if err := checkAllowed(o.allow); err != nil {
		return fmt.Errorf("run cells of notebook %s: %w", name, err)
	}
	return a.inNotebookOf(ctx, name, func(id string, j *terminal.Session) error {
		n := j.Copy()
		cells, err := execCells(n, o)
		if err != nil {
			return err
		}
		runs := newRuns(n, cells)
		count := terminal.Tally{Total: len(runs)}
		p := a.newPrinter(a.stderr)
		if !terminal.StreamOf(a.stdout).Terminal {
			p.Open = a.openArtifacts(ctx, id)
		}
		f := terminal.NewFollower(runs, o.timeout, p)
		f.KeepGoing, f.Allow, f.Silent, f.KeepOutputs, f.Asker = o.keepGoing, o.allow, o.json, o.json, a.newAsking(true)
		f.Ended = func(r terminal.Outcome) {
			count.Add(r)
			if o.json {
				p.Failed = cmp.Or(p.Failed, terminal.WriteEnded(a.stdout, r))
				return
			}
			if r.Status != event.StatusOK || r.Reason != "" {
				p.Line("cell %s", r)
			}
		}
		if err := f.Follow(ctx, j); err != nil {
			return err
		}
		if err := count.Verdict(); err != nil {
			return err
		}
		return p.Failed
	})
}

// linesFlag adds the flag of commands that write a line for each run that ended.
func linesFlag(cmd *cobra.Command, to *bool) {
	cmd.Flags().BoolVar(to, "json", false, "write only a line of JSON for each cell that has run, with its outputs")
}

// allowFlag adds the flag of commands that run cells which may fail with some errors.
func allowFlag(cmd *cobra.Command, to *[]string) {
	cmd.Flags().StringArrayVar(to, "allow-error", nil, "let a cell fail with this error, such as ValueError, and go on; may be given again")
	settings.Placeholder(cmd.Flags(), "allow-error", "NAME")
}

// checkAllowed returns the fault of names of errors that cannot be sent with a request.
func checkAllowed(names []string) error {
	if len(names) > event.MaxAllowed {
		return fail(exitUsage, "--allow-error may be given %d times, and not %d", event.MaxAllowed, len(names))
	}
	for _, name := range names {
		if name == "" || len(name) > event.MaxKey || !utf8.ValidString(name) {
			return fail(exitUsage, "--allow-error %q is no name of an error: give one as traces have it, such as ValueError", name[:min(len(name), event.MaxKey)])
		}
	}
	return nil
}

// newPrinter returns the printer of outputs, in the form that stdout and stderr take. It writes
// to the given writer in place of stderr.
func (a *app) newPrinter(stderr io.Writer) *terminal.Printer {
	return terminal.NewPrinter(terminal.StreamOf(a.stdout), terminal.StreamOf(a.stderr), stderr)
}

// newAsking returns the asker that puts the questions of programs to the user at the
// terminal, nil if there is none. Shown reports that outputs are written there too.
func (a *app) newAsking(shown bool) *terminal.Asker {
	if a.console == nil {
		return nil
	}
	if !shown {
		return terminal.NewAsker(a.console, a.stderr, nil)
	}
	return terminal.NewAsker(a.console, a.stderr, a.screen)
}

// newRuns returns a run with a new id for each cell.
func newRuns(n *notebook.Notebook, cells []event.CellID) []event.RunOf {
	runs := make([]event.RunOf, len(cells))
	for i, c := range cells {
		runs[i] = event.RunOf{Run: event.RunID(newID(runIDLen)), Cell: c, MayFail: n.Cell(c).MayFail()}
	}
	return runs
}

// execCells returns the cells to run.
func execCells(n *notebook.Notebook, o execOptions) ([]event.CellID, error) {
	if o.all {
		cells := slices.DeleteFunc(n.CodeCells(), func(id event.CellID) bool { return n.Cell(id).IsSkipped() })
		if len(cells) == 0 {
			return nil, fail(exitFailed, "there is no cell that can be run")
		}
		return cells, nil
	}
	var cells []event.CellID
	for _, name := range o.cells {
		c, err := cellname.FindLive(n, name)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(n.CodeCells(), c.ID) {
			return nil, fail(exitFailed, "cell %s is %s, which does not run", c.ID, c.Kind)
		}
		cells = append(cells, c.ID)
	}
	return cells, nil
}
