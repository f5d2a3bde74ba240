//go:build unix

package env

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/quirehq/quire/internal/proc"
)

// CanStart says that programs can be started in places of this machine.
const CanStart = true

// lastWords is how long what a program has started may hold its output open once it
// has ended.
const lastWords = time.Second

// Child is a [Process] of this machine.
type Child struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	box   *box // what it is shut in; nil if it is not
	ways

	mu      sync.Mutex
	started bool // it can be killed
	doomed  bool // it was killed before that
	reaped  bool // its number may be another's

	opened chan struct{} // closed when there are no more PID files to come
	named  []string      // them
	over   func()        // is called when all is over
	exit   Exit
	ended  chan struct{} // closed when all is over; exit is read after that
}

// newChild returns a program that is not started yet.
func newChild(cmd *exec.Cmd, b *box, w ways) *Child {
	return &Child{cmd: cmd, box: b, ways: w, over: func() {}, opened: make(chan struct{}), ended: make(chan struct{})}
}

// start starts the program. It leads a session of its own, so that it has no
// terminal and can be killed as one, and ends with us however we end: on Linux with
// the thread that started it, which is kept for that.
func (c *Child) start() error {
	pipe, err := c.cmd.StdinPipe()
	if err != nil {
		return errors.Join(err, c.box.close())
	}
	c.stdin = stdin{pipe}
	c.cmd.WaitDelay = lastWords
	c.cmd.SysProcAttr = proc.Attributes()
	started := make(chan error)
	go c.supervise(started)
	if err := <-started; err != nil {
		return errors.Join(err, c.box.close())
	}
	err = c.open()
	close(c.opened)
	c.mu.Lock()
	c.started = true
	doomed := c.doomed || err != nil
	c.mu.Unlock()
	if doomed {
		c.Kill()
	}
	if err != nil {
		<-c.ended
	}
	return err
}

// open lets what was started begin, once there are PID files for it.
func (c *Child) open() error {
	if c.box == nil {
		return c.name(leaderFile, c.cmd.Process.Pid)
	}
	err := c.name(aloneFile, c.cmd.Process.Pid)
	return c.box.open(func(first int) error { return errors.Join(err, c.name(aloneFile, first)) })
}

// name makes a PID file for a process.
func (c *Child) name(kind string, pid int) error {
	name, err := c.files.add(kind, pid)
	if name != "" {
		c.named = append(c.named, name)
	}
	return err
}

// supervise has the program's whole life.
func (c *Child) supervise(started chan<- error) {
	runtime.LockOSThread() // for ever: the thread goes into the program's group
	if isFirstThread() {
		another := make(chan struct{})
		go func() {
			defer close(another)
			c.supervise(started) // by another thread, as this one is taken
		}()
		<-another
		runtime.UnlockOSThread()
		return
	}
	keepDescriptors()
	if c.box != nil {
		leaveKeys()
	}
	err := c.own.Start(func() error { return c.group.start(c.cmd) })
	started <- err
	if err != nil {
		return
	}
	pid := c.cmd.Process.Pid
	proc.AwaitExit(pid)
	if c.box == nil {
		proc.KillSession(pid)
	}
	err = c.cmd.Wait()
	c.mu.Lock()
	if c.box == nil && !proc.KillsSession {
		_ = syscall.Kill(-pid, syscall.SIGKILL) // at least the group, which may be gone
	}
	c.reaped = true
	c.mu.Unlock()
	c.box.await()
	<-c.opened
	for _, name := range c.named {
		c.files.remove(name)
	}
	c.exit = exitOf(c.cmd.ProcessState, err, c.box != nil)
	c.over()
	close(c.ended)
}

// exitOf says how a program ended. One that is shut in ends by a signal as shells
// have it: with a code from 129 on.
func exitOf(state *os.ProcessState, err error, boxed bool) Exit {
	status, _ := state.Sys().(syscall.WaitStatus)
	e := Exit{CPU: state.UserTime() + state.SystemTime()}
	var failed *exec.ExitError
	if !errors.As(err, &failed) {
		e.Err = err
	}
	switch code := status.ExitStatus(); {
	case status.Signaled():
		e.Signal = status.Signal()
	case boxed && code > 128 && code < 128+65:
		e.Signal = syscall.Signal(code - 128)
	default:
		e.Code = code
	}
	return e
}

// PID returns the number that this machine has for the program.
func (c *Child) PID() (int, error) {
	if c.box == nil {
		return c.cmd.Process.Pid, nil
	}
	return c.box.programID(c.ended)
}

// Stdin implements [Process].
func (c *Child) Stdin() io.WriteCloser { return c.stdin }

// Signal implements [Process].
func (c *Child) Signal(s syscall.Signal) error {
	if c.box != nil {
		return c.box.signal(s, c.ended)
	}
	return c.send(c.cmd.Process.Pid, s)
}

// SignalGroup sends a signal to the program and those of its group.
func (c *Child) SignalGroup(s syscall.Signal) error {
	if c.box != nil {
		return c.box.signalGroup(s, c.ended)
	}
	return c.send(-c.cmd.Process.Pid, s)
}

// send sends a signal to a process or, by the negative of its number, to a group,
// unless the number may be another's by now.
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
	c.doomed = true
	if !c.started {
		return
	}
	c.box.kill()
	if !c.reaped {
		_ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL)
	}
}

// Wait implements [Process].
func (c *Child) Wait() Exit {
	<-c.ended
	return c.exit
}

// check says what is wrong with a command.
func (c Command) check() error {
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return errNoProgram
	}
	return nil
}

// startIn starts a program that belongs to the place.
func (m *machine) startIn(ctx context.Context, cmd *exec.Cmd, b *box, w ways) (*Child, error) {
	c := newChild(cmd, b, w)
	if err := m.adopt(c); err != nil {
		return nil, errors.Join(err, b.close())
	}
	stop := context.AfterFunc(ctx, c.Kill)
	c.over = func() {
		stop()
		m.forget(c)
	}
	if err := c.start(); err != nil {
		c.over()
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	return c, nil
}
