//go:build linux

package faults_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// smallDisk mounts a disk of its own on a directory, which must be empty. It says why it
// cannot: that needs root.
func smallDisk(t *testing.T, dir string) error {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", dir).CombinedOutput()
	if err != nil {
		return fmt.Errorf("a small disk cannot be mounted, which needs root: %w: %s", err, bytes.TrimSpace(out))
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "--lazy", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %v: %s", err, out)
		}
	})
	return nil
}

// fill fills the disk of a directory until there is no space at all, keeps it so for
// some time, and frees it.
func fill(dir string, lasts time.Duration) error {
	f, err := os.CreateTemp(dir, "ballast")
	if err != nil {
		return err
	}
	defer f.Close()
	over := time.Now().Add(lasts)
	for piece := make([]byte, 1<<20); time.Now().Before(over); time.Sleep(time.Millisecond) {
		for n := len(piece); n > 0; { // what somebody gives back is taken, too
			if _, err := f.Write(piece[:n]); err != nil {
				n /= 2
			}
		}
	}
	return os.Remove(f.Name())
}

// trace interferes with how a process syncs its files, for some time. It says why it
// cannot: one needs strace, and may not be allowed to trace.
func trace(p *os.Process, inject string, lasts time.Duration) error {
	cmd := exec.Command("strace", "-f", "-q", "-o", "/dev/null", "-e", "trace=fsync,fdatasync",
		"-e", "inject=fsync,fdatasync:"+inject, "-p", strconv.Itoa(p.Pid))
	// It tries the kernel out with a process of its own first, which waits for it for ever and holds the pipe open.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("strace is not there: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), lasts)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-ended: // its process has, most likely
		if strings.Contains(said.String(), "Operation not permitted") {
			return errors.New("tracing is not allowed")
		}
		return nil
	case <-ctx.Done():
	}
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // the kernel lets go of the process then; asked to, strace may wait for it in vain
	<-ended
	return nil
}
