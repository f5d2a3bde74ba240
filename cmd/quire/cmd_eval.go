package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
	"github.com/quirehq/quire/cmd/quire/internal/engines"
	"github.com/quirehq/quire/cmd/quire/internal/localrun"
	"github.com/quirehq/quire/cmd/quire/internal/namedfile"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang/names"
	"github.com/quirehq/quire/host/terminal"
)

type evalOptions struct {
	language string
	engine   string
	file     string
	environ  []string
	timeout  time.Duration
	json     bool
}

func (a *app) evalCommand() *cobra.Command {
	var o evalOptions
	cmd := &cobra.Command{
		Use:   "eval [CODE]",
		Short: "Execute a piece of code in any language, as a cell would be",
		Long: `Execute a piece of code as a cell of a notebook would be, without a notebook or a
server. What the program prints goes to stdout and stderr, and so does the value of
its last expression.

CODE - reads the code from stdin; --file reads it from a file, whose name then says
the language. Without --file the language is Python's, unless -l names another.

A language is executed by the first engine that this machine has for it: "quire
engines" lists them, and --engine chooses another, or one of your own by its path.

With --json stdout gets one line: an object as of "quire exec --json". The exit code
is 0 when the program went well, 1 when it failed, took longer than --timeout, or
exceeded a limit, 2 when the language has no engine here, and 130 after ctrl-C.`,
		Example: "  quire eval 'sum(range(10))'\n  quire eval -l ruby 'puts [1, 2].sum'\n  quire eval --file report.js --timeout 10s\n" +
			"  echo 'print(1)' | quire eval -l lua -",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.eval(cmd.Context(), args, o); err != nil {
				return fmt.Errorf("eval: %w", err)
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&o.language, "lang", "l", "", "the language of the code")
	settings.Placeholder(flags, "lang", "LANGUAGE")
	cmdline.StringFlag(flags, &o.engine, "engine", "NAME", "use this one, such as node; \"quire engines\" lists them; a path with a slash is an engine of your own")
	cmdline.StringFlag(flags, &o.file, "file", "FILE", "read the code from a file; - is stdin")
	flags.StringArrayVarP(&o.environ, "env", "e", nil, "set an environment variable of the program; may be given again")
	settings.Placeholder(flags, "env", "NAME=VALUE")
	flags.DurationVar(&o.timeout, "timeout", 0, "stop the program after this time, such as 10s")
	settings.Placeholder(flags, "timeout", "DURATION")
	flags.BoolVar(&o.json, "json", false, "write only one line of JSON, with the outputs")
	a.config.AddFlags(flags, "eval")
	return cmd
}

func (a *app) eval(ctx context.Context, args []string, o evalOptions) error {
	source, language, err := a.evalSource(args, o)
	if err != nil {
		return err
	}
	bounds, err := a.evalBounds(o)
	if err != nil {
		return err
	}
	offers := a.engines().Offers()
	if engines.IsPath(o.engine) {
		of := ""
		if offers, of, err = offers.With(o.engine); err != nil {
			return err
		}
		if o.language == "" && o.file == "" {
			language = of
		}
	}
	choice, err := offers.For(language, o.engine)
	if err != nil {
		return err
	}
	factory := a.engines()
	factory.Environ = append(slices.Clone(factory.Environ), o.environ...)
	if err := factory.Prepare(ctx); err != nil {
		return err
	}
	dir, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	leave, err := factory.OpenIn(ctx, dir, bounds)
	if err != nil {
		return err
	}
	defer leave()
	cell := event.CellID(newID(cellIDLen))
	s, err := localrun.Open(ctx, localrun.Config{
		Dir: dir, Choice: choice, Factory: factory, Bounds: bounds, RunTimeout: o.timeout, Unattended: a.console == nil,
		Payloads: []event.Payload{&event.CellCreated{Cell: cell, Kind: event.KindCode, Language: choice.Language, Order: "a", Source: source}},
		Runtime:  event.RuntimeID(newID(runIDLen)), Client: newClientID(),
	})
	if err != nil {
		return err
	}
	return errors.Join(a.evalCell(ctx, s, cell, o), s.Close())
}

// evalSource returns the code and its language.
func (a *app) evalSource(args []string, o evalOptions) (source, language string, err error) {
	language = o.language
	switch {
	case len(args) == 1 && o.file != "":
		return "", "", fail(exitUsage, "the code is given twice, as an argument and by --file %s", o.file)
	case len(args) == 0 && o.file == "":
		return "", "", fail(exitUsage, "there is no code: give it as an argument, as - to read stdin, or by --file")
	case len(args) == 1 && args[0] != "-":
		source = args[0]
	default:
		from := o.file
		if from == "" {
			from = "-"
		}
		data, err := namedfile.Read(a.stdin, from)
		if err != nil {
			return "", "", fail(exitUsage, "read the code: %w", err)
		}
		source = strings.ToValidUTF8(strings.TrimPrefix(string(data), "\ufeff"), "\uFFFD")
	}
	if language == "" && o.file != "" && o.file != "-" {
		var ok bool
		if language, ok = a.engines().Offers().OfExtension(filepath.Ext(o.file)); !ok {
			return "", "", fail(exitUsage, "the name of %s does not say its language: give it by -l", o.file)
		}
	}
	if language == "" {
		language = names.Python
	}
	return source, a.engines().Offers().ID(language), nil
}

// evalBounds checks the options and returns the limits of the program.
func (a *app) evalBounds(o evalOptions) (settings.Bounds, error) {
	if o.timeout < 0 {
		return settings.Bounds{}, fail(exitUsage, "--timeout %v is no time to wait", o.timeout)
	}
	for _, v := range o.environ {
		if name, _, ok := strings.Cut(v, "="); !ok || name == "" || strings.ContainsRune(v, 0) {
			return settings.Bounds{}, fail(exitUsage, "--env %q is no NAME=VALUE", v)
		}
	}
	var wrong settings.Errors
	a.checkPython(&wrong)
	a.engines().CheckEngines(&wrong)
	numbers := a.config.Numbers("eval", &wrong)
	engines.CheckSandbox(&a.config.Sandbox, &wrong)
	engines.CheckFolders(&a.config.Sandbox, &wrong)
	if err := wrong.Err(&a.config); err != nil {
		return settings.Bounds{}, fail(exitUsage, "%w", err)
	}
	return numbers.Bounds, nil
}

// evalCell executes the cell and writes its outputs.
func (a *app) evalCell(ctx context.Context, s *localrun.Run, cell event.CellID, o evalOptions) error {
	runs := newRuns(s.Person.Copy(), []event.CellID{cell})
	p := a.newPrinter(a.stderr)
	p.KeepsSources = true
	if !terminal.StreamOf(a.stdout).Terminal {
		p.Open = artifactsFrom(ctx, s.Artifacts)
	}
	f := terminal.NewFollower(runs, 0, p)
	f.StopUnread = true
	f.Asker, f.StopWhenLost, f.Silent = a.newAsking(!o.json), true, o.json
	var end terminal.Outcome
	f.Ended = func(o terminal.Outcome) { end = o }
	failedLate := false
	f.Seen = func(e *event.Event) {
		_, late := terminal.LateError(e)
		failedLate = failedLate || late != nil
	}
	left := false
	f.End = func(ctx context.Context) { left = s.EndPrograms(ctx) }
	err := f.Follow(ctx, s.Person)
	end.FailedLate = failedLate
	if o.json && err == nil {
		end.Outputs = terminal.OutputsOf(s.Person.Copy(), cell, end.Run) // also those of programs that printed on
		err = terminal.WriteEnded(a.stdout, end)
	}
	if left {
		_, _ = fmt.Fprintf(a.stderr, "quire: eval: warning: %s\n", leftRunningOfEval)
	}
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case p.Failed != nil:
		return p.Failed
	case end.IsBad() && end.Reason != "":
		return fail(exitFailed, "the program did not succeed: %s", end.Reason)
	case end.IsBad():
		return fail(exitFailed, "the program did not succeed")
	}
	return nil
}

// leftRunningOfEval is the warning for a thread, task or process that was not waited for.
const leftRunningOfEval = "a thread, task or process that the program has started went on for too long and was ended"
