package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/ipynb"
)

type runOptions struct {
	out         string
	inPlace     bool
	allowErrors bool
	verbose     bool
	timeout     time.Duration
}

func (a *app) runCommand() *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run FILE",
		Short: "Execute a Jupyter file without a server",
		Long: `Execute the code cells of a Jupyter file in their order, without a server, and
write it with its outputs to NAME.executed.ipynb beside it. Programs start in the
directory of the file. What was done so far is also written when a cell fails or
the command is interrupted.`,
		Example: "  quire run report.ipynb\n  quire run report.ipynb -o - | jq .cells",
		Args:    want("FILE"),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.runFile(cmd.Context(), args[0], o) },
	}
	cmd.Flags().StringVarP(&o.out, "output", "o", "", "write there instead; - is stdout")
	placeholder(cmd.Flags(), "output", "FILE")
	cmd.Flags().BoolVar(&o.inPlace, "in-place", false, "write to the file itself")
	cmd.Flags().BoolVar(&o.allowErrors, "allow-errors", false, "go on when a cell fails, and exit with 0")
	cmd.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "write what programs print as it comes")
	cmd.Flags().DurationVar(&o.timeout, "timeout", 0, "cancel a cell that takes longer, such as 90s")
	placeholder(cmd.Flags(), "timeout", "DURATION")
	stringFlag(cmd.Flags(), &a.config.Python, "python", "PATH", "the Python to use (QUIRE_PYTHON); default: that of VIRTUAL_ENV, else python3")
	cmd.MarkFlagsMutuallyExclusive("output", "in-place")
	return cmd
}

func (a *app) runFile(ctx context.Context, file string, o runOptions) error {
	data, err := a.readFile(file)
	if err != nil {
		return fail(exitUsage, "run: %w", err)
	}
	payloads, err := ipynb.Import(data)
	if err != nil {
		return fail(exitUsage, "run %s: it is not a Jupyter notebook that can be read: %w", file, err)
	}
	s, err := a.openStudio(ctx, filepath.Dir(file), payloads)
	if err != nil {
		return fmt.Errorf("run %s: %w", file, err)
	}
	err = errors.Join(a.runAll(ctx, s, o), a.writeRun(s, outputFile(file, o)))
	if err = errors.Join(err, s.close()); err != nil {
		return fmt.Errorf("run %s: %w", file, err)
	}
	return nil
}

// runAll runs the cells, and says on stderr how far it is.
func (a *app) runAll(ctx context.Context, s *studio, o runOptions) error {
	runs := newRuns(codeCells(s.person.copy()))
	if len(runs) == 0 {
		return nil
	}
	p := newPrinter(a.stdout, a.stderr, a.terminal && o.out != "-")
	p.errorsOnly = !o.verbose || o.out == "-"
	done, bad := 0, 0
	f := &follower{tracker: newTracker(runs, o.timeout), runs: runs, keepGoing: o.allowErrors, printer: p}
	f.ended = func(r outcome) {
		done++
		if r.status != event.StatusOK {
			bad++
		}
		p.line("[%d/%d] %s", done, len(runs), r)
	}
	if err := f.follow(ctx, s.person); err != nil {
		return err
	}
	if bad > 0 && !o.allowErrors {
		return fail(exitFailed, "%d of %d cells did not succeed", bad, len(runs))
	}
	return nil
}

func (a *app) writeRun(s *studio, file string) error {
	data, err := ipynb.Export(s.person.copy())
	if err != nil {
		return err
	}
	return a.writeOut(file, data)
}

// outputFile returns where an executed file is written.
func outputFile(file string, o runOptions) string {
	switch {
	case o.out != "":
		return o.out
	case o.inPlace || file == "-":
		return file
	}
	return strings.TrimSuffix(file, ".ipynb") + ".executed.ipynb"
}
