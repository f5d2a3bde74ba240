//go:build unix

package proc_test

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/quirehq/quire/internal/proc"
)

func TestALeaderTakesWhatItStartedWithIt(t *testing.T) {
	if !proc.KillsSession {
		t.Skip("what left the group cannot be found on this system")
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	// With job control a background process has a group of its own, which gets no signal.
	cmd := exec.Command("sh", "-c", "set -m; sleep 1000 & echo started; wait")
	cmd.Stdout = write
	l, err := proc.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	_ = write.Close()
	buffer := make([]byte, 64)
	for said := ""; !strings.Contains(said, "started"); {
		n, err := read.Read(buffer)
		if err != nil {
			t.Fatal(err)
		}
		said += string(buffer[:n])
	}
	if err := l.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if end := l.Wait(); end.Signal != syscall.SIGKILL {
		t.Errorf("got %+v, want the end by the signal", end)
	}
	// The pipe ends when its last writer has ended.
	_ = read.SetReadDeadline(time.Now().Add(30 * time.Second))
	for err = nil; err == nil; {
		_, err = read.Read(buffer)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("something of the session lives on")
	}
	for _, signal := range []func(syscall.Signal) error{l.Signal, l.SignalGroup} {
		if err := signal(syscall.SIGTERM); !errors.Is(err, os.ErrProcessDone) {
			t.Errorf("a signal after the end: got %v, want that it is done", err)
		}
	}
}

func TestAProgramThatIsNotThereIsNotStarted(t *testing.T) {
	if _, err := proc.Start(exec.Command("/nowhere/program")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want that it does not exist", err)
	}
}

func TestLimitsHoldForAProcessThatRuns(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	cmd := exec.Command("sh", "-c", "read go; ulimit -n; ulimit -f")
	cmd.Stdin, cmd.Stdout = read, &out
	l, err := proc.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := l.PID()
	if err != nil {
		t.Fatal(err)
	}
	if err := (proc.Limits{Files: 77, FileSize: 512 * 9}).Set(pid); err != nil {
		t.Skip(err)
	}
	_ = write.Close()
	l.Wait()
	if got := strings.Fields(out.String()); len(got) != 2 || got[0] != strconv.Itoa(77) || got[1] != "9" {
		t.Errorf("got %q, want the limits", out.String())
	}
	if err := (proc.Limits{Files: 77}).Set(pid); err != nil {
		t.Errorf("a process that is gone: got %v, want nothing to do", err)
	}
}

func TestLimitsSayWhatTheyCannotBe(t *testing.T) {
	if err := (proc.Limits{CPU: -1}).Check("one"); err == nil {
		t.Error("a negative limit passes")
	}
	l := proc.Limits{CPU: 1500 * time.Millisecond}
	if l.Spent(1999*time.Millisecond) || !l.Spent(2*time.Second) || (proc.Limits{}).Spent(time.Hour) {
		t.Error("the time is not counted in whole seconds, rounded up")
	}
}
