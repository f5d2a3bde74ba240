//go:build unix

package pipehost

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/internal/proc"
)

// takingTime bounds the consumption of the output up to the end of the process.
const takingTime = 5 * time.Second

// maxRenewals bounds how often that time, and that to end in, are renewed while output is consumed.
const maxRenewals = 3

// Process is a started program with our ends of its pipes.
type Process struct {
	child    proc.Child
	limits   proc.Limits
	requests *os.File
	messages *file
	out, err *file // of text; nil if there is none

	consumed  atomic.Int64   // pieces and messages that were consumed
	consumers sync.WaitGroup // all goroutines that read or pass on output
	others    sync.WaitGroup // all others
	quit      chan struct{}  // closed when output is not wanted any more
	once      sync.Once      // closes quit

	exited chan struct{} // closed when the process is reaped
	ended  proc.End      // valid once exited is closed

	mu    sync.Mutex
	files []*file // that are read
	fault error   // why a reader killed it
}

// file is a pipe that is read. busy says that not all that was read was passed on.
type file struct {
	*os.File
	busy    atomic.Bool
	further bool // it is closed at its end
	small   bool // it is read in small parts
}

// Start starts a program with its ends of the pipes, which it closes here. Its limits hold before it executes any program of
// users. start nil starts a child process.
func Start(cmd *exec.Cmd, start proc.Starter, limits proc.Limits, pipes *Pipes) (*Process, error) {
	p := &Process{limits: limits, requests: pipes.requests, quit: make(chan struct{}), exited: make(chan struct{})}
	for _, of := range []struct {
		file *os.File
		to   **file
	}{{pipes.out, &p.out}, {pipes.err, &p.err}, {pipes.messages, &p.messages}} {
		if of.file != nil {
			*of.to = &file{File: of.file}
			p.files = append(p.files, *of.to)
		}
	}
	err := pipes.failed
	if err == nil {
		if start == nil {
			start = proc.StartOwn
		}
		p.child, err = start(cmd)
	}
	for _, file := range pipes.theirs {
		_ = file.Close()
	}
	if err != nil {
		p.closeFiles()
		return nil, err
	}
	go p.await()
	if err := limits.Hold(p.child); err != nil {
		p.End(0)
		return nil, err
	}
	return p, nil
}

// await records the end of the process.
func (p *Process) await() {
	p.ended = p.child.Wait()
	close(p.exited)
	// A process that left the session may still hold the pipes open.
	for _, file := range p.readers() {
		_ = file.SetReadDeadline(time.Now().Add(lastWords))
	}
}

// readers returns the pipes that are read.
func (p *Process) readers() []*file {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.files)
}

// consume calls a function that reads or passes on output in a goroutine.
func (p *Process) consume(f func()) { p.consumers.Go(f) }

// Go calls a function in a goroutine that ends when [Process.Quit] is closed at the latest: [Process.End] waits for it.
func (p *Process) Go(f func()) { p.others.Go(f) }

// Write writes to the requests. Concurrent writes are not mixed.
func (p *Process) Write(data []byte) (int, error) { return p.requests.Write(data) }

// CloseRequests closes the requests, which asks the program to end.
func (p *Process) CloseRequests() { _ = p.requests.Close() }

// Quit is closed when output is not wanted any more.
func (p *Process) Quit() <-chan struct{} { return p.quit }

// Exited is closed when the process has ended.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Kill kills the process and its descendants.
func (p *Process) Kill() { p.child.Kill() }

// Fail kills a process that cannot be used any more. The first reason counts.
func (p *Process) Fail(reason error) {
	p.mu.Lock()
	if p.fault == nil {
		p.fault = reason
	}
	p.mu.Unlock()
	p.Kill()
}

// Signal sends a signal to the program. It is no error that it has ended.
func (p *Process) Signal(s syscall.Signal) error {
	err := p.child.Signal(s)
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

// End closes the requests, and kills the process unless it ends within the grace. When it returns the process and all
// goroutines have ended. It may be called twice.
func (p *Process) End(grace time.Duration) {
	p.CloseRequests()
	if !p.within(grace, p.exited) {
		p.Kill()
		<-p.exited
	}
	if grace > 0 {
		p.drain()
	}
	p.once.Do(func() { close(p.quit) })
	for _, file := range p.readers() {
		_ = file.SetReadDeadline(time.Now())
	}
	p.consumers.Wait()
	p.others.Wait()
	p.closeFiles()
}

// drain waits until the output up to the end of the process is consumed, which is soon unless the consumer blocks.
func (p *Process) drain() {
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		p.consumers.Wait()
	}()
	p.within(takingTime, drained)
}

// within waits for an event, and reports whether it happened in time. While output is consumed the time is renewed, a few
// times: on a loaded machine much output takes longer.
func (p *Process) within(d time.Duration, event <-chan struct{}) bool {
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

func (p *Process) closeFiles() {
	for _, file := range p.readers() {
		_ = file.Close()
	}
	if p.requests != nil {
		_ = p.requests.Close()
	}
}

// CatchUp waits a moment for text from between two runs to be consumed, before the next run begins.
func (p *Process) CatchUp() {
	for try := range 30 {
		if !p.hasText() {
			return
		}
		if try < 10 { // usually a reader has just passed on the end of the run before
			runtime.Gosched()
			continue
		}
		time.Sleep(time.Millisecond)
	}
}

// hasText reports whether there is text that was not passed on.
func (p *Process) hasText() bool {
	return slices.ContainsFunc(p.readers(), func(f *file) bool {
		return f != p.messages && (f.busy.Load() || proc.Unread(f.File) > 0)
	})
}

// Reason waits for the end and returns its cause.
func (p *Process) Reason() error {
	<-p.exited
	p.mu.Lock()
	fault := p.fault
	p.mu.Unlock()
	if errors.Is(fault, errCut) && p.ended.Signal != syscall.SIGKILL {
		fault = nil // it was about to end by itself
	}
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
	case syscall.SIGSEGV:
		return ": a segmentation fault, most likely in the native code of a package"
	case syscall.SIGBUS:
		return ": a bus error, most likely in the native code of a package"
	case syscall.SIGILL:
		return ": an instruction that this processor does not have"
	case syscall.SIGFPE:
		return ": an arithmetic error in the native code of a package"
	case syscall.SIGABRT:
		return ": it was aborted, by itself or by native code that found an error; its last lines on stderr may say why"
	case syscall.SIGTERM:
		return ": it was asked to end from outside"
	case syscall.SIGKILL:
		return ": killed from outside, as when memory runs out"
	}
	return ""
}
