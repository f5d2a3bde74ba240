//go:build unix

package env

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/quirehq/quire/internal/proc"
)

// CanStart says that environments of this machine can start programs.
const CanStart = true

// lastWords bounds the time for which child processes may hold the program's output open after its
// end.
const lastWords = time.Second

// Child is a [Process] of this machine.
type Child struct {
	cmd          *exec.Cmd
	stdin        io.WriteCloser
	pidNamespace *pidNamespace // nil without a sandbox
	startOptions

	mu      sync.Mutex
	started bool // it can be killed
	killed  bool // it was killed before it was started
	reaped  bool // its PID may have been reused

	opened       chan struct{} // closed when all PID files are made
	pidFileNames []string
	onEnd        func() // called when all has ended
	exit         Exit
	ended        chan struct{} // closed when all has ended; exit is valid then
}

// newChild returns a program that is not started yet.
func newChild(cmd *exec.Cmd, b *pidNamespace, w startOptions) *Child {
	return &Child{cmd: cmd, pidNamespace: b, startOptions: w, onEnd: func() {}, opened: make(chan struct{}), ended: make(chan struct{})}
}

// start starts the program. It leads a session of its own, so it has no terminal and its processes
// can be killed together. It is killed when we end in any way: on Linux that depends on the thread
// that started it, which is kept.
func (c *Child) start() error {
	pipe, err := c.cmd.StdinPipe()
	if err != nil {
		return errors.Join(err, c.pidNamespace.close())
	}
	c.stdin = stdin{pipe}
	c.cmd.WaitDelay = lastWords
	c.cmd.SysProcAttr = proc.Attributes()
	started := make(chan error)
	go c.supervise(started)
	if err := <-started; err != nil {
		return errors.Join(err, c.pidNamespace.close())
	}
	err = c.open()
	close(c.opened)
	c.mu.Lock()
	c.started = true
	killed := c.killed || err != nil
	c.mu.Unlock()
	if killed {
		c.Kill()
	}
	if err != nil {
		<-c.ended
	}
	return err
}

// open lets the program begin, once its PID files are made.
func (c *Child) open() error {
	if c.pidNamespace == nil {
		return c.name(leaderFile, c.cmd.Process.Pid)
	}
	err := c.name(aloneFile, c.cmd.Process.Pid)
	return c.pidNamespace.open(func(first int) error { return errors.Join(err, c.name(aloneFile, first)) })
}

// name makes a PID file for a process.
func (c *Child) name(kind string, pid int) error {
	name, err := c.files.add(kind, pid)
	if name != "" {
		c.pidFileNames = append(c.pidFileNames, name)
	}
	return err
}

// supervise starts the program, waits for it, and kills and reaps its remaining processes.
func (c *Child) supervise(started chan<- error) {
	runtime.LockOSThread() // never unlocked: the thread enters the program's group
	if isFirstThread() {
		another := make(chan struct{})
		go func() {
			defer close(another)
			c.supervise(started) // on another thread, since this one is locked
		}()
		<-another
		runtime.UnlockOSThread()
		return
	}
	closeOnExec()
	if c.pidNamespace != nil {
		joinEmptyKeyring()
	}
	err := c.own.Start(func() error { return c.group.start(c.cmd) })
	started <- err
	if err != nil {
		return
	}
	pid := c.cmd.Process.Pid
	proc.AwaitExit(pid)
	if c.pidNamespace == nil {
		proc.KillSession(pid)
	}
	err = c.cmd.Wait()
	c.mu.Lock()
	if c.pidNamespace == nil && !proc.KillsSession {
		_ = syscall.Kill(-pid, syscall.SIGKILL) // at least the group, which may have ended
	}
	c.reaped = true
	c.mu.Unlock()
	c.pidNamespace.await()
	<-c.opened
	for _, name := range c.pidFileNames {
		c.files.remove(name)
	}
	c.exit = exitOf(c.cmd.ProcessState, err, c.pidNamespace != nil)
	c.onEnd()
	close(c.ended)
}

