package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
	"github.com/quirehq/quire/cmd/quire/internal/engines"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/cmd/quire/internal/signals"
	"github.com/quirehq/quire/host/terminal"
	"github.com/quirehq/quire/internal/proc"
)

// app has the streams and the configuration of a command.
type app struct {
	config         settings.Config
	misconfigured  error    // why the configuration file does not count
	environ        []string // that programs which we start inherit
	stdin          io.Reader
	isTerminal     bool // stdin is one
	stdout, stderr io.Writer
	// screen returns the width of the terminal that both stdout and stderr are, and
	// is nil if they are not, or if it can do no more than print.
	screen func() int
	// console asks the user, nil if there is none.
	console terminal.Console
	began   bool             // the command line was understood
	factory *engines.Factory // see engines
	// bound bounds this process until it ends, if it becomes a runtime; nil in a process that does
	// other work too.
	bound func() (*proc.Own, error)
}

// engines returns the factory of the engines of this process.
func (a *app) engines() *engines.Factory {
	if a.factory == nil {
		a.factory = &engines.Factory{Config: &a.config, Environ: settings.ForPrograms(a.environ), Connection: a.connection}
	}
	return a.factory
}

// The groups that help lists commands in.
const (
	groupServe = "serve"
	groupBook  = "book"
	groupCell  = "cell"
	groupRun   = "run"
)

// root returns the command of all commands.
func (a *app) root() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "quire",
		Short: "Collaborative notebooks in one binary",
		Long: `Quire keeps notebooks that people, runtimes and programs work on together.

Start a server with "quire serve", then make, change and run notebooks with the
other commands. "quire run FILE" executes a notebook file without a server.

A notebook is named by its id or by the beginning of it. A cell is named by its
id, by the beginning of it, or by its position: @1 is the first.

What flags set can also be set by the variables that their help names, and by
~/.config/quire/config.json (QUIRE_CONFIG): an object such as {"memory": "2G"}. A
flag counts more than a variable, and that more than the file.

"quire completion bash" (zsh, fish, powershell) prints what has a shell complete
commands, flags, notebooks, cells, kernels, languages and formats.`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	a.versionFlag(cmd)
	cmd.AddGroup(
		&cobra.Group{ID: groupServe, Title: "Server and runtimes:"},
		&cobra.Group{ID: groupBook, Title: "Notebooks:"},
		&cobra.Group{ID: groupCell, Title: "Cells:"},
		&cobra.Group{ID: groupRun, Title: "Running and following:"},
	)
	cmd.SetFlagErrorFunc(cmdline.FlagFault)
	cmd.SetHelpCommand(helpCommand())
	a.config.AddFlags(cmd.PersistentFlags(), "quire")
	cmd.PersistentFlags().Var(colourFlag{a}, "color", settings.Named("color").Usage("quire"))
	cmd.SetIn(a.stdin)
	cmd.SetOut(a.stdout)
	cmd.SetErr(a.stderr)
	for _, group := range a.commands() {
		for _, sub := range group.commands {
			sub.GroupID = group.id
			sub.RunE = a.begin(sub.RunE)
			a.complete(sub)
			cmd.AddCommand(sub)
		}
	}
	cmd.AddCommand(a.versionCommand(), exitCodesTopic(), a.engineProcessCommand())
	cmd.DisableSuggestions = true // they are a part of the line here: see meant
	refuseOtherShells(cmd)
	return cmd
}

// colourFlag is --color.
type colourFlag struct{ app *app }

// Set implements [pflag.Value].
func (f colourFlag) Set(when string) error {
	if err := terminal.CheckColour(when); err != nil {
		return err
	}
	f.app.config.Colour = when
	terminal.StreamOf(f.app.stdout).SetColours(when, f.app.config.NoColour)
	terminal.StreamOf(f.app.stderr).SetColours(when, f.app.config.NoColour)
	return nil
}

// String implements [pflag.Value]: help says the default.
func (colourFlag) String() string { return "" }

// Type implements [pflag.Value].
func (colourFlag) Type() string { return "WHEN" }

// helpCommand is `quire help`, for which there is no command and no topic of an unknown name.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show what a command does",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err != nil || found == nil || len(rest) > 0 {
				return fail(exitUsage, "there is no command %q; `quire help` lists them", strings.Join(args, " "))
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, c := range cmd.Root().Commands() {
				if c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand() {
					names = append(names, cobra.CompletionWithDesc(c.Name(), c.Short))
				}
			}
			if len(args) > 0 {
				names = nil
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// refuseOtherShells has the command of completions fail for a shell that it does not know:
// by itself it shows its help and ends well.
func refuseOtherShells(root *cobra.Command) {
	root.InitDefaultCompletionCmd("completion")
	for _, cmd := range root.Commands() {
		if cmd.Name() != "completion" {
			continue
		}
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("there are no completions for %q: the shells are bash, fish, powershell and zsh", args[0])
			}
			return cmd.Help()
		}
		cmd.Args = cobra.ArbitraryArgs
	}
}

