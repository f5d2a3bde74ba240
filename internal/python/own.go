//go:build unix

package python

import (
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// own is an interpreter that is a process of ours.
type own struct {
	cmd   *exec.Cmd
	ended chan struct{} // closed when it is reaped

	mu     sync.Mutex
	reaped bool // its number, and that of its group, may be another's
}

// startOwn starts an interpreter in a session of its own: it has no terminal to ask
// for passwords, and a group that can be killed as one.
func startOwn(cmd *exec.Cmd) (Child, error) {
	o := &own{cmd: cmd, ended: make(chan struct{})}
	cmd.SysProcAttr = attributes()
	started := make(chan error)
	go o.supervise(started)
	if err := <-started; err != nil {
		return nil, err
	}
	return o, nil
}

// supervise starts the process, waits for its end, ends what it started, and reaps
// it. It keeps one thread for all of that, because on Linux a child that is to die
// with its parent dies with the thread that started it.
func (o *own) supervise(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := o.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	awaitExit(o.cmd.Process.Pid)
	killSession(o.cmd.Process.Pid)
	_ = o.cmd.Wait() // what it says is in the state
	o.mu.Lock()
	if !killsSession {
		o.signalLocked(-o.cmd.Process.Pid, syscall.SIGKILL) // at least the group, which may be gone already
	}
	o.reaped = true
	o.mu.Unlock()
	close(o.ended)
}

// PID implements [Child].
func (o *own) PID() (int, error) { return o.cmd.Process.Pid, nil }

// Signal implements [Child].
func (o *own) Signal(s syscall.Signal) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.signalLocked(o.cmd.Process.Pid, s)
}

// Kill implements [Child].
func (o *own) Kill() {
	o.mu.Lock()
	defer o.mu.Unlock()
	_ = o.signalLocked(-o.cmd.Process.Pid, syscall.SIGKILL)
}

func (o *own) signalLocked(pid int, s syscall.Signal) error {
	if o.reaped {
		return os.ErrProcessDone
	}
	return syscall.Kill(pid, s)
}

// Wait implements [Child].
func (o *own) Wait() End {
	<-o.ended
	state := o.cmd.ProcessState
	end := End{CPU: state.UserTime() + state.SystemTime()}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		end.Signal = status.Signal()
	} else {
		end.Code = state.ExitCode()
	}
	return end
}
