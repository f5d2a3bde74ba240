//go:build unix

package jupyter

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// unixSockets says that kernels can listen on Unix sockets.
const unixSockets = true

// lastWords is how long we listen for more when the process has ended. What it wrote
// is in the pipes; only what it left behind can write on.
const lastWords = 200 * time.Millisecond

// process is a kernel's process and what it writes outside the protocol.
type process struct {
	cmd    *exec.Cmd
	out    [2]*os.File // its stdout and stderr
	limits Limits

	exited chan struct{}    // closed when the process has ended and is reaped
	state  *os.ProcessState // how it ended; read after exited

	mu     sync.Mutex
	reaped bool // its number, and that of its group, may be another's
}

// startProcess starts a kernel, in a session of its own: it has no terminal to ask
// for passwords, and a group that can be signalled as one.
func startProcess(argv, env []string, dir string, limits Limits) (*process, error) {
	path, err := lookPath(argv[0], env, dir)
	if err != nil {
		return nil, err
	}
	p := &process{limits: limits, exited: make(chan struct{})}
	p.cmd = &exec.Cmd{Path: path, Args: argv, Env: env, Dir: dir, SysProcAttr: attributes()}
	theirs, err := p.connect()
	if err == nil {
		started := make(chan error)
		go p.supervise(started)
		err = <-started
	}
	for _, file := range theirs {
		_ = file.Close()
	}
	if err != nil {
		p.closeFiles()
		return nil, err
	}
	if err := setLimits(p.cmd.Process.Pid, limits); err != nil {
		p.end(0)
		p.closeFiles()
		return nil, err
	}
	return p, nil
}

// connect makes the pipes and returns the child's ends.
func (p *process) connect() (theirs []*os.File, err error) {
	for i := range p.out {
		r, w, pipeErr := os.Pipe()
		if pipeErr != nil {
			return theirs, errors.Join(err, pipeErr)
		}
		p.out[i], theirs = r, append(theirs, w)
	}
	p.cmd.Stdout, p.cmd.Stderr = theirs[0], theirs[1]
	return theirs, nil
}

// supervise starts the process, waits for its end, ends what it started, and reaps
// it. It keeps one thread for all of that, because on Linux a child that is to die
// with its parent dies with the thread that started it.
func (p *process) supervise(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	awaitExit(p.cmd.Process.Pid)
	killSession(p.cmd.Process.Pid)
	_ = p.cmd.Wait() // what it says is in the state
	p.state = p.cmd.ProcessState
	p.mu.Lock()
	if !killsSession {
		p.signalLocked(syscall.SIGKILL) // at least the group, which may be gone already
	}
	p.reaped = true
	p.mu.Unlock()
	for _, file := range p.out { // something that left the group may still hold them open
		_ = file.SetReadDeadline(time.Now().Add(lastWords))
	}
	close(p.exited)
}

// The signals that the engine sends, to the kernel and what it has started.

func (p *process) kill()      { p.signal(syscall.SIGKILL) }
func (p *process) interrupt() { p.signal(syscall.SIGINT) }
func (p *process) pause()     { p.signal(syscall.SIGSTOP) }
func (p *process) resume()    { p.signal(syscall.SIGCONT) }

func (p *process) signal(signal syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.signalLocked(signal)
}

func (p *process) signalLocked(signal syscall.Signal) {
	if !p.reaped {
		_ = syscall.Kill(-p.cmd.Process.Pid, signal) // it fails when all have gone
	}
}

// end gives the process a grace to end by itself, and kills it. When it returns the
// process has gone. It may be called twice.
func (p *process) end(grace time.Duration) {
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-p.exited:
	case <-timer.C:
		p.kill()
		<-p.exited
	}
}

func (p *process) closeFiles() {
	for _, file := range p.out {
		if file != nil {
			_ = file.Close()
		}
	}
}

// reason waits for the end and says how it was.
func (p *process) reason() error {
	<-p.exited
	var status syscall.WaitStatus
	if p.state != nil {
		status, _ = p.state.Sys().(syscall.WaitStatus)
	}
	switch {
	case !status.Signaled():
		return fmt.Errorf("exit status %d", status.ExitStatus())
	case p.usedUp(status.Signal()):
		return fmt.Errorf("killed: it has used its %v of processor time", p.limits.CPU)
	case status.Signal() == syscall.SIGKILL:
		return errors.New("signal SIGKILL: killed from outside: out of memory?")
	}
	return fmt.Errorf("signal %s", unix.SignalName(status.Signal()))
}

// usedUp says whether the limit of processor time is what ended the process.
func (p *process) usedUp(signal syscall.Signal) bool {
	used := p.state.UserTime() + p.state.SystemTime()
	return p.limits.CPU > 0 && used >= time.Duration(p.limits.seconds())*time.Second &&
		(signal == syscall.SIGKILL || signal == syscall.SIGXCPU)
}

// readNow reads what is in one of the pipes, without waiting. It returns 0 where
// there is nothing, and false once there never will be.
func readNow(fd uintptr, buffer []byte) (n int, more bool) {
	for {
		n, err := syscall.Read(int(fd), buffer)
		switch {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EAGAIN):
			return 0, true
		case err != nil || n <= 0:
			return 0, false
		default:
			return n, true
		}
	}
}
