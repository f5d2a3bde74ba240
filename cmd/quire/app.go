package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// app is what every command gets: its streams and its configuration.
type app struct {
	config         config
	misconfigured  error    // why the configuration file does not count
	environ        []string // that programs which we start inherit
	stdin          io.Reader
	stdout, stderr io.Writer
	terminal       bool // stdout is one, so that a line may be written anew
	// screen returns the width of the terminal that both stdout and stderr are, and
	// is nil if they are not, or if it can do no more than print.
	screen func() int
	// console is how a person is asked, nil if there is none.
	console console
	began   bool // the command line was understood
	// place is where engines run, nil for our own surroundings.
	place *place
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
flag counts more than a variable, and that more than the file.`,
		SilenceUsage:      true,
		SilenceErrors:     true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	cmd.AddGroup(
		&cobra.Group{ID: groupServe, Title: "Server and runtimes:"},
		&cobra.Group{ID: groupBook, Title: "Notebooks:"},
		&cobra.Group{ID: groupCell, Title: "Cells:"},
		&cobra.Group{ID: groupRun, Title: "Running and following:"},
	)
	a.config.addGlobalFlags(cmd.PersistentFlags())
	cmd.SetIn(a.stdin)
	cmd.SetOut(a.stdout)
	cmd.SetErr(a.stderr)
	for _, group := range a.commands() {
		for _, sub := range group.commands {
			sub.GroupID = group.id
			sub.RunE = a.begin(sub.RunE)
			cmd.AddCommand(sub)
		}
	}
	cmd.AddCommand(a.versionCommand(), exitCodesTopic())
	return cmd
}

// begin notes that the command line was understood before it calls run: what goes
// wrong before that is a mistake of usage.
func (a *app) begin(run func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		a.began = true
		if a.misconfigured != nil {
			return a.misconfigured
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
			a.serveCommand(), a.agentCommand(), a.restartCommand(), a.stopCommand(), a.linkCommand(), a.tokenCommand(),
			a.kernelsCommand(), a.limitsCommand(), a.doctorCommand(),
		}},
		{groupBook, []*cobra.Command{
			a.newCommand(), a.lsCommand(), a.showCommand(), a.renameCommand(), a.kernelCommand(), a.deleteCommand(),
			a.undeleteCommand(), a.importCommand(), a.exportCommand(), a.artifactCommand(), a.logCommand(), a.historyCommand(),
		}},
		{groupCell, []*cobra.Command{
			a.addCommand(), a.editCommand(), a.mvCommand(), a.rmCommand(), a.restoreCommand(),
		}},
		{groupRun, []*cobra.Command{
			a.execCommand(), a.interruptCommand(), a.watchCommand(), a.runCommand(),
		}},
	}
}

// execute runs the command that args name and returns the exit code. An error is
// written to stderr, once and here.
func (a *app) execute(ctx context.Context, args []string) int {
	cmd := a.root()
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	if !a.began {
		err = fail(exitUsage, "%w; see `%s --help`", err, commandPath(cmd, args))
	}
	code := exitCode(ctx, err)
	if code != exitInterrupted || !errors.Is(err, context.Canceled) { // who pressed ctrl-C knows it
		fmt.Fprintf(a.stderr, "quire: %s\n", err)
	}
	return code
}

// commandPath names the command that args are for, as far as they name one.
func commandPath(root *cobra.Command, args []string) string {
	if cmd, _, err := root.Find(args); err == nil {
		return cmd.CommandPath()
	}
	return root.CommandPath()
}
