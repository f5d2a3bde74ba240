//go:build unix

package proc

import (
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// Leader is a child process that leads a session of its own: it has no terminal to ask for
// passwords, and its group can be signalled. Its methods may be called by any goroutine.
type Leader struct {
	cmd   *exec.Cmd
	ended chan struct{} // closed when it is reaped

	mu     sync.Mutex
	reaped bool // its PID, and that of its group, may have been reused
}

var _ Child = (*Leader)(nil)

// StartOwn is the [Starter] of plain child processes.
func StartOwn(cmd *exec.Cmd, _ ...string) (Child, error) {
	leader, err := Start(cmd)
	if err != nil {
		return nil, err
	}
	return leader, nil
}

// Start starts cmd, whose SysProcAttr it sets.
func Start(cmd *exec.Cmd) (*Leader, error) {
	l := &Leader{cmd: cmd, ended: make(chan struct{})}
	cmd.SysProcAttr = Attributes()
	started := make(chan error)
	go l.supervise(started)
	if err := <-started; err != nil {
		return nil, err
	}
	return l, nil
}

// supervise starts the process, waits for its end, kills the processes it started, and reaps it. It
// keeps one thread for that, because on Linux the parent-death signal is sent when the thread ends
// that started the child.
func (l *Leader) supervise(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := l.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	AwaitExit(l.cmd.Process.Pid)
	KillSession(l.cmd.Process.Pid)
	_ = l.cmd.Wait() // the result is in the state
	l.mu.Lock()
	if !KillsSession {
		_ = l.sendLocked(-l.cmd.Process.Pid, syscall.SIGKILL) // at least the group, which may have ended
	}
	l.reaped = true
	l.mu.Unlock()
	close(l.ended)
}

// PID implements [Child].
func (l *Leader) PID() (int, error) { return l.cmd.Process.Pid, nil }

// Kill implements [Child].
func (l *Leader) Kill() { _ = l.SignalGroup(syscall.SIGKILL) } // it fails once the process has ended

// Wait implements [Child].
func (l *Leader) Wait() End {
	<-l.ended
	state := l.cmd.ProcessState
	end := End{CPU: state.UserTime() + state.SystemTime()}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		end.Signal = status.Signal()
	} else {
		end.Code = state.ExitCode()
	}
	return end
}

// Signal sends the process a signal, and not the processes it has started. It fails with
// os.ErrProcessDone once the process has ended.
func (l *Leader) Signal(s syscall.Signal) error { return l.send(l.cmd.Process.Pid, s) }

// SignalGroup sends a signal to the process's group, with the errors of Signal.
func (l *Leader) SignalGroup(s syscall.Signal) error { return l.send(-l.cmd.Process.Pid, s) }

func (l *Leader) send(pid int, s syscall.Signal) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.sendLocked(pid, s)
}

func (l *Leader) sendLocked(pid int, s syscall.Signal) error {
	if l.reaped {
		return os.ErrProcessDone
	}
	return syscall.Kill(pid, s)
}