// withoutKeys calls start on a thread that has the keys of no session and ends then, as programs get them from the thread
// that starts them.
func withoutKeys(start func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked
		if isFirstThread() {
			done <- withoutKeys(start) // on another thread, since this one is locked
			runtime.UnlockOSThread()
			return
		}
		closeOnExec()
		joinEmptyKeyring()
		done <- start()
	}()
	return <-done
}

// exitOf returns how a program ended. A sandboxed one reports a signal as shells do, by a code from
// 129 on.
func exitOf(state *os.ProcessState, err error, sandboxed bool) Exit {
	status, _ := state.Sys().(syscall.WaitStatus)
	e := Exit{CPU: state.UserTime() + state.SystemTime()}
	var failed *exec.ExitError
	if !errors.As(err, &failed) {
		e.Err = err
	}
	switch code := status.ExitStatus(); {
	case status.Signaled():
		e.Signal = status.Signal()
	case sandboxed && code > 128 && code < 128+65:
		e.Signal = syscall.Signal(code - 128)
	default:
		e.Code = code
	}
	return e
}

// PID returns the PID of the program on this machine.
func (c *Child) PID() (int, error) {
	if c.pidNamespace == nil {
		return c.cmd.Process.Pid, nil
	}
	return c.pidNamespace.programPID(c.ended)
}

// Stdin implements [Process].
func (c *Child) Stdin() io.WriteCloser { return c.stdin }

// Signal implements [Process].
func (c *Child) Signal(s syscall.Signal) error {
	if c.pidNamespace != nil {
		return c.pidNamespace.signal(s, c.ended)
	}
	return c.send(c.cmd.Process.Pid, s)
}

// SignalGroup sends a signal to the program's process group.
func (c *Child) SignalGroup(s syscall.Signal) error {
	if c.pidNamespace != nil {
		return c.pidNamespace.signalGroup(s, c.ended)
	}
	return c.send(-c.cmd.Process.Pid, s)
}

// send sends a signal to a process, or to a group by its negative number, unless the number may
// have been reused.
func (c *Child) send(pid int, s syscall.Signal) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reaped {
		return os.ErrProcessDone
	}
	return syscall.Kill(pid, s)
}

// isStarted reports whether the program has begun.
func (c *Child) isStarted() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.started
}

// Kill implements [Process].
func (c *Child) Kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.killed = true
	if !c.started {
		return
	}
	c.pidNamespace.kill()
	if !c.reaped {
		_ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL)
	}
}

// Wait implements [Process].
func (c *Child) Wait() Exit {
	<-c.ended
	return c.exit
}

// check validates a command.
func (c Command) check() error {
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return errNoProgram
	}
	return nil
}

// startIn starts a program of the environment.
func (m *machine) startIn(ctx context.Context, cmd *exec.Cmd, b *pidNamespace, w startOptions) (*Child, error) {
	c := newChild(cmd, b, w)
	if err := m.adopt(c); err != nil {
		return nil, errors.Join(err, b.close())
	}
	stop := context.AfterFunc(ctx, c.Kill)
	c.onEnd = func() {
		stop()
		m.forget(c)
	}
	if err := c.start(); err != nil {
		c.onEnd()
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	return c, nil
}

// stdin is the input of a program. os/exec closes the pipe when the program ends, which the writer
// cannot know: writes then fail like those to a pipe without a reader.
type stdin struct {
	pipe io.WriteCloser
}

// Write implements io.Writer.
func (s stdin) Write(data []byte) (int, error) {
	n, err := s.pipe.Write(data)
	if errors.Is(err, fs.ErrClosed) {
		err = syscall.EPIPE
	}
	return n, err
}

// Close implements io.Closer.
func (s stdin) Close() error {
	if err := s.pipe.Close(); !errors.Is(err, fs.ErrClosed) {
		return err
	}
	return nil
}
