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
	a := &app{
		config: defaultConfig(os.Getenv, os.UserHomeDir), environ: os.Environ(),
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		terminal: term.IsTerminal(int(os.Stdout.Fd())),
	}
	return a.execute(ctx, os.Args[1:])
}
