package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
	"github.com/quirehq/quire/cmd/quire/internal/engines"
	"github.com/quirehq/quire/cmd/quire/internal/formats"
	"github.com/quirehq/quire/cmd/quire/internal/localrun"
	"github.com/quirehq/quire/cmd/quire/internal/namedfile"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/params"
	"github.com/quirehq/quire/core/plain"
	"github.com/quirehq/quire/host/terminal"
	"github.com/quirehq/quire/internal/file"
)

type runOptions struct {
	out         string
	inPlace     bool
	allowErrors bool
	allow       []string
	verbose     bool
	timeout     time.Duration
	params      params.List
	paramsFile  string
	kernel      string
	report      string

	recordTiming bool
	json         bool
}

func (a *app) runCommand() *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run FILE",
		Short: "Execute a notebook file without a server",
		Long: `Execute the code cells of a notebook file in their order, without a server, and
write it with its outputs to NAME.executed.ipynb beside it. Programs start in the
directory of the file. The file is also written after each cell, once a second at
most, so its results are there when a cell fails or the command is killed.

Parameters are set in a cell of their own below the one with the tag "parameters",
which has the defaults. A value is true, false, null, a number, or else text.

A program that asks for input is answered from the terminal, or from a pipe or file
that stdin is, a line for each question. At its end input() raises EOFError.

A cell with the tag "skip-execution" is not run, and one with "raises-exception" may
fail. With --allow-error ValueError all may fail with that very error, but not with
one that is derived from it.

When the last cell has ended, threads, asyncio tasks and processes that cells have
started are waited for: three seconds while they print nothing, and ten in all. What
they print is in the file, under the cell that started them, and so is what the
functions of atexit print. What then goes on is ended, and a line says so. Kernels of
Jupyter other than Python's say nothing of threads, which are not waited for.

What %load and set_next_input of IPython have for a cell is left out of the file, as
by nbclient: its sources stay as they are. A line on stderr says so.

With --sandbox programs run in a sandbox, by bubblewrap, for a notebook that you do
not know: they read the system's programs, read and write the folder of the file, and
see no other files and no network. See "quire serve --help".

With --json stdout gets a line for each cell when its run has ended: an object as of
"quire exec --json". How far it is goes to stderr, as without.

The file says for Jupyter which language and kernel executed it, and in the metadata
of each cell when that ran; --record-timing=false leaves the times out. Of a run with
parameters it has what papermill notes as well, in the metadata "papermill".

A program that ends itself well, as by sys.exit(0), ends the run well: the
cells behind it are not run. Neither --allow-errors nor a tag allows a cell to take
longer than --timeout: the cell is stopped, and the exit code is 1.

The exit code is 0 when all cells went well, 1 when one failed or Python ended, 2
when the file or the command line is not right, and 130 after ctrl-C or SIGTERM.
On a terminal a bar shows how far it is; elsewhere there is a line for each cell.`,
		Example: "  quire run report.ipynb\n  quire run report.ipynb -p region=north -p year=2025 -o north.ipynb\n" +
			"  quire run checks.py --report checks.xml\n  quire run report.ipynb -o - | jq .cells",
		Args: cmdline.Want("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runFile(cmd.Context(), args[0], o) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&o.out, "output", "o", "", "write there instead; - is stdout")
	settings.Placeholder(flags, "output", "FILE")
	flags.BoolVar(&o.inPlace, "in-place", false, "write to the file itself")
	flags.VarP(cmdline.ParamFlag{To: &o.params}, "param", "p", "set a parameter; may be given again")
	flags.VarP(cmdline.ParamFlag{To: &o.params, Text: true}, "param-raw", "r", "set one to text, whatever it looks like; may be given again")
	cmdline.StringFlag(flags, &o.paramsFile, "params-file", "FILE.json", "set those of a JSON object; --param counts more")
	flags.BoolVar(&o.allowErrors, "allow-errors", false, "go on when a cell fails, and exit with 0")
	allowFlag(cmd, &o.allow)
	flags.BoolVarP(&o.verbose, "verbose", "v", false, "write what programs print as it comes")
	flags.DurationVar(&o.timeout, "timeout", 0, "cancel a cell that takes longer, such as 90s")
	settings.Placeholder(flags, "timeout", "DURATION")
	cmdline.StringFlag(flags, &o.kernel, "kernel", "NAME", "use this one, such as ir, whatever the file asks for; \"quire engines\" lists them")
	cmdline.StringFlag(flags, &o.report, "report", "FILE.xml", "write how each cell ended there, as JUnit XML")
	flags.BoolVar(&o.recordTiming, "record-timing", true, "note when each cell ran in its metadata, as nbclient does; =false leaves it out")
	linesFlag(cmd, &o.json)
	a.config.AddFlags(flags, "run")
	cmdline.Exclusive(cmd, "output", "in-place")
	cmdline.Exclusive(cmd, "verbose", "json")
	return cmd
}

