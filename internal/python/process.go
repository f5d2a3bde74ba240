//go:build unix

package python

import (
	"cmp"
	"errors"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/quirehq/quire/internal/proc"
)

// process is a Python process with our ends of its pipes.
type process struct {
	cmd        *exec.Cmd
	child      proc.Child
	requests   *os.File // to descriptor 3
	messages   *os.File // from descriptor 4
	interrupts *os.File // to descriptor 5
	out, err   *os.File // from descriptors 1 and 2
	pipes      int      // a socket to descriptor 6, which transfers ends of other pipes

	passing  atomic.Int32   // readers with text that is not consumed yet
	consumed atomic.Int64   // bytes of text that were consumed
	workers  sync.WaitGroup // all goroutines that read
	quit     chan struct{}  // closed when their output is not wanted any more
	once     sync.Once      // closes quit
	hangUp   sync.Once      // closes the socket

	exited chan struct{} // closed when the process is reaped
	ended  proc.End      // valid once exited is closed
	limits Limits

	mu        sync.Mutex
	more      []*os.File // further pipes that are read
	isCut     bool       // it was killed because it has closed its messages
	resending bool       // a goroutine resends an interrupt
}

// startProcess starts the interpreter. Its limits hold before the driver, and so before any
// program, is executed.
func startProcess(python string, config Config) (*process, error) {
	p := &process{quit: make(chan struct{}), exited: make(chan struct{}), limits: config.Limits}
	p.cmd = command(python, config)
	theirs, err := p.connect()
	if err == nil {
		start := config.Start
		if start == nil {
			start = proc.StartOwn
		}
		p.child, err = start(p.cmd)
	}
	for _, file := range theirs {
		_ = file.Close()
	}
	if err != nil {
		p.closeFiles()
		return nil, err
	}
	go p.await()
	if err := p.limits.Hold(p.child); err != nil {
		p.end(0)
		return nil, err
	}
	return p, nil
}

// command returns the command of the interpreter with the driver.
func command(python string, config Config) *exec.Cmd {
	cmd := exec.Command(python, "-c", boot)
	cmd.Dir, cmd.Env = config.Dir, config.Env
	if config.Isolated {
		environ := config.Env
		if environ == nil {
			environ = os.Environ()
		}
		cmd = exec.Command(python, "-I", "-c", boot)
		cmd.Dir, cmd.Env = cmp.Or(config.Dir, proc.IsolatedDir), proc.IsolatedEnv(environ)
	}
	return cmd
}

// connect makes the pipes and returns the child's ends.
func (p *process) connect() ([]*os.File, error) {
	var theirs []*os.File
	var errs []error
	pipe := func(childReads bool) (ours, child *os.File) {
		r, w, err := os.Pipe()
		errs = append(errs, err)
		ours, child = r, w
		if childReads {
			ours, child = w, r
		}
		if err == nil {
			theirs = append(theirs, child)
		}
		return ours, child
	}
	var out, err, requests, messages, interrupts *os.File
	p.out, out = pipe(false)
	p.err, err = pipe(false)
	p.requests, requests = pipe(true)
	p.messages, messages = pipe(false)
	p.interrupts, interrupts = pipe(true)
	ends, failed := socketpair()
	if errs = append(errs, failed); failed == nil {
		p.pipes = ends[0]
		theirs = append(theirs, os.NewFile(uintptr(ends[1]), "socket"))
	}
	p.cmd.Stdout, p.cmd.Stderr = out, err
	p.cmd.ExtraFiles = []*os.File{requests, messages, interrupts, theirs[len(theirs)-1]}
	return theirs, errors.Join(errs...)
}

// socketpair returns the ends of a socket that no other child inherits.
func socketpair() (ends [2]int, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if ends, err = syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0); err == nil {
		syscall.CloseOnExec(ends[0])
		syscall.CloseOnExec(ends[1])
	}
	return ends, err
}

// await records the end of the process.
func (p *process) await() {
	p.ended = p.child.Wait()
	close(p.exited)
	// A process that left the group may still hold the pipes open.
	for _, file := range p.readers() {
		_ = file.SetReadDeadline(time.Now().Add(lastWords))
	}
}

// kill kills the process and its descendants.
func (p *process) kill() { p.child.Kill() }

// interrupt writes the number of the run, and then sends the signal.
func (p *process) interrupt(run uint64) error {
	number := make([]byte, 8)
	for i := range number {
		number[i] = byte(run >> (56 - 8*i))
	}
	// A full pipe has enough of them already.
	_ = p.interrupts.SetWriteDeadline(time.Now().Add(10 * time.Millisecond))
	if _, err := p.interrupts.Write(number); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		return nil // broken pipe: the process has ended
	}
	err := p.child.Signal(syscall.SIGINT)
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	p.resendInterrupt()
	return err
}

// end closes the process's input, and kills it unless it ends within the grace. When it returns the
// process and all goroutines have ended. It may be called twice.
func (p *process) end(grace time.Duration) {
	_ = p.requests.Close()
	if !p.within(grace, p.exited) {
		p.kill()
		<-p.exited
	}
	if grace > 0 {
		p.drain()
	}
	p.once.Do(func() { close(p.quit) })
	for _, file := range p.readers() {
		_ = file.SetReadDeadline(time.Now())
	}
	p.workers.Wait()
	p.closeFiles()
}

// drain waits until the output up to the end of the process is consumed, which is soon unless the
// consumer blocks.
func (p *process) drain() {
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		p.workers.Wait()
	}()
	p.within(takingTime, drained)
}

// within waits for an event, and reports whether it happened in time. While output is consumed the
// time is renewed, a few times: on a loaded machine much output takes longer.
func (p *process) within(d time.Duration, event <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for range maxRenewals {
		consumed := p.consumed.Load()
		select {
		case <-event:
			return true
		case <-timer.C:
		}
		if p.consumed.Load() == consumed {
			return false
		}
		timer.Reset(d)
	}
	return false
}

func (p *process) closeFiles() {
	for _, file := range append(p.readers(), p.requests, p.interrupts) {
		if file != nil {
			_ = file.Close()
		}
	}
	p.hangUp.Do(func() {
		if p.pipes > 0 {
			_ = syscall.Close(p.pipes)
		}
	})
}
