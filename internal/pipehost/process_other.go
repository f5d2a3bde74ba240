//go:build !unix

package pipehost

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/quirehq/quire/internal/proc"
)

// Process cannot exist here: it needs descriptors and signals of Unix.
type Process struct {
	out, err *file
	quit     chan struct{}
}

type file struct{ *os.File }

// MessageReader is as on Unix.
type MessageReader[M any] func(io.Reader) func() (Marked[M], error)

var errPlatform = errors.New("an interpreter as a process needs Linux, macOS or another Unix")

// Start fails.
func Start(*exec.Cmd, proc.Starter, proc.Limits, *Pipes) (*Process, error) { return nil, errPlatform }

// Text is never called.
func (p *Process) Text(*os.File, string, bool) <-chan Piece { return nil }

// Follow is never called.
func (p *Process) Follow(<-chan Piece, func(string, bool) bool) {}

// Go is never called.
func (p *Process) Go(func()) {}

// Write is never called.
func (p *Process) Write([]byte) (int, error) { return 0, errPlatform }

// CloseRequests is never called.
func (p *Process) CloseRequests() {}

// Quit is never called.
func (p *Process) Quit() <-chan struct{} { return p.quit }

// Exited is never called.
func (p *Process) Exited() <-chan struct{} { return p.quit }

// Kill is never called.
func (p *Process) Kill() {}

// Fail is never called.
func (p *Process) Fail(error) {}

// Signal is never called.
func (p *Process) Signal(syscall.Signal) error { return errPlatform }

// End is never called.
func (p *Process) End(time.Duration) {}

// CatchUp is never called.
func (p *Process) CatchUp() {}

// Reason is never called.
func (p *Process) Reason() error                                      { return errPlatform }
func (p *Process) consume(func())                                     {}
func (p *Process) readText(*file, string) <-chan Piece                { return nil }
func readMessages[M any](*Process, MessageReader[M]) <-chan Marked[M] { return nil }
