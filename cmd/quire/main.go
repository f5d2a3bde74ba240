// Command quire is the whole of Quire in one binary: the server, the runtime that
// the server starts, and the commands of people and scripts, each in a file of its
// own named cmd_*.go. It wires the packages of host and internal and holds no
// rules of its own; nothing imports it.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"
)

// version is set by the linker.
var version = ""

func main() { os.Exit(run()) }

// run runs the command that the process was started with and returns its exit code.
// The first signal ends its context; a second one ends the process at once.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // the second signal has its usual effect
	getenv, err := withFile(os.Getenv, os.UserHomeDir)
	a := &app{
		config: defaultConfig(getenv, os.UserHomeDir), misconfigured: err, environ: os.Environ(),
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		terminal: term.IsTerminal(int(os.Stdout.Fd())),
	}
	if a.terminal && term.IsTerminal(int(os.Stderr.Fd())) && a.config.Term != "dumb" {
		a.screen = screenWidth
	}
	if term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stderr.Fd())) {
		if c, err := newConsole(os.Stdin, os.Stderr); err == nil { // else nobody is asked
			a.console = c
		}
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