// begin notes that the command line was understood before it calls run: an error
// before that is a mistake of usage.
func (a *app) begin(run func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if err := cmp.Or(cmdline.CheckExclusive(cmd), cmdline.CheckFlagsNotEmpty(cmd)); err != nil {
			return err
		}
		a.began = true
		if a.misconfigured != nil {
			return a.misconfigured
		}
		if err := terminal.CheckColour(a.config.Colour); err != nil {
			return fail(exitUsage, "%s: %w, not %q", a.config.Place("color"), err, a.config.Colour)
		}
		return run(cmd, args)
	}
}

// commandGroup is the commands that help lists together.
type commandGroup struct {
	id       string
	commands []*cobra.Command
}

// commands is the table of all commands, in the order in which help lists groups.
func (a *app) commands() []commandGroup {
	return []commandGroup{
		{groupServe, []*cobra.Command{
			a.serveCommand(), a.runtimeCommand(), a.agentCommand(), a.assistantCommand(), a.restartCommand(), a.stopCommand(), a.linkCommand(), a.tokenCommand(),
			a.enginesCommand(), a.connectionCommand(), a.providerCommand(), a.limitsCommand(), a.trustCommand(), a.auditCommand(), a.purgeCommand(), a.doctorCommand(),
		}},
		{groupBook, []*cobra.Command{
			a.newCommand(), a.lsCommand(), a.showCommand(), a.renameCommand(), a.kernelCommand(), a.deleteCommand(),
			a.restoreCommand(), a.undeleteCommand(), a.importCommand(), a.exportCommand(), a.convertCommand(), a.artifactCommand(), a.logCommand(), a.historyCommand(),
		}},
		{groupCell, []*cobra.Command{
			a.addCommand(), a.editCommand(), a.mvCommand(), a.rmCommand(), a.clearCommand(),
		}},
		{groupRun, []*cobra.Command{
			a.execCommand(), a.askCommand(), a.interruptCommand(), a.watchCommand(), a.runCommand(), a.evalCommand(), a.mcpCommand(),
		}},
	}
}

// execute runs the command that args name and returns the exit code. An error is
// written to stderr, once and here.
func (a *app) execute(ctx context.Context, args []string) int {
	cmd := a.root()
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(ctx)
	err = streamVerdict(terminal.StreamOf(a.stdout), err)
	if err == nil {
		return exitOK
	}
	if _, said := codeOf(err); !a.began && !said {
		err = fail(exitUsage, "%w%s; see `%s --help`", err, meant(cmd, args), commandPath(cmd, args))
	}
	code := exitCode(ctx, err)
	if code != exitInterrupted || !errors.Is(err, context.Canceled) { // who pressed ctrl-C knows it
		a.complain(err)
	}
	return code
}

// streamVerdict returns the error of a command that has written to a stream: one also when not all
// was written, and none when its reader has gone, which reads as much as it wants.
func streamVerdict(s *terminal.Stream, err error) error {
	lost := s.Err()
	_, said := codeOf(err)
	switch {
	case lost == nil, said:
		return err
	case !isGone(lost):
		return fail(exitFailed, "%w", cmp.Or(err, lost))
	case errors.Is(err, lost):
		return nil
	}
	return err
}

// isGone reports whether a write failed since nothing reads any more.
func isGone(err error) bool { return errors.Is(err, signals.ErrGone) }

// complain writes an error to stderr.
func (a *app) complain(err error) {
	fmt.Fprintf(a.stderr, "quire: %s\n", terminal.StreamOf(a.stderr).Render(err.Error()))
}

// meant suggests commands for one that does not exist, as the rest of a sentence.
func meant(root *cobra.Command, args []string) string {
	cmd, rest, err := root.Find(args)
	if err == nil || cmd != root {
		return ""
	}
	at := slices.IndexFunc(rest, func(word string) bool { return strings.Contains(err.Error(), strconv.Quote(word)) })
	if at < 0 {
		return ""
	}
	root.SuggestionsMinimumDistance = min(2, len(rest[at])-2) // letters; two alone are too few to go by
	names := root.SuggestionsFor(rest[at])
	if len(names) == 0 || root.SuggestionsMinimumDistance < 1 {
		return ""
	}
	return ": did you mean " + strings.Join(names, " or ") + "?"
}

// commandPath returns the name of the command of args, the root's if they name none.
func commandPath(root *cobra.Command, args []string) string {
	if cmd, _, err := root.Find(args); err == nil {
		return cmd.CommandPath()
	}
	return root.CommandPath()
}

// logger returns the log of a command, on stderr, and notes the errors of its settings.
func (a *app) logger(wrong *settings.Errors) *slog.Logger {
	if a.config.LogLevel == "off" {
		return slog.New(slog.DiscardHandler)
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(a.config.LogLevel)); err != nil {
		wrong.Add("log-level", "%q is none of debug, info, warn, error and off", a.config.LogLevel)
	}
	options := &slog.HandlerOptions{Level: level}
	switch a.config.LogFormat {
	case "json":
		return slog.New(slog.NewJSONHandler(a.stderr, options))
	case "text":
	default:
		wrong.Add("log-format", "%q is neither text nor json", a.config.LogFormat)
	}
	return slog.New(slog.NewTextHandler(a.stderr, options))
}
