//go:build unix

package python

import (
	"os/exec"
	"syscall"

	"github.com/quirehq/quire/internal/proc"
)

// own is an interpreter that is a process of ours.
type own struct{ *proc.Leader }

func startOwn(cmd *exec.Cmd) (Child, error) {
	leader, err := proc.Start(cmd)
	if err != nil {
		return nil, err
	}
	return own{leader}, nil
}

// PID implements [Child].
func (o own) PID() (int, error) { return o.Leader.PID(), nil }

// Kill implements [Child].
func (o own) Kill() { _ = o.SignalGroup(syscall.SIGKILL) }

// Wait implements [Child].
func (o own) Wait() End {
	<-o.Ended()
	state := o.State()
	end := End{CPU: state.UserTime() + state.SystemTime()}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		end.Signal = status.Signal()
	} else {
		end.Code = state.ExitCode()
	}
	return end
}
