package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

type runOptions struct {
	out         string
	inPlace     bool
	allowErrors bool
	verbose     bool
	timeout     time.Duration
	params      params
	paramsFile  string
	kernel      string
	report      string
}

func (a *app) runCommand() *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run FILE",
		Short: "Execute a notebook file without a server",
		Long: `Execute the code cells of a notebook file in their order, without a server, and
write it with its outputs to NAME.executed.ipynb beside it. Programs start in the
directory of the file. What was done so far is also written when a cell fails or
the command is interrupted.

Parameters are set in a cell of their own below the one with the tag "parameters",
which has the defaults. A value is true, false, null, a number, or else text.

A program that asks for input is answered from the terminal. Without one there is
nobody to ask: input() raises EOFError.

The exit code is 0 when all cells went well, 1 when one failed or Python ended, 2
when the file or the command line is not right, and 130 after ctrl-C or SIGTERM.
On a terminal a bar shows how far it is; elsewhere there is a line for each cell.`,
		Example: "  quire run report.ipynb\n  quire run report.ipynb -p region=north -p year=2025 -o north.ipynb\n" +
			"  quire run checks.py --report checks.xml\n  quire run report.ipynb -o - | jq .cells",
		Args: want("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runFile(cmd.Context(), args[0], o) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&o.out, "output", "o", "", "write there instead; - is stdout")
	placeholder(flags, "output", "FILE")
	flags.BoolVar(&o.inPlace, "in-place", false, "write to the file itself")
	flags.VarP(paramFlag{&o.params, pythonValue}, "param", "p", "set a parameter; may be given again")
	flags.VarP(paramFlag{&o.params, pythonText}, "param-raw", "r", "set one to text, whatever it looks like; may be given again")
	flags.StringVar(&o.paramsFile, "params-file", "", "set those of a JSON object; --param counts more")
	placeholder(flags, "params-file", "FILE.json")
	flags.BoolVar(&o.allowErrors, "allow-errors", false, "go on when a cell fails, and exit with 0")
	flags.BoolVarP(&o.verbose, "verbose", "v", false, "write what programs print as it comes")
	flags.DurationVar(&o.timeout, "timeout", 0, "cancel a cell that takes longer, such as 90s")
	placeholder(flags, "timeout", "DURATION")
	flags.StringVar(&o.kernel, "kernel", "", "use this one, such as ir, whatever the file asks for; \"quire kernels\" lists them")
	placeholder(flags, "kernel", "NAME")
	flags.StringVar(&o.report, "report", "", "write how each cell ended there, as JUnit XML")
	placeholder(flags, "report", "FILE.xml")
	stringFlag(flags, &a.config.Python, "python", "PATH", "the Python to use (QUIRE_PYTHON); default: that of VIRTUAL_ENV, else python3")
	cmd.MarkFlagsMutuallyExclusive("output", "in-place")
	return cmd
}

func (a *app) runFile(ctx context.Context, file string, o runOptions) error {
	if err := o.check(file); err != nil {
		return fmt.Errorf("run %s: %w", file, err)
	}
	payloads, kernels, err := a.readRun(file, o)
	if err != nil {
		return fmt.Errorf("run %s: %w", file, err)
	}
	began := time.Now()
	s, err := a.openStudio(ctx, filepath.Dir(file), payloads, kernels)
	if err != nil {
		return fmt.Errorf("run %s: %w", file, err)
	}
	ended, err := a.runAll(ctx, s, o)
	err = errors.Join(err, a.writeRun(s, file, o), a.writeReport(s, file, o, ended, began), s.close())
	if err != nil {
		return fmt.Errorf("run %s: %w", file, err)
	}
	return nil
}

// check finds out before the run what would keep its result from being written.
func (o *runOptions) check(file string) error {
	out := outputFile(file, *o)
	if ext := filepath.Ext(file); o.inPlace && file != "-" && ext != ".ipynb" {
		return fail(exitUsage, "*%s files have no outputs: --in-place is for *.ipynb, -o FILE for the others", ext)
	}
	if o.timeout < 0 {
		return fail(exitUsage, "--timeout %v is no time to wait", o.timeout)
	}
	for _, name := range []string{out, o.report} {
		if name == "" || name == "-" {
			continue
		}
		if _, err := os.Stat(filepath.Dir(name)); err != nil {
			return fail(exitUsage, "cannot write %s: %w", name, err)
		}
	}
	if _, err := formatName(exportName(out)); err != nil {
		return fail(exitUsage, "cannot write %s: %w", out, err)
	}
	return nil
}