func (a *app) runFile(ctx context.Context, file string, o runOptions) error {
	if err := o.check(file); err != nil {
		return fmt.Errorf("run %s: %w", file, err)
	}
	var wrong settings.Errors
	a.checkPython(&wrong)
	a.engines().CheckEngines(&wrong)
	a.config.Numbers("run", &wrong)
	engines.CheckSandbox(&a.config.Sandbox, &wrong)
	engines.CheckFolders(&a.config.Sandbox, &wrong)
	if err := a.configError("run", wrong); err != nil {
		return err
	}
	payloads, given, kernels, err := a.readRun(file, o)
	if err != nil {
		return fmt.Errorf("run %s: %w", file, err)
	}
	began := time.Now()
	dir, leave, err := a.settleBeside(ctx, file)
	if err != nil {
		return fmt.Errorf("run %s: %w", file, err)
	}
	defer leave()
	s, err := localrun.Open(ctx, localrun.Config{
		Dir: dir, Payloads: payloads, Choice: kernels, Factory: a.engines(), Unattended: a.console == nil,
		Runtime: event.RuntimeID(newID(runIDLen)), Client: newClientID(),
	})
	if err != nil {
		return fmt.Errorf("run %s: %w", file, err)
	}
	s.Papermill = newPapermill(s.Person.Copy(), file, o, given, began)
	save := a.newSaver(s, file, o)
	r, err := a.runAll(ctx, s, o, save)
	save.Close()
	s.Papermill.End(time.Now())
	if r.left {
		_, _ = fmt.Fprintf(a.stderr, "quire: run %s: warning: %s\n", file, leftRunning)
	}
	err = errors.Join(err, a.writeRun(s, file, o), a.writeReport(s, file, o, r, began), s.Close())
	if err != nil {
		return fmt.Errorf("run %s: %w", file, err)
	}
	return nil
}

// newSaver returns the saver of a run, nil if the file cannot be written again and again.
func (a *app) newSaver(s *localrun.Run, name string, o runOptions) *localrun.Saver {
	out := outputFile(name, o)
	if out == "-" || !file.Regular(out) {
		return nil
	}
	return localrun.StartSaver(func() error { return a.saveRun(s, out, o) })
}

// newPapermill returns the record of a run of a file, nil for a run without parameters.
func newPapermill(n *notebook.Notebook, file string, o runOptions, given params.List, began time.Time) *params.Record {
	if len(given) == 0 && !params.HasRecord(n) {
		return nil
	}
	return &params.Record{In: file, Out: outputFile(file, o), Params: given, Timed: o.recordTiming, Version: "quire " + versionName(), Began: began}
}

// settleBeside returns the folder in which the programs of a file start. It opens their sandbox,
// if one is set, until leave is called.
func (a *app) settleBeside(ctx context.Context, file string) (dir string, leave func(), err error) {
	if dir = filepath.Dir(file); !a.config.Sandbox.On {
		return dir, func() {}, nil
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", nil, err
	}
	if err := a.engines().Prepare(ctx); err != nil {
		return "", nil, err
	}
	if leave, err = a.engines().OpenIn(ctx, dir, settings.Bounds{}); err != nil {
		return "", nil, err
	}
	return dir, leave, nil
}

// check finds errors before the run that would keep its result from being written.
func (o *runOptions) check(name string) error {
	if namedfile.IsAddress(name) {
		return fail(exitUsage, "%w", namedfile.ErrAddress)
	}
	out := outputFile(name, *o)
	if ext := filepath.Ext(name); o.inPlace && name != "-" && ext != ".ipynb" {
		return fail(exitUsage, "*%s files have no outputs: --in-place is for *.ipynb, -o FILE for the others", ext)
	}
	if err := o.checkSources(name, out); err != nil {
		return err
	}
	if o.json && out == "-" {
		return fail(exitUsage, "--json and the notebook cannot both be written to stdout: give -o FILE")
	}
	if o.timeout < 0 {
		return fail(exitUsage, "--timeout %v is no time to wait", o.timeout)
	}
	if err := checkAllowed(o.allow); err != nil {
		return err
	}
	for _, written := range []string{out, o.report} {
		if written == "" {
			continue
		}
		if err := namedfile.CheckOut(written); err != nil {
			return err
		}
	}
	if _, err := formats.Name(exportName(out), false); err != nil {
		return fail(exitUsage, "cannot write %s: %w", out, err)
	}
	return nil
}

