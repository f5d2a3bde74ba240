// Command quire is the whole of Quire in one binary: the server, the runtime that
// the server starts, and the commands of users and scripts, each in a file of its
// own named cmd_*.go. It wires the packages of host and internal and holds no
// rules of its own; nothing imports it.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"

	"golang.org/x/term"

	"github.com/quirehq/quire/cmd/quire/internal/engines"
	"github.com/quirehq/quire/cmd/quire/internal/namedfile"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/cmd/quire/internal/signals"
	"github.com/quirehq/quire/host/native"
	"github.com/quirehq/quire/host/terminal"
)

// version is set by the linker.
var version = ""

func main() { os.Exit(run()) }

// run runs the command that the process was started with and returns its exit code.
// The first signal ends its context; a second one ends the process at once.
func run() int {
	// Programs of notebooks may be processes of the same user, and every command has the
	// owner's token or can get it.
	if err := native.KeepMemory(); err != nil {
		fmt.Fprintln(os.Stderr, "quire:", err)
		return exitUnavailable
	}
	signals.NotePipes()
	file, err := settings.ReadFile(os.Getenv, os.UserHomeDir, namedfile.ReadSettings) // before signals are for commands: it may be a pipe
	if err != nil {
		err = fail(exitUsage, "%w", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals.Ending()...)
	defer stop()
	context.AfterFunc(ctx, stop) // the second signal has its usual effect
	a := &app{config: settings.Read(os.Getenv, os.UserHomeDir, file), misconfigured: err, environ: os.Environ(), stdin: os.Stdin, bound: engines.BoundOwn}
	a.isTerminal = term.IsTerminal(int(os.Stdin.Fd()))
	a.stdout = newStdStream(os.Stdout, term.IsTerminal(int(os.Stdout.Fd())), &a.config)
	a.stderr = newStdStream(os.Stderr, term.IsTerminal(int(os.Stderr.Fd())), &a.config)
	if terminal.StreamOf(a.stdout).Moves && terminal.StreamOf(a.stderr).Moves {
		a.screen = screenWidth
	}
	if a.isTerminal && term.IsTerminal(int(os.Stderr.Fd())) {
		if c, err := terminal.NewConsole(os.Stdin, os.Stderr); err == nil { // else no question is asked
			a.console = c
		}
	}
	if !a.isTerminal {
		a.console = terminal.NewPipedConsole(os.Stdin)
	}
	return a.execute(ctx, os.Args[1:])
}

// screenWidth returns how many columns the terminal has now.
func screenWidth() int {
	width, _, err := term.GetSize(int(os.Stderr.Fd()))
	if err != nil || width <= 0 {
		return 80
	}
	return width
}

// newStdStream returns stdout or stderr, as the configuration wants it.
func newStdStream(w io.Writer, isTerminal bool, c *settings.Config) *terminal.Stream {
	return terminal.NewStream(w, terminal.StreamConfig{Terminal: isTerminal, Dumb: c.Term == "dumb", Colour: c.Colour, NoColour: c.NoColour})
}
