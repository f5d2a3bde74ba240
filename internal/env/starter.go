package env

import (
	"context"
	"errors"
	"os/exec"

	"github.com/quirehq/quire/internal/proc"
)

// Starting is a place on this machine.
type Starting interface {
	// Start starts a program, as [Primitive.Exec] does, with more than programs get
	// in any place.
	Start(ctx context.Context, c Command, own Grants) (*Child, error)
}

// StarterIn returns how engines, which know nothing of places, start their programs in
// one. They have no input.
func StarterIn(place Starting) proc.Starter {
	return func(cmd *exec.Cmd, shared ...string) (proc.Child, error) {
		c := Command{Argv: cmd.Args, Dir: cmd.Dir, Env: cmd.Env, Stdout: cmd.Stdout, Stderr: cmd.Stderr}
		child, err := place.Start(context.Background(), c, Grants{Files: cmd.ExtraFiles, Shared: shared})
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

// started is a program as engines want it.
type started struct{ *Child }

// Wait implements [proc.Child].
func (s started) Wait() proc.End {
	exit := s.Child.Wait()
	return proc.End{Code: exit.Code, Signal: exit.Signal, CPU: exit.CPU}
}
