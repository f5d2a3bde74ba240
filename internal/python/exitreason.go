//go:build unix

package python

import (
	"errors"
	"fmt"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/quirehq/quire/core/lang"
)

// cutPatience bounds the time from the end of a process's messages to its own end: in a sandbox,
// other processes are waited for in between.
const cutPatience = 2 * time.Second

// errCut says that the process lives without a connection.
var errCut = errors.New("the program closed the descriptors that belong to the runtime")

// cause words the meaning of a signal that ended a program.
func cause(signal syscall.Signal) string {
	switch signal {
	case syscall.SIGSEGV:
		return ": a segmentation fault, most likely in the C code of a package"
	case syscall.SIGBUS:
		return ": a bus error, most likely in the C code of a package"
	case syscall.SIGILL:
		return ": an instruction that this processor does not have"
	case syscall.SIGFPE:
		return ": an arithmetic error in the C code of a package"
	case syscall.SIGABRT:
		return ": it was aborted, by os.abort or by C code that found an error"
	case syscall.SIGTERM:
		return ": it was asked to end from outside"
	case syscall.SIGKILL:
		return ": killed from outside, as when memory runs out"
	}
	return ""
}

// reason waits for the end and returns its cause.
func (p *process) reason() error {
	<-p.exited
	switch {
	case p.wasCut():
		return errCut
	case p.ended.Signal == 0:
		return fmt.Errorf("exit status %d", p.ended.Code)
	case p.ended.Signal == syscall.SIGKILL && p.limits.Spent(p.ended.CPU):
		return &lang.SpentError{CPU: p.limits.CPU}
	}
	return fmt.Errorf("signal %s%s", unix.SignalName(p.ended.Signal), cause(p.ended.Signal))
}

// cut kills a process that has closed its messages, unless it is about to end.
func (p *process) cut() {
	patience := time.NewTimer(cutPatience)
	defer patience.Stop()
	select {
	case <-p.exited:
	case <-p.quit:
	case <-patience.C:
		p.mu.Lock()
		p.isCut = true
		p.mu.Unlock()
	}
	p.kill()
}

func (p *process) wasCut() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.isCut
}
