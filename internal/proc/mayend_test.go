//go:build unix

package proc

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
)

func TestOnlyOtherProcessesOfOurUserMayBeEnded(t *testing.T) {
	start := func(user int) int {
		cmd := exec.Command("sleep", "1000")
		if user != os.Getuid() {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(user), Gid: uint32(user)}}
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		return cmd.Process.Pid
	}
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		pid int
		may bool
	}{
		"a child":             {start(os.Getuid()), true},
		"this one":            {os.Getpid(), false},
		"the parent":          {os.Getppid(), false},
		"the first":           {1, false},
		"all":                 {0, false},
		"a group":             {-start(os.Getuid()), false},
		"all that one may":    {-1, false},
		"one that has ended":  {ended.Process.Pid, false},
		"more than there are": {1 << 30, false},
	} {
		if got := MayEnd(c.pid); got != c.may {
			t.Errorf("%s, %d: got %t", name, c.pid, got)
		}
	}
	t.Run("of another user", func(t *testing.T) {
		if os.Getuid() != 0 {
			t.Skip("only root can start a process of another user")
		}
		if other := start(65534); MayEnd(other) {
			t.Errorf("got that process %d may be ended", other)
		}
	})
}