// readRun returns the notebook of a file as it is to be run, and what executes it.
func (a *app) readRun(file string, o runOptions) ([]event.Payload, choice, error) {
	given, err := paramsOf(o.paramsFile, o.params)
	if err != nil {
		return nil, choice{}, err
	}
	data, err := a.readFile(file)
	if err != nil {
		return nil, choice{}, fail(exitUsage, "%w", err)
	}
	payloads, err := importBook(file, data)
	var said *failure
	if errors.As(err, &said) {
		return nil, choice{}, err
	}
	if err != nil {
		return nil, choice{}, fail(exitUsage, "it is not a notebook that can be read: %w", err)
	}
	n, err := rehearse(payloads)
	if err != nil {
		return nil, choice{}, fail(exitUsage, "it is not a notebook that can be read: %w", err)
	}
	kernels, kernel, err := a.kernels().useKernel(n.Metadata(), o.kernel)
	if err != nil {
		return nil, choice{}, err
	}
	if len(given) > 0 && kernels.language != pythonLanguage {
		return nil, choice{}, fail(exitUsage, "parameters are for notebooks in Python, and this one is in %s", kernels.language)
	}
	payloads, warnings, err := given.inject(payloads, n)
	for _, warning := range warnings {
		fmt.Fprintf(a.stderr, "quire: run %s: warning: %s\n", file, warning)
	}
	return append(payloads, kernel...), kernels, err
}

// runAll runs the cells, says on stderr how far it is, and returns how they ended.
func (a *app) runAll(ctx context.Context, s *studio, o runOptions) ([]outcome, error) {
	n := s.person.copy()
	runs := newRuns(codeCells(n))
	if len(runs) == 0 {
		return nil, nil
	}
	stderr := a.stderr
	var show *progress
	if a.screen != nil && !o.verbose {
		show = newProgress(a.stderr, a.screen, !a.config.NoColour, runningCells(n, runs), time.Now())
		stderr = show
		show.start()
		defer show.close()
	}
	r := &fileRun{total: len(runs), show: show, printer: a.newPrinter(stderr, a.terminal && o.out != "-")}
	r.printer.errorsOnly = !o.verbose || o.out == "-"
	f := &follower{
		tracker: newTracker(runs, o.timeout), keepGoing: o.allowErrors, stopWhenLost: true,
		printer: r.printer, asking: a.newAsking(o.verbose), seen: r.seen, ended: r.note,
	}
	err := f.follow(ctx, s.person)
	if err == nil {
		err = r.verdict(o)
	}
	return r.ended, err
}

// fileRun is how far the runs of a file are.
type fileRun struct {
	total   int
	ended   []outcome
	show    *progress // nil where there is no terminal
	printer *printer
}

func (r *fileRun) seen(e *event.Event) {
	if r.show != nil {
		r.show.seen(e)
	}
}

// note takes in how a run ended. Where a bar shows what went well, only the rest is
// worth a line.
func (r *fileRun) note(o outcome) {
	r.ended = append(r.ended, o)
	if r.show != nil {
		r.show.ended(o)
		if o.status == event.StatusOK || !o.started {
			return
		}
	}
	r.printer.line("[%d/%d] %s", len(r.ended), r.total, o)
}

// verdict says what went wrong, if that is to be an error.
func (r *fileRun) verdict(o runOptions) error {
	bad := 0
	for _, end := range r.ended {
		if end.status == event.StatusLost {
			return fail(exitFailed, "cell @%d was lost, and the run stopped there: %s", end.position, end.reason)
		}
		if end.status != event.StatusOK {
			bad++
		}
	}
	if bad > 0 && !o.allowErrors {
		return fail(exitFailed, "%d of %d cells did not succeed", bad, r.total)
	}
	return nil
}

// runningCells returns what progress shows of the cell of each run.
func runningCells(n *notebook.Notebook, runs []event.RunOf) map[event.RunID]runningCell {
	cells := make(map[event.RunID]runningCell, len(runs))
	places := make(map[event.CellID]int, len(n.Cells()))
	for i, id := range n.Cells() {
		places[id] = i + 1
	}
	for _, r := range runs {
		cells[r.Run] = runningCell{position: places[r.Cell], source: firstLine(n.Cell(r.Cell).Source())}
	}
	return cells
}

// writeRun writes the executed notebook, and says where if nobody has.
func (a *app) writeRun(s *studio, file string, o runOptions) error {
	out := outputFile(file, o)
	err := a.writeOutWith(out, func(w io.Writer) error {
		return exportBook(context.Background(), w, exportName(out), s.person.copy(), s.artifacts) // also of what was interrupted
	})
	if err == nil && o.out == "" && !o.inPlace && out != "-" {
		_, _ = fmt.Fprintf(a.stderr, "written to %s\n", out)
	}
	return err
}

func (a *app) writeReport(s *studio, file string, o runOptions, ended []outcome, began time.Time) error {
	if o.report == "" {
		return nil
	}
	data, err := report(file, s.person.copy(), ended, began)
	if err != nil {
		return err
	}
	return a.writeOut(o.report, data)
}

// outputFile returns where an executed file is written.
func outputFile(file string, o runOptions) string {
	switch {
	case o.out != "":
		return o.out
	case o.inPlace || file == "-":
		return file
	}
	return strings.TrimSuffix(file, filepath.Ext(file)) + ".executed.ipynb"
}

// exportName returns the name that says in which format a file is written.
func exportName(out string) string {
	if out == "-" {
		return "stdout.ipynb"
	}
	return out
}
