package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/namedfile"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/host/terminal"
)

// The exit codes, which scripts rely on.
const (
	exitOK          = 0
	exitFailed      = 1   // the action did not succeed
	exitUsage       = 2   // the command line, or a file that it names, is not right
	exitUnavailable = 3   // no server, or a data directory that cannot be used
	exitDenied      = 4   // it does not exist, or is not permitted
	exitInterrupted = 130 // by ctrl-C or SIGTERM
)

// failure is an error with the code that the process exits with.
type failure struct {
	code int
	err  error
}

// Error returns the message.
func (f *failure) Error() string { return f.err.Error() }

// Unwrap returns the cause.
func (f *failure) Unwrap() error { return f.err }

// fail returns an error that makes the process exit with a code.
func fail(code int, format string, args ...any) error {
	return &failure{code: code, err: fmt.Errorf(format, args...)}
}

// configError returns an error of usage with all that is wrong in the configuration of a command, nil if nothing is.
func (a *app) configError(command string, wrong settings.Errors) error {
	if err := wrong.Err(&a.config); err != nil {
		return fail(exitUsage, "%s: %w", command, err)
	}
	return nil
}

// kindCodes are the exit codes of the kinds of errors of sessions.
var kindCodes = map[terminal.Kind]int{
	terminal.Failed: exitFailed, terminal.Usage: exitUsage, terminal.Unavailable: exitUnavailable, terminal.Denied: exitDenied, terminal.Interrupted: exitInterrupted,
}

// codeOf returns the exit code that an error has.
func codeOf(err error) (code int, ok bool) {
	var own *failure
	var theirs *terminal.Error
	switch {
	case errors.As(err, &own):
		return own.code, true
	case errors.As(err, &theirs):
		return kindCodes[theirs.Kind], true
	}
	return 0, false
}

// exitCode returns the code for the error of a command.
func exitCode(ctx context.Context, err error) int {
	code, known := codeOf(err)
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, namedfile.ErrInterrupted):
		return exitInterrupted
	case known:
		return code
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	return exitFailed
}

func exitCodesTopic() *cobra.Command {
	return &cobra.Command{
		Use:   "exit-codes",
		Short: "What the exit codes of all commands mean",
		Long: `Every command ends with one of these codes:

    0  it succeeded
    1  it did not succeed: a cell failed, or the notebook refused a change
    2  the command line is not right, or a file that it names cannot be used
    3  there is no server to talk to, or the data directory cannot be used
    4  the notebook or cell does not exist, or you may not do this to it
  130  it was interrupted by ctrl-C, SIGTERM or SIGHUP; "exec" cancels its runs first`,
	}
}
