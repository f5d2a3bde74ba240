//go:build unix

package python

import (
	"cmp"
	"errors"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/quirehq/quire/internal/pipehost"
	"github.com/quirehq/quire/internal/proc"
)

// process is a Python process with our ends of its pipes.
type process struct {
	*pipehost.Process
	interrupts *os.File // to descriptor 5
	pipes      int      // a socket to descriptor 6, which transfers ends of other pipes
	hangUp     sync.Once

	mu        sync.Mutex
	resending bool // a goroutine resends an interrupt
}

// startProcess starts the interpreter.
func startProcess(python string, config Config) (*process, error) {
	p := &process{}
	cmd := command(python, config)
	pipes := p.connect(cmd)
	started, err := pipehost.Start(cmd, config.Start, config.Limits, pipes)
	if err != nil {
		p.closeOwn()
		return nil, err
	}
	p.Process = started
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

// connect makes the pipes of a command.
func (p *process) connect(cmd *exec.Cmd) *pipehost.Pipes {
	pipes := &pipehost.Pipes{}
	cmd.Stdout, cmd.Stderr = pipes.Out(), pipes.Err()
	cmd.ExtraFiles = []*os.File{pipes.Requests(), pipes.Messages(), pipes.Sent(&p.interrupts)}
	ends, err := socketpair()
	if err == nil {
		p.pipes = ends[0]
		cmd.ExtraFiles = append(cmd.ExtraFiles, os.NewFile(uintptr(ends[1]), "socket"))
	}
	pipes.Give(cmd.ExtraFiles[len(cmd.ExtraFiles)-1], err)
	return pipes
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
	err := p.Signal(syscall.SIGINT)
	p.resendInterrupt()
	return err
}

// end ends the process, as [pipehost.Process.End] does.
func (p *process) end(grace time.Duration) {
	p.End(grace)
	p.closeOwn()
}

// closeOwn closes the pipes that are of this package alone.
func (p *process) closeOwn() {
	if p.interrupts != nil {
		_ = p.interrupts.Close()
	}
	p.hangUp.Do(func() {
		if p.pipes > 0 {
			_ = syscall.Close(p.pipes)
		}
	})
}
