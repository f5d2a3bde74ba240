//go:build !unix

package env

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"syscall"
)

var errPlatform = errors.New("environments need Linux, macOS or another Unix")

// CanStart says that environments of this machine can start programs.
const CanStart = false

// Child cannot exist here.
type Child struct{ ended chan struct{} }

// PID implements nothing here.
func (c *Child) PID() (int, error) { return 0, errPlatform }

// Stdin implements [Process].
func (c *Child) Stdin() io.WriteCloser { return nil }

// Signal implements [Process].
func (c *Child) Signal(syscall.Signal) error { return errPlatform }

// SignalGroup implements nothing here.
func (c *Child) SignalGroup(syscall.Signal) error { return errPlatform }

// Kill implements [Process].
func (c *Child) Kill() {}

// Wait implements [Process].
func (c *Child) Wait() Exit { return Exit{Err: errPlatform} }

func (c Command) check() error { return errPlatform }

func withoutKeys(func() error) error { return errPlatform }

func (m *machine) startIn(context.Context, *exec.Cmd, *pidNamespace, startOptions) (*Child, error) {
	return nil, errPlatform
}