// checkSources refuses to overwrite a source of the run, unless --in-place asks for that, and to
// write two results into one file.
func (o *runOptions) checkSources(name, out string) error {
	advice := "its format has no outputs, so write to another with -o"
	if filepath.Ext(name) == ".ipynb" {
		advice = "give --in-place if it is to be replaced"
	}
	switch {
	case !o.inPlace && sameOut(name, out):
		return fail(exitUsage, "%s is the file itself: %s", out, advice)
	case out == "-" && o.report == "-", sameOut(out, o.report):
		return fail(exitUsage, "the notebook and the report cannot both be written to %s", out)
	case sameOut(name, o.report):
		return fail(exitUsage, "--report %s is the file itself: write to another", o.report)
	case sameOut(o.paramsFile, out), sameOut(o.paramsFile, o.report):
		return fail(exitUsage, "--params-file %s would be replaced by an output: write to another file", o.paramsFile)
	}
	return nil
}

// sameOut reports whether two names of a command line are of one file, which stdin and stdout
// are not, though - names both.
func sameOut(a, b string) bool {
	return a != "" && b != "" && a != "-" && b != "-" && file.Same(a, b)
}

// readRun returns the notebook of a file with its parameters applied, the parameters, and the
// kernels that execute it.
func (a *app) readRun(file string, o runOptions) ([]event.Payload, params.List, engines.Choice, error) {
	given, err := cmdline.ParamsOf(o.paramsFile, o.params)
	if err != nil {
		return nil, nil, engines.Choice{}, err
	}
	data, err := namedfile.Read(a.stdin, file)
	if errors.Is(err, fs.ErrNotExist) && !namedfile.IsFileName(file) {
		return nil, nil, engines.Choice{}, fail(exitUsage, "%w: `quire exec %s --all` runs the notebook of a server", err, file)
	}
	if err != nil {
		return nil, nil, engines.Choice{}, fail(exitUsage, "%w", err)
	}
	payloads, err := formats.Import(file, data)
	if _, said := codeOf(err); said {
		return nil, nil, engines.Choice{}, err
	}
	if err != nil {
		return nil, nil, engines.Choice{}, fail(exitUsage, "it is not a notebook that can be read: %w", err)
	}
	n, err := formats.Fold(payloads)
	if err != nil {
		return nil, nil, engines.Choice{}, fail(exitUsage, "it is not a notebook that can be read: %w", err)
	}
	kernels, kernel, err := a.engines().Offers().Use(n.Metadata(), o.kernel)
	if err != nil {
		return nil, nil, engines.Choice{}, err
	}
	if len(given) > 0 && kernels.Language != engines.PythonLanguage {
		return nil, nil, engines.Choice{}, fail(exitUsage, "parameters are for notebooks in Python, and this one is in %s", kernels.Language)
	}
	payloads, warnings, err := given.Inject(payloads, n, event.CellID(newID(cellIDLen)))
	for _, warning := range warnings {
		fmt.Fprintf(a.stderr, "quire: run %s: warning: %s\n", file, warning)
	}
	return append(payloads, kernel...), given, kernels, err
}

// leftRunning is the warning for a thread, task or process that was not waited for.
const leftRunning = "a thread, task or process that a cell has started went on for too long after the last cell and was ended; " +
	"its later output is not in the file"

// runAll runs the cells, says on stderr how far it is, and returns how they ended.
func (a *app) runAll(ctx context.Context, s *localrun.Run, o runOptions, save *localrun.Saver) (*fileRun, error) {
	n := s.Person.Copy()
	runs := newRuns(n, fileCells(n))
	if len(runs) == 0 {
		return &fileRun{}, nil
	}
	stderr := a.stderr
	var show *terminal.Progress
	if a.screen != nil && !o.verbose {
		show = terminal.NewProgress(a.stderr, a.screen, terminal.StreamOf(a.stderr).Colours, runningCells(n, runs), time.Now())
		stderr = show
		show.Start()
		defer show.Close()
	}
	r := &fileRun{total: len(runs), show: show, save: save, printer: a.newPrinter(stderr), allow: o.allow}
	r.printer.KeepsSources = true
	r.printer.ErrorsOnly = !o.verbose || o.out == "-"
	if !terminal.StreamOf(a.stdout).Terminal {
		r.printer.Open = artifactsFrom(ctx, s.Artifacts)
	}
	f := terminal.NewFollower(runs, o.timeout, r.printer)
	f.KeepGoing, f.Allow, f.StopWhenLost = o.allowErrors, o.allow, true
	f.Asker, f.Seen, f.Ended = a.newAsking(o.verbose), r.seen, r.note
	f.End = func(ctx context.Context) { r.left = s.EndPrograms(ctx) }
	if o.json {
		f.KeepOutputs = true
		f.Ended = func(end terminal.Outcome) {
			r.note(end)
			r.printer.Failed = cmp.Or(r.printer.Failed, terminal.WriteEnded(a.stdout, end))
		}
	}
	err := f.Follow(ctx, s.Person)
	if err == nil {
		err = r.verdict(o)
	}
	if err == nil {
		err = r.printer.Failed
	}
	if err == nil {
		err = ctx.Err() // while threads, tasks and processes of cells were waited for
	}
	return r, err
}

