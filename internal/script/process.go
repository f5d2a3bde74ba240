//go:build unix

package script

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/internal/proc"
)

// fileReader is the end of a pipe that is read.
type fileReader = *os.File

// process is the process of an engine with our ends of its pipes.
type process struct {
	cmd      *exec.Cmd
	child    proc.Child
	requests *os.File
	messages *os.File
	out, err *os.File // of raw text; nil if there is none

	reading  [3]atomic.Bool // the readers of messages, stdout and stderr pass on what they have read
	consumed atomic.Int64   // bytes of text that were consumed
	workers  sync.WaitGroup // all goroutines that read
	senders  sync.WaitGroup // all goroutines that write or signal
	quit     chan struct{}  // closed when their output is not wanted any more
	once     sync.Once      // closes quit

	exited chan struct{} // closed when the process is reaped
	ended  proc.End      // valid once exited is closed
	limits Limits

	mu    sync.Mutex
	fault error // why the process was killed by a reader
}

// driverFile is the name of the descriptor with the driver, in the process.
const driverFile = "/dev/fd/5"

// startProcess starts an engine. Its limits hold before it executes any program.
func startProcess(path string, config *Config) (*process, error) {
	p := &process{quit: make(chan struct{}), exited: make(chan struct{}), limits: config.Limits}
	p.cmd = command(path, config)
	theirs, err := p.connect(config)
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

// command returns the command of the engine, without pipes.
func command(path string, config *Config) *exec.Cmd {
	args := slices.Clone(config.Command)
	for i := range args {
		switch args[i] {
		case driverInline:
			args[i] = config.Driver
		case driverByFile:
			args[i] = driverFile
		}
	}
	environ := config.Env
	if environ == nil {
		environ = os.Environ()
	}
	return &exec.Cmd{
		Path: path, Args: append([]string{path}, args[1:]...), Dir: config.Dir,
		Env: append(slices.Clone(environ), "QUIRE_ENGINE_PIPES="+config.Pipes.String()),
	}
}

// fromDescriptor has a shell give a program descriptor 3 as its input: a starter gives none.
const fromDescriptor = `exec "$0" "$@" 0<&3 3<&-`

// connect makes the pipes and returns the child's ends.
func (p *process) connect(config *Config) ([]*os.File, error) {
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
	var requests, messages, out, err *os.File
	p.requests, requests = pipe(true)
	p.messages, messages = pipe(false)
	p.err, err = pipe(false)
	p.cmd.Stderr = err
	if config.Pipes == Stdio {
		p.cmd.Stdout = messages
		if config.Start == nil {
			p.cmd.Stdin = requests
		} else {
			p.cmd.Path = "/bin/sh"
			p.cmd.Args = append([]string{"/bin/sh", "-c", fromDescriptor}, p.cmd.Args...)
			p.cmd.ExtraFiles = []*os.File{requests}
		}
		return theirs, errors.Join(errs...)
	}
	p.out, out = pipe(false)
	p.cmd.Stdout = out
	p.cmd.ExtraFiles = []*os.File{requests, messages}
	if slices.Contains(config.Command, driverByFile) {
		file, err := fileOf(config.Driver)
		if errs = append(errs, err); err == nil {
			theirs = append(theirs, file)
			p.cmd.ExtraFiles = append(p.cmd.ExtraFiles, file)
		}
	}
	return theirs, errors.Join(errs...)
}

// fileOf returns an open file with a content and no name.
func fileOf(content string) (*os.File, error) {
	file, err := os.CreateTemp("", "quire-driver-")
	if err != nil {
		return nil, err
	}
	_, writeErr := file.WriteString(content)
	_, seekErr := file.Seek(0, 0)
	if err := errors.Join(writeErr, seekErr, os.Remove(file.Name())); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("write the driver: %w", err)
	}
	return file, nil
}

// await records the end of the process.
func (p *process) await() {
	p.ended = p.child.Wait()
	close(p.exited)
	// A process that left the session may still hold the pipes open.
	for _, file := range p.readers() {
		_ = file.SetReadDeadline(time.Now().Add(lastWords))
	}
}

// readers returns the pipe ends that are read.
func (p *process) readers() []*os.File {
	return slices.DeleteFunc([]*os.File{p.out, p.err, p.messages}, func(f *os.File) bool { return f == nil })
}

// kill kills the process and its descendants.
func (p *process) kill() { p.child.Kill() }

// fail kills a process whose engine cannot be used any more. The first reason counts.
func (p *process) fail(reason error) {
	p.mu.Lock()
	if p.fault == nil {
		p.fault = reason
	}
	p.mu.Unlock()
	p.kill()
}

// signal asks the program to stop.
func (p *process) signal() error {
	err := p.child.Signal(syscall.SIGINT)
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

// end closes the requests, and kills the process unless it ends within the grace. When it returns the process and all
// goroutines have ended. It may be called twice.
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
	p.senders.Wait()
	p.closeFiles()
}

// drain waits until the output up to the end of the process is consumed, which is soon unless the consumer blocks.
func (p *process) drain() {
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		p.workers.Wait()
	}()
	p.within(takingTime, drained)
}

// within waits for an event, and reports whether it happened in time. While output is consumed the time is renewed, a
// few times: on a loaded machine much output takes longer.
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
	for _, file := range append(p.readers(), p.requests) {
		if file != nil {
			_ = file.Close()
		}
	}
}

// reason waits for the end and returns its cause.
func (p *process) reason() error {
	<-p.exited
	p.mu.Lock()
	fault := p.fault
	p.mu.Unlock()
	switch {
	case fault != nil:
		return fault
	case p.ended.Signal == 0:
		return fmt.Errorf("exit status %d", p.ended.Code)
	case p.ended.Signal == syscall.SIGKILL && p.limits.Spent(p.ended.CPU):
		return &lang.SpentError{CPU: p.limits.CPU}
	}
	return fmt.Errorf("signal %s%s", unix.SignalName(p.ended.Signal), meaning(p.ended.Signal))
}

// meaning words the signals that end programs.
func meaning(signal syscall.Signal) string {
	switch signal {
	case syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGILL, syscall.SIGFPE:
		return ": a fault in the interpreter or in the native code of a package"
	case syscall.SIGABRT:
		return ": it aborted itself; its last lines on stderr may say why"
	case syscall.SIGTERM:
		return ": it was asked to end from outside"
	case syscall.SIGKILL:
		return ": killed from outside: out of memory?"
	}
	return ""
}
