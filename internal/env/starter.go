package env

import (
	"context"
	"errors"
	"os/exec"

	"github.com/quirehq/quire/internal/proc"
)

// Starting is an environment on this machine.
type Starting interface {
	// Start starts a program, as [Primitive.Exec] does, with grants that only this machine can
	// give.
	Start(ctx context.Context, c Command, own Grants) (*Child, error)
}

// StarterIn returns the starter for engines, which do not know environments. Their programs have no
// input.
func StarterIn(environment Starting) proc.Starter {
	return func(cmd *exec.Cmd, shared ...string) (proc.Child, error) {
		c := Command{Argv: cmd.Args, Dir: cmd.Dir, Env: cmd.Env, Stdout: cmd.Stdout, Stderr: cmd.Stderr}
		child, err := environment.Start(context.Background(), c, Grants{Files: cmd.ExtraFiles, Shared: shared})
		if err != nil {
			return nil, err
		}
		if err := child.Stdin().Close(); err != nil {
			child.Kill()
			return nil, errors.Join(err, child.Wait().Err)
		}
		return started{child}, nil
	}
}

// started adapts a Child to [proc.Child].
type started struct{ *Child }

// Wait implements [proc.Child].
func (s started) Wait() proc.End {
	exit := s.Child.Wait()
	return proc.End{Code: exit.Code, Signal: exit.Signal, CPU: exit.CPU}
}