// fileRun is how far the runs of a file are.
type fileRun struct {
	total   int
	ended   []terminal.Outcome
	left    bool               // something that cells have started went on when all had ended
	show    *terminal.Progress // nil where there is no terminal
	save    *localrun.Saver    // nil where the file is written at the end only
	printer *terminal.Printer
	allow   []string // the names of errors that are no failures
}

func (r *fileRun) seen(e *event.Event) {
	if run, late := terminal.LateError(e); late != nil && !slices.Contains(r.allow, late.Name) {
		for i := range r.ended {
			r.ended[i].FailedLate = r.ended[i].FailedLate || r.ended[i].Run == run
		}
	}
	r.save.Changed(false)
	if r.show != nil {
		r.show.Seen(e)
	}
}

// note counts the end of a run. Where a bar shows successful runs, only others get a
// line.
func (r *fileRun) note(o terminal.Outcome) {
	r.ended = append(r.ended, o)
	r.save.Changed(true)
	if r.show != nil {
		r.show.Ended(o)
		if o.Status == event.StatusOK || !o.Started {
			return
		}
	}
	r.printer.Line("[%d/%d] %s", len(r.ended), r.total, o)
}

// verdict returns the error of the runs, nil if they went well or errors are allowed.
func (r *fileRun) verdict(o runOptions) error {
	count := terminal.Tally{Total: r.total}
	var slow *terminal.Outcome
	for _, end := range r.ended {
		if end.Status == event.StatusLost {
			return fail(exitFailed, "cell @%d was lost, and the run stopped there: %s", end.Position, end.Reason)
		}
		count.Add(end)
		if end.Slow && slow == nil {
			slow = &end
		}
	}
	if slow != nil && o.allowErrors {
		return fail(exitFailed, "cell @%d was stopped: %s; that is no error of a cell that can be allowed", slow.Position, slow.Reason)
	}
	if o.allowErrors {
		return nil
	}
	return count.Verdict()
}

// fileCells returns the cells of a file that are run, as Jupyter's runners choose them:
// one with the tag for that is skipped, and so is an empty one.
func fileCells(n *notebook.Notebook) []event.CellID {
	return slices.DeleteFunc(n.CodeCells(), func(id event.CellID) bool {
		c := n.Cell(id)
		return c.IsSkipped() || isBlank(c)
	})
}

func isBlank(c *notebook.Cell) bool { return strings.TrimSpace(c.Source()) == "" }

// runningCells returns the cell of each run as progress shows it.
func runningCells(n *notebook.Notebook, runs []event.RunOf) map[event.RunID]terminal.RunningCell {
	cells := make(map[event.RunID]terminal.RunningCell, len(runs))
	places := make(map[event.CellID]int, len(n.Cells()))
	for i, id := range n.Cells() {
		places[id] = i + 1
	}
	for _, r := range runs {
		cells[r.Run] = terminal.RunningCell{Position: places[r.Cell], Source: terminal.FirstLine(n.Cell(r.Cell).Source())}
	}
	return cells
}

// writeRun writes the executed notebook, and says where if the command line does not.
func (a *app) writeRun(s *localrun.Run, file string, o runOptions) error {
	out := outputFile(file, o)
	err := a.saveRun(s, out, o)
	if count := formats.LeftOut(exportName(out), s.Person.Copy()); err == nil && count > 0 {
		_, _ = fmt.Fprintf(a.stderr, "quire: run %s: warning: %s\n", file, plain.WithoutAttachments(count))
	}
	if err == nil && o.out == "" && !o.inPlace && out != "-" {
		_, _ = fmt.Fprintf(a.stderr, "written to %s\n", out)
	}
	return err
}

// saveRun writes the notebook as it is, also after an interrupt.
func (a *app) saveRun(s *localrun.Run, out string, o runOptions) error {
	return namedfile.WriteWith(a.stdout, out, func(w io.Writer) error {
		if format, err := formats.Name(exportName(out), false); err == nil && format == "ipynb" {
			return s.Write(w, o.recordTiming)
		}
		return formats.Export(context.Background(), w, exportName(out), s.Person.Copy(), s.Artifacts)
	})
}

func (a *app) writeReport(s *localrun.Run, file string, o runOptions, r *fileRun, began time.Time) error {
	if o.report == "" {
		return nil
	}
	all := terminal.Report{File: file, Began: began, Ended: r.ended}
	if r.left {
		all.Warning = leftRunning
	}
	data, err := all.JUnit(s.Person.Copy())
	if err != nil {
		return err
	}
	return namedfile.Write(a.stdout, o.report, data)
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
