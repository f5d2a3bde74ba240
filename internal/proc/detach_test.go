//go:build unix

package proc_test

import (
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/quirehq/quire/internal/proc"
)

func TestADetachedProcessLeadsASessionOfItsOwn(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "cat")
	proc.Detach(cmd)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if got, err := unix.Getsid(cmd.Process.Pid); err != nil || got != cmd.Process.Pid {
		t.Errorf("got session %d, %v, want %d, the process's own", got, err, cmd.Process.Pid)
	}
	if err := stdin.Close(); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
